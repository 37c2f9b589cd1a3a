"""Pictures for places where nothing runs: files, exports, GitHub."""

import base64
import re

from helpers.pictures.text import escape

_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)" width="100%"')


def still(*svgs, description):
    """Set SVGs one below the other on white, as one SVG of fixed size.

    Parameters
    ----------
    *svgs : str
        From `maps` or `bars`.
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg> that needs no page around it.
    """
    sizes = [tuple(map(int, _SIZE.search(svg).groups())) for svg in svgs]
    width = max(wide for wide, _ in sizes)
    parts, y = [], 0
    for svg, (wide, high) in zip(svgs, sizes, strict=True):
        placed = f'viewBox="0 0 {wide} {high}" y="{y}" width="{wide}" '
        parts.append(_SIZE.sub(placed + f'height="{high}"', svg, count=1))
        y += high
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width} {y}" width="{width}" height="{y}" '
        f'aria-label="{escape(description)}">'
        f'<path fill="#fff" d="M0 0h{width}v{y}h-{width}z"/>'
        f"{''.join(parts)}</svg>"
    )


def image(svg, description):
    """Return an <img> that shows `svg` where scripts and kernels are off.

    A bare <svg> is stripped from an untrusted notebook; an image is not.
    """
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return (
        f'<img alt="{escape(description)}" style="max-width:100%" '
        f'src="data:image/svg+xml;base64,{data}">'
    )
