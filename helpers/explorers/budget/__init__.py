"""The budget explorer: what a row can spend, and what that leaves wrong.

explorer   the controls and the loop
rows       what is computed: rows, errors, outputs
views      what is shown: pictures, tables, sentences
"""

from helpers.explorers.budget.explorer import explore_budget

__all__ = ["explore_budget"]
