"""Which key/value head each query head reads, as a wiring diagram."""

from helpers.choice_rules import several
from helpers.pictures.text import FAINT, FONT, INK, escape
from helpers.sizes import whole

MOST = 10_000  # heads of a picture
WIDTH, HEIGHT = 980, 168
LEFT, RIGHT = 116, 972
QUERY_Y, READS_Y, KV_Y = 18, 58, 128
BOX = 24
READABLE = 17  # a box narrower than this has no room for a number

# Fill and line of a key/value head; from the ninth head on they come again,
# so the number is what tells heads apart. Black text is legible on each
# fill. Source: Paul Tol's "light" scheme, whose hues are told apart with
# the common kinds of colour blindness; the lines are the same, darker.
KV_COLOURS = (
    ("#77AADD", "#4C7FB3"),
    ("#EE8866", "#C0603F"),
    ("#44BB99", "#2E8A70"),
    ("#EEDD88", "#A8932F"),
    ("#FFAABB", "#C76B80"),
    ("#99DDFF", "#5BA3C9"),
    ("#BBCC33", "#8A981D"),
    ("#CCBBEE", "#8E78BD"),
)


def wiring(order, description, n_kv=None):
    """Draw h query heads above n_kv key/value heads, and who reads whom.

    Heads count from 0, as in the code: head i reads head `order[i]`.

    Parameters
    ----------
    order : sequence of int (h,)
        0, 0, 1, 1 for four query heads on two key/value heads.
    description : str
        What a reader who does not see the picture is told.
    n_kv : int, optional
        Key/value heads; max(order) + 1 if left out.

    Returns
    -------
    str
        An <svg>, 980 x 168 at any number of heads.

    Raises
    ------
    ValueError
        If `order` is empty, or names a head that is not there.
    """
    order = several("order", order, "whole numbers")
    order = tuple(whole("order", i, -MOST, MOST) for i in order)
    if n_kv is None:
        n_kv = max(order, default=-1) + 1
    else:
        n_kv = whole("n_kv", n_kv, 1, MOST)
    if not order or min(order) < 0 or max(order) >= n_kv:
        raise ValueError(
            f"order must name key/value heads 0 to {n_kv - 1}: got "
            f"{order[:8]}{'…' if len(order) > 8 else ''}."
        )
    queries, kvs = _middles(len(order)), _middles(n_kv)
    wide = _width(len(order))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">',
        _label("query heads", QUERY_Y + 16),
        _label("read", READS_Y, FAINT) if wide >= READABLE else "",
        _label("key/value heads", KV_Y + 16),
    ]
    for head, (x, kv) in enumerate(zip(queries, order, strict=True)):
        parts.append(
            f'<path d="M{x:.1f} {READS_Y + 5}'
            f'L{kvs[kv]:.1f} {KV_Y}" fill="none" stroke="{_colours(kv)[1]}" '
            f'stroke-width="{min(2, wide / 4):.2f}"/>'
        )
        said = f"query head {head} reads key/value head {kv}"
        parts.append(_box(x, QUERY_Y, wide, kv, said))
    for kv, x in enumerate(kvs):
        readers = order.count(kv)
        said = f"key/value head {kv}, read by {readers}"
        parts.append(_box(x, KV_Y, min(_width(n_kv), 64), kv, said))
    parts.append(_numbers(queries, range(len(order)), QUERY_Y + 16, wide))
    if wide >= READABLE:
        parts.append(_numbers(queries, order, READS_Y, wide, FAINT))
    parts.append(_numbers(kvs, range(n_kv), KV_Y + 16, _width(n_kv)))
    parts.append("</svg>")
    return "".join(parts)


def _middles(heads):
    pitch = (RIGHT - LEFT) / heads
    return [LEFT + (head + 0.5) * pitch for head in range(heads)]


def _width(heads):
    pitch = (RIGHT - LEFT) / heads
    return min(pitch * 0.82, 64)


def _colours(kv):
    return KV_COLOURS[kv % len(KV_COLOURS)]


def _label(text, y, fill=INK):
    return (
        f'<text x="{LEFT - 10}" y="{y}" text-anchor="end" fill="{fill}">'
        f"{text}</text>"
    )


def _box(x, y, width, kv, said):
    fill, line = _colours(kv)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y}" width="{width:.1f}" '
        f'height="{BOX}" fill="{fill}" stroke="{line}"><title>{said}</title>'
        f"</rect>"
    )


def _numbers(middles, numbers, y, width, fill="#000"):
    """Print the numbers that have room: all, or every second, fifth, …"""
    step = next(s for s in (1, 2, 4, 8, 16, 32) if width * s >= READABLE)
    shown = zip(middles, numbers, strict=True)
    beside = step > 1  # below small boxes, in ink; inside large ones, black
    texts = "".join(
        f'<text x="{x:.1f}" y="{y + 20 if beside else y}">{number}</text>'
        for place, (x, number) in enumerate(shown)
        if place % step == 0
    )
    return (
        f'<g font-size="11" text-anchor="middle" pointer-events="none" '
        f'fill="{INK if beside else fill}">{texts}</g>'
    )
