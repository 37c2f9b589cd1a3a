"""What LECTURING.md tells a lecturer to do with an explorer, at 1280 x 720."""

PLACE = "(item) => item.scrollIntoView({block: 'start'})"
SCROLLED = "(box) => box.scrollTop"
INSIDE = """(item) => {
  const box = item.closest(".jp-WindowedPanel-outer").getBoundingClientRect();
  const part = item.getBoundingClientRect();
  return part.top >= box.top - 1 && part.bottom <= box.bottom + 1;
}"""


def choose(page, *names):
    """Choose an entry of a menu and of the menus below it."""
    page.locator(".lm-MenuBar-item", has_text=names[0]).click()
    for name in names[1:]:
        entry = page.locator(f'.lm-Menu-itemLabel:text-is("{name}")')
        entry.hover()
    entry.click()


def test_the_maps_stay_on_the_screen_while_the_arrow_keys_move_h(
    open_notebook,
):
    notebook = open_notebook("notebooks/04_build_multi_head.ipynb")
    page = notebook.page
    page.set_viewport_size({"width": 1280, "height": 720})
    notebook.run_all()
    choose(page, "View", "Appearance", "Presentation Mode")
    page.keyboard.press("Control+b")
    choose(page, "View", "Collapse All Code")
    notebook.checkbox("large type, for a projector").click()
    heads, maps = (
        notebook.slider("heads h"),
        notebook.picture("Attention maps"),
    )
    heads.handle.click()
    maps.evaluate(PLACE)
    box = notebook.panel.locator(".jp-WindowedPanel-outer").first
    before = box.evaluate(SCROLLED)
    for shown in ("4", "2", "1"):
        page.keyboard.press("ArrowLeft")
        notebook.picture(f"Attention maps: h = {shown},").wait_for()
        assert box.evaluate(SCROLLED) == before
        assert maps.evaluate(INSIDE)
    assert notebook.errors() == [] and notebook.problems == []
