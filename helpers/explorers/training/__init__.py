"""The training explorer: try to make one head win.

explorer   the controls and the loop
setting    what is trained, and what it costs
runs       one training in slices, and what it leaves
lessons    what an attempt teaches, judged by what was measured
shipped    the two runs it opens with
attempts   the table of attempts
views      what is shown: pictures, tables, sentences
"""

from helpers.explorers.training.explorer import explore_training

__all__ = ["explore_training"]
