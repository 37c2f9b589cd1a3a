"""Write the still pictures: the first one, and those before the explorers.

    python -m helpers.stills

A test compares the committed files with what this makes.
"""

from functools import partial
from pathlib import Path

from helpers.explorers.average import explore_average
from helpers.explorers.budget import explore_budget
from helpers.explorers.decoding import explore_decoding
from helpers.explorers.grouped import explore_grouped
from helpers.explorers.learned_heads import explore_learned_heads
from helpers.explorers.ledger import explore_ledger
from helpers.explorers.map_reading import explore_map
from helpers.explorers.multi_head import explore_multi_head
from helpers.explorers.playground import explore_playground
from helpers.explorers.real_heads import explore_real_heads
from helpers.explorers.scaling import explore_scaling
from helpers.explorers.study import explore_study
from helpers.explorers.training import explore_training
from helpers.pictures.asked import asked_of
from helpers.pictures.stills import still
from helpers.sentences import HUNGRY, words

FOLDER = Path(__file__).parent.parent / "notebooks" / "images"
EXPLORERS = {
    "00_map_reading.svg": explore_map,
    "01_average.svg": explore_average,
    "02_scaling.svg": explore_scaling,
    "03_budget.svg": explore_budget,
    "03_training.svg": explore_training,
    "03_study_heads.svg": partial(explore_study, "heads"),
    "03_study_three_roles.svg": partial(explore_study, "three roles"),
    "03_study_variants.svg": partial(explore_study, "variants"),
    "03_study_it.svg": partial(
        explore_study, "it in two layers", "P antecedent"
    ),
    "04_main_explorer.svg": explore_multi_head,
    "05_ledger.svg": explore_ledger,
    "06_decoding.svg": explore_decoding,
    "07_grouped_heads.svg": explore_grouped,
    "08_learned_heads.svg": explore_learned_heads,
    "08_study_conversion.svg": partial(
        explore_study, "conversion", "accuracy, 5 %"
    ),
    "08_study_pruning.svg": partial(explore_study, "pruning", "12 removed"),
    "09_real_heads.svg": explore_real_heads,
    "10_playground.svg": explore_playground,
}
FIRST = "00_sentence.svg"
ASKED = {2: ("who ate?", "what was eaten?"), 6: ("who is it?",)}


def stills():
    """Return {file name: SVG}: every explorer's default setting, and FIRST."""
    return {FIRST: first_picture()} | {
        name: explorer().portrait()[0] for name, explorer in EXPLORERS.items()
    }


def first_picture():
    """Draw the running sentence and its three questions, no answer."""
    said = f"{HUNGRY}: nine words, from 0 to 8. Two of them ask something."
    return still(asked_of(words(HUNGRY), ASKED, said), description=said)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, svg in stills().items():
        (FOLDER / name).write_text(svg + "\n", encoding="utf-8", newline="\n")
        print(f"wrote {FOLDER / name}")
