"""One attention map alone, without the average beside it."""

import re

from helpers.pictures.maps import HEIGHT, attention_maps

CUT = 452  # where the one map ends
_FRAME = re.compile(r'viewBox="[^"]*" width="100%" style="[^"]*"')


def one_map(attn, tokens, description, visible=None, chosen=None):
    """Draw the map of one head.

    Parameters
    ----------
    attn : array (N, N)
    tokens, description, visible, chosen
        As in `maps.attention_maps`.

    Returns
    -------
    str
        An <svg>, 452 x 442.
    """
    svg = attention_maps(
        attn[None], tokens, description, visible=visible, chosen=chosen
    )
    frame = (
        f'viewBox="0 0 {CUT} {HEIGHT}" width="100%" style="max-width:{CUT}px"'
    )
    return _FRAME.sub(frame, svg, count=1)
