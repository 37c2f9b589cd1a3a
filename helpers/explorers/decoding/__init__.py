"""Decoding token by token: with a cache, and without one.

explorer   the controls, the loop, and playing
layer      what is computed: both ways, counted while they run
views      what is shown: pictures, tables, sentences
"""

from helpers.explorers.decoding.explorer import explore_decoding

__all__ = ["explore_decoding"]
