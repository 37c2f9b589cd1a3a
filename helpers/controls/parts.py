"""The single controls, all reached by keyboard, and rows of them."""

import ipywidgets as widgets

WIDE = {"description_width": "initial"}
STYLES = (
    ".why-explorer{padding:0 6px}"
    "@media (max-width:1399px){.why-explorer{--why-more-lines:1}}"
    "@media (max-width:1099px){.why-explorer{--why-more-lines:2}}"
    ".why-explorer :focus-visible{outline:2px solid "
    "var(--jp-ui-font-color1,#212121) !important;outline-offset:1px}"
    ".why-explorer .widget-toggle-buttons"
    "{display:flex;align-items:baseline;gap:8px}"
    ".why-explorer .widget-toggle-buttons > .widget-label{flex:none}"
    ".why-explorer .widget-toggle-buttons > div"
    "{display:flex;flex-wrap:wrap}"
    ".why-explorer .widget-toggle-button.mod-active"
    "{box-shadow:inset 0 -3px var(--jp-ui-font-color1,#212121)}"
    ".why-large{--jp-widgets-font-size:19px;--jp-ui-font-size1:19px;"
    "--jp-widgets-inline-height:36px;--jp-widgets-inline-margin:4px;"
    "font-size:19px}"
    ".why-large .widget-html svg{max-width:none !important}"
    ".why-large .widget-hslider{min-width:420px}"
    ".why-large .widget-text:not(.why-fixed){min-width:min(560px,100%)}"
)


def selection(description, options, value, width="320px"):
    """Return a slider over given values; all arrow keys move it."""
    return widgets.SelectionSlider(
        options=options,
        value=value,
        description=description,
        style=WIDE,
        layout=widgets.Layout(width=width),
    )


def choice(description, options, value):
    """Return a row of buttons of which one is down; Tab and Space reach it."""
    return widgets.ToggleButtons(
        options=options,
        value=value,
        description=description,
        style={**WIDE, "button_width": "auto"},
        layout=widgets.Layout(width="auto"),
    )


def switch(description, value):
    """Return a checkbox whose description is not cut off."""
    return widgets.Checkbox(
        value=value,
        description=description,
        indent=False,
        layout=widgets.Layout(width="auto"),
    )


def button(description, tooltip=""):
    """Return a button as wide as its text."""
    return widgets.Button(
        description=description,
        tooltip=tooltip,
        layout=widgets.Layout(width="auto"),
    )


def row(*children):
    """Return a box that sets widgets side by side, and wraps if it must."""
    return widgets.HBox(
        children,
        layout=widgets.Layout(flex_flow="row wrap", grid_gap="2px 14px"),
    )


def style_sheet(rules=""):
    """Return a widget that lays out an explorer; it shows nothing."""
    return widgets.HTML(
        f"<style>{STYLES}{rules}</style>",
        layout=widgets.Layout(display="none"),
    )
