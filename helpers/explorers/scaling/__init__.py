"""What the scale is for, and what a mask does: one head, two pictures.

explorer   the controls and the loop
tables     what is computed: rows at each d_k once, and masked maps
views      what is shown: curves, bars, a map, tables, sentences
"""

from helpers.explorers.scaling.explorer import explore_scaling

__all__ = ["explore_scaling"]
