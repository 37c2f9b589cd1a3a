"""The explorer of trained heads: when they appear, and what they are for.

explorer   the controls and the loop
trials     what is computed: one forward pass with some heads removed
history    the shipped models of one training, and its curves
views      what is shown: pictures and the table
words      the same in sentences
"""

from helpers.explorers.learned_heads.explorer import explore_learned_heads

__all__ = ["explore_learned_heads"]
