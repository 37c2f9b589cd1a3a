"""Where the controls stand, in words: what a screen reader is told.

Of a slider over given values it hears only the place of the handle.
"""

import ipywidgets as widgets


def stand(box, leave_out=()):
    """Return where each control in a box stands, in words.

    Parameters
    ----------
    box : ipywidgets.Box
    leave_out : sequence of widgets
        These, and what is in them, are not looked at.

    Returns
    -------
    dict of str
        Model id -> (description, words); without buttons and what is hidden.
    """
    found = {}
    for child in box.children:
        if child.comm is None:  # closed, as a cell that runs again does
            continue
        hidden = child.layout.visibility == "hidden"
        if child in leave_out or hidden or child.layout.display == "none":
            continue
        if isinstance(child, widgets.Box):
            found |= stand(child, leave_out)
        elif hasattr(child, "label"):  # of the choice that is made
            found[child.model_id] = child.description, str(child.label)
        elif isinstance(child, widgets.Checkbox):
            words = "on" if child.value else "off"
            found[child.model_id] = child.description, words
        elif isinstance(child, widgets.Text):
            found[child.model_id] = child.description, child.value
    return found


def moved(before, now):
    """Return a sentence on what differs between two answers of `stand`."""
    return "; ".join(
        f"{description.rstrip('.')}: {words}"
        for model_id, (description, words) in now.items()
        if before.get(model_id, (None, words))[1] != words
    )
