"""Where attention sits: one block of a transformer, as a picture."""

from helpers.pictures.text import FAINT, FONT, INK, PAPER, escape
from helpers.sizes import whole

WIDTH, HEIGHT = 760, 190
STREAM_Y, SIDE_Y, BOX = 150, 28, 44
# left and right edge of each box of the two branches, and what it says
BRANCHES = (
    (
        60,
        ((84, 154, "norm", PAPER), (174, 324, "attention, W_O", "#F0A35E")),
        348,
    ),
    (408, ((432, 502, "norm", PAPER), (522, 652, "MLP", "#BCC6CF")), 676),
)


def block_picture(description, d_model=None):
    """Draw one block: a stream of sums, and two branches that add to it.

    Parameters
    ----------
    description : str
        What a reader who does not see the picture is told.
    d_model : int, optional
        Width of the stream, to be written on it.

    Returns
    -------
    str
        An <svg>, 760 x 190.

    Source: the order "norm, then layer, then add" of GPT-2 and Llama; in
    Vaswani et al. (2017) the norm stands behind the sum.
    """
    width = "" if d_model is None else f" = {whole('d_model', d_model):,}"
    branches = "".join(_branch(*branch) for branch in BRANCHES)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="14" '
        f'fill="{INK}" aria-label="{escape(description)}">'
        f'<path d="M8 {STREAM_Y}H738" stroke="{INK}" stroke-width="3"/>'
        f'<path d="M736 {STREAM_Y - 7}l14 7l-14 7z"/>'
        f"{branches}"
        f'<text x="8" y="{HEIGHT - 10}" fill="{FAINT}">residual '
        f"connection: (N, d_model{width}) goes in, the same shape comes out"
        f"</text></svg>"
    )


def _branch(start, boxes, end):
    middle = SIDE_Y + BOX / 2
    drawn = "".join(_box(*box) for box in boxes)
    return (
        f'<circle cx="{start}" cy="{STREAM_Y}" r="4"/>'
        f'<path d="M{start} {STREAM_Y}V{middle}H{end}V{STREAM_Y - 12}" '
        f'fill="none" stroke="{INK}" stroke-width="1.5"/>'
        f"{drawn}"
        f'<circle cx="{end}" cy="{STREAM_Y}" r="12" fill="{PAPER}" '
        f'stroke="{INK}" stroke-width="1.5"/>'
        f'<path d="M{end - 7} {STREAM_Y}h14M{end} {STREAM_Y - 7}v14" '
        f'stroke="{INK}" stroke-width="2"/>'
    )


def _box(left, right, said, fill):
    ink = INK if fill == PAPER else "#000"
    return (
        f'<rect x="{left}" y="{SIDE_Y}" width="{right - left}" '
        f'height="{BOX}" rx="4" fill="{fill}" stroke="{INK}"/>'
        f'<text x="{(left + right) / 2}" y="{SIDE_Y + BOX / 2 + 5}" '
        f'text-anchor="middle" fill="{ink}">{escape(said)}</text>'
    )
