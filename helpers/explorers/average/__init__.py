"""One query on a plane: weights from keys, an average of values.

explorer   the controls and the loop
scene      the words' keys and values, and what is computed
views      what is shown: planes, bars, a table, sentences
"""

from helpers.explorers.average.explorer import explore_average

__all__ = ["explore_average"]
