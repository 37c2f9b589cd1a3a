"""The ledger explorer: what one head, h heads and h full-width heads cost.

explorer   the controls and the loop
clock      the panel that measures time
timing     what is measured, in short runs
views      what is shown: pictures, tables, sentences
"""

from helpers.explorers.ledger.explorer import explore_ledger

__all__ = ["explore_ledger"]
