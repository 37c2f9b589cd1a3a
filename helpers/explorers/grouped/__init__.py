"""The dial n_kv: many heads of keys and values, some, or one.

explorer   the controls and the loop
layer      what is computed: the heads of the sentence
views      what is shown: wiring, maps, bytes, work
"""

from helpers.explorers.grouped.explorer import explore_grouped

__all__ = ["explore_grouped"]
