"""The study explorer: shipped results, and the same run again here.

explorer   the controls and the loop
results    numbers by row and column, and how they are gathered
views      what is shown: picture, table, sentences
"""

from helpers.explorers.study.explorer import explore_study

__all__ = ["explore_study"]
