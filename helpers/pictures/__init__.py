"""Pictures as text: arrays and ledgers become SVG and HTML strings.

    text      escaping, short labels, numbers, tables, a picture as an image
    colours   the colour tables
    maps      attention maps
    bars      FLOPs as bars

A string is ready in about a millisecond, stays sharp on a projector, and
holds real text. All that a reader types is escaped in `text` and only there.
"""
