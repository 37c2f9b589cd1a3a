"""Settings of Sphinx for the reading copy."""

project = "Why Multi-Head Attention"
author = "the course's authors"
copyright = "the course's authors; prose and pictures CC BY 4.0, code MIT"
language = "en"

extensions = ["myst_nb"]
exclude_patterns = [
    "helpers",
    "docs",
    ".doctrees",
    "made",
    "LICENSE",
    "NOTICE",
    "licences",
]
html_theme = "furo"
html_theme_options = {  # pictures take their ink from JupyterLab's theme
    "dark_css_variables": {
        "jp-ui-font-color1": "var(--color-foreground-primary)",
        "jp-ui-font-color2": "var(--color-foreground-secondary)",
        "jp-layout-color1": "var(--color-background-primary)",
        "jp-content-link-color": "var(--color-link)",
        "jp-error-color0": "#ff9d94",
    }
}
html_title = project
html_show_sourcelink = False
html_copy_source = False

nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_ipywidgets_js = {}  # pictures stand where widgets would
nb_mime_priority_overrides = [
    ("html", "text/html", 0),
    ("html", "application/vnd.jupyter.widget-view+json", None),
]
myst_enable_extensions = []
myst_heading_anchors = 4
mathjax_path = "none.js"  # loaded by pages with formulas: there are none
suppress_warnings = ["mystnb.unknown_mime_type"]
html_show_search_summary = False  # it would fetch pages, which no disk allows
