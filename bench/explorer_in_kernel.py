"""The part of bench.explorer that runs inside a kernel."""

import json
import time
from functools import partial

import ipywidgets as widgets
import matplotlib.pyplot as plt
from IPython import get_ipython
from IPython.display import display
from matplotlib.patches import Rectangle

from helpers.cost import flops, one_head
from helpers.explorers.multi_head import explore_multi_head, views

__all__ = [
    "display",
    "drag",
    "explorer",
    "kept_figure",
    "measure",
    "new_figures",
]

explorer = explore_multi_head()
_sent = [0]


def _count_bytes(session):
    serialize = session.serialize

    def counted(*args, **kwargs):
        parts = serialize(*args, **kwargs)
        _sent[0] += sum(len(part) for part in parts)
        return parts

    session.serialize = counted


_count_bytes(get_ipython().kernel.session)


def timed(change):
    """Return the main thread's seconds and the bytes sent for `change`."""
    _sent[0] = 0
    start = time.thread_time()
    change()
    return time.thread_time() - start, _sent[0]


def figure_for(h):
    """Return a new figure, and its axes: h maps, their average, the bars."""
    columns = h // 2 + 1
    fig = plt.figure(figsize=(2.1 * columns, 6.4))
    grid = fig.add_gridspec(3, columns, height_ratios=(3, 3, 1))
    maps = [grid[divmod(head, h // 2)] for head in range(h)]
    places = [*maps, grid[0, -1], grid[2, :]]
    return fig, [fig.add_subplot(place) for place in places]


def fill(axes, state, result):
    """Show in `axes` what the explorer shows; change what is there already."""
    *maps, average, bars = axes
    outlines = views.outlines(state, result)
    for head, ax in enumerate(maps):
        title = f"head {head + 1}"
        _map(ax, state, result.attn[head], title, outlines[head])
    _map(average, state, result.attn.mean(axis=0), "average", ())
    if not bars.patches:  # no move that is measured changes a FLOP
        for row, layer in enumerate((one_head(state.sizes), state.sizes)):
            left = 0
            for count in flops(state.ledger_N, layer).as_dict().values():
                bars.barh(row, count, left=left)
                left += count
    print(views.cell_in_words(state, result))


def _map(ax, state, shares, title, outlines):
    N = state.N
    if ax.images:
        ax.images[0].set_data(shares)
        for old in (*ax.texts, *ax.patches):
            old.remove()
    else:
        ax.imshow(shares, cmap="bone_r", vmin=0, vmax=1)
        ax.set_xticks(range(N), state.tokens, rotation=52, fontsize=7)
        ax.set_yticks(range(N), state.tokens, fontsize=7)
        ax.set_title(title, fontsize=8)
    for q, k in zip(*(shares >= max(0.15, 1.5 / N)).nonzero(), strict=True):
        ax.text(k, q, f"{shares[q, k]:.2f}", fontsize=6, ha="center")
    cells = [(o.number, cell) for o in outlines for cell in o.cells]
    for number, (q, k) in [*cells, (7, state.chosen)]:
        ax.add_patch(
            Rectangle(
                (k - 0.5, q - 0.5), 1, 1, fill=False, edgecolor=f"C{number}"
            )
        )


def new_figures(h):
    """Return a move of `interact`: each turn draws a new figure."""

    def redraw(turn):
        state = explorer.read()
        _, axes = figure_for(h)
        fill(axes, state, explorer.compute(state))
        plt.show()

    peer = widgets.interactive(redraw, turn=(0, 99))
    display(peer)
    return lambda turn: setattr(peer.children[0], "value", turn)


def kept_figure(h):
    """Return a move of ipympl: one figure, whose contents are changed."""
    state = explorer.read()
    fig, axes = figure_for(h)
    fill(axes, state, explorer.compute(state))
    display(fig.canvas)

    def redraw(turn):
        state = explorer.read()
        fill(axes, state, explorer.compute(state))
        fig.canvas.draw()  # and the picture's changes are sent

    return redraw


def measure(h, peer):
    """Print updates, changes of h, and the peer's updates, timed."""
    explorer.causal.value = False
    explorer.d_model.value, explorer.h.value = 512, h
    relation = explorer.relations["same word"]

    def move():
        relation.value = not relation.value  # the whole layer runs again

    def other_h():
        explorer.h.value = 4 if explorer.h.value == h else h

    redraw = peer(h)
    updates, head_changes, peers = [], [], []
    for turn in range(10):
        for _ in range(6):
            updates.append(timed(move))
        for _ in range(2):
            timed(other_h)
            head_changes.append(timed(other_h))
        move()  # an odd number of moves: the peer has something to change
        peers.append(timed(partial(redraw, turn)))
    _print(
        updates=updates[12:],
        head_changes=head_changes[4:],
        peers=[pair for pair in peers[2:] if pair[1] > 0],
        svg=explorer.maps.picture,
    )


def drag(d_model):
    """Change h 30 times, 30 times a second; print how many were drawn."""
    explorer.d_model.value = d_model
    drawn = 0
    begin = time.perf_counter()
    for step in range(30):
        due = begin + step / 30
        while time.perf_counter() < due:
            time.sleep(0.0005)
        before = explorer.maps.picture
        explorer.h.value = (8, 16, 32, 4, 2)[step % 5]
        drawn += explorer.maps.picture != before
    _print(drawn=drawn, last=time.perf_counter() - due)


def _print(**found):
    print("RESULT", json.dumps(found))
