"""The main explorer: how many heads, how wide, and what it costs.

explorer   the controls and the loop
layer      what is computed: weights, maps, counted FLOPs
views      what is shown: pictures, tables, sentences
"""

from helpers.explorers.multi_head.explorer import explore_multi_head

__all__ = ["explore_multi_head"]
