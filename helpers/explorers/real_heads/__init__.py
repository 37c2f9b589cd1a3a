"""The explorer of a real encoder's heads: 72 maps, their scores, a circuit.

explorer   the loop, and what stands where
desk       the controls, and what follows a text
heads      what is computed: maps of a sentence, a circuit with a key hidden
places     names of heads; which sentence stands beside which
scoring    the shipped scores, each with what it must be compared with
views      what is shown: pictures and tables
words      the same in sentences
"""

from helpers.explorers.real_heads.explorer import explore_real_heads

__all__ = ["explore_real_heads"]
