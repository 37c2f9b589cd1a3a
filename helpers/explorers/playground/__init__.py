"""The playground: every control in one place, for lectures and questions.

explorer   the loop, and what stands where
desk       the controls, and what one does to others
kinds      which heads fit which sentence, and the sizes that are theirs
layer      what is computed: maps, counted FLOPs, a trained model's answers
views      what is shown: pictures, tables, sentences
"""

from helpers.explorers.playground.explorer import explore_playground

__all__ = ["explore_playground"]
