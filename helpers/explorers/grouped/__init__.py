"""The dial n_kv: many heads of keys and values, some, or one.

explorer   the controls and the loop
layer      what is computed: the heads of the sentence
views      what is shown of heads: wiring, maps, sentences
amounts    what is shown of bytes and work: bars, the table
"""

from helpers.explorers.grouped.explorer import explore_grouped

__all__ = ["explore_grouped"]
