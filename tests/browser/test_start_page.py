"""Notebook 00, as someone sees it who has never opened a notebook."""


def test_the_start_page_tests_its_sliders(open_notebook):
    notebook = open_notebook("notebooks/00_start_here.ipynb")
    notebook.run_all()
    notebook.wait_for_text("This sentence must change")
    slider = notebook.slider("move me")
    slider.press("ArrowRight")
    notebook.wait_for_text("The slider is at 5. Sliders work here.")
    slider.drag_to("2")
    notebook.wait_for_text("The slider is at 2. Sliders work here.")
    notebook.screenshot("00_start_here")
    assert notebook.errors() == []
    assert notebook.problems == []


def test_its_link_opens_notebook_04(open_notebook):
    notebook = open_notebook("notebooks/00_start_here.ipynb")
    link = notebook.panel.get_by_role("link", name="Build multi-head")
    link.scroll_into_view_if_needed()
    link.click()
    tab = notebook.page.locator(".lm-TabBar-tab.lm-mod-current")
    tab.filter(has_text="04_build_multi_head.ipynb").first.wait_for()
    assert notebook.problems == []
