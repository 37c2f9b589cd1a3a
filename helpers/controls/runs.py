"""Which notebook cell made which explorer, so that a rerun closes its own."""

import gc

# Explorers by the notebook cell that made them, as (run, explorer). Widgets
# live as long as the kernel, so a cell that is run again must close its own.
_RUNS = {}


def close_earlier_runs(explorer):
    """Close the explorers that an earlier run of the same cell made."""
    cell, run = _this_run()
    if cell is None:
        return
    kept, old = [], []
    for earlier, other in _RUNS.get(cell, ()):
        (kept if earlier == run else old).append((earlier, other))
    _RUNS[cell] = [*kept, (run, explorer)]
    for _, other in old:
        close_all(other)
        _forget(other)
    if old:
        gc.collect()  # widgets refer to one another: only this frees them


def close_all(box):
    """Close a box and every widget in it, with their layouts and styles."""
    for child in getattr(box, "children", ()):
        close_all(child)
    looks = [getattr(box, name, None) for name in ("layout", "style")]
    box.close()
    for look in filter(None, looks):
        look.close()


def _forget(explorer):
    """Take an explorer out of what IPython remembers: Out, _, __, _12 …"""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        return
    names = shell.user_ns
    for memory in (names["Out"], names, shell.user_ns_hidden):
        for name, kept in list(memory.items()):
            if kept is explorer and str(name).strip("_0123456789") == "":
                memory[name] = None


def _this_run():
    """Return the running cell's id and the id of this run of it."""
    try:
        from IPython import get_ipython

        header = get_ipython().get_parent()
        return header["metadata"].get("cellId"), header["header"]["msg_id"]
    except (AttributeError, ImportError, KeyError):
        return None, None
