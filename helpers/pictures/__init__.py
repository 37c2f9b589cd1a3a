"""Pictures as text: arrays and ledgers become SVG and HTML strings.

    text      escaping, short labels, numbers, tables
    colours   the colour tables
    maps      attention maps: a page of heads, and their average
    map_cells, map_labels    one map, and what stands around it
    one_map   one map alone, without the average beside it
    head_wall a wall of small maps, one a head, and one of them large
    layer_maps, role_bars    heads of several layers, and their scores
    pixels    large maps: one pixel a weight
    bars      FLOPs as bars
    amounts   measured amounts as bars, with their spread
    budgets   what a row spends, and the errors that are left
    plane     points, arrows and a hull on a plane
    curves    curves and bars of a quantity, with axes
    shares    one map with the sum of each row
    stills    the same pictures where nothing runs

A string is ready in about a millisecond, stays sharp on a projector, and
holds real text. All that a reader types is escaped in `text` and only there.
"""
