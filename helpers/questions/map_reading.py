"""Five cells of one map, and what each of them says (notebook 00)."""

from dataclasses import dataclass

from helpers.questions.question import Choice, Question


@dataclass(frozen=True)
class Cell:
    """A cell of the map, and the question about it.

    `query` and `key` are places in the sentence HUNGRY, from 0.
    """

    query: int
    key: int
    causal: bool
    question: Question


CELLS = (
    Cell(
        6,
        1,
        False,
        Question(
            "Row “it”, column “cat”: 1.0. What does it say?",
            (
                Choice(
                    "“cat” looks at “it”.",
                    "Rows look, columns are looked at. This reads the map "
                    "the wrong way round.",
                ),
                Choice(
                    "“it” looks at “cat”, and at nothing else.",
                    "The row is the query “it”. It spends its whole 1.0 on "
                    "the key “cat”, so the rest of the row is 0.",
                ),
                Choice(
                    "Every word looks at “cat”.",
                    "That would be a dark column from top to bottom. One "
                    "cell speaks of one row only.",
                ),
            ),
            right=1,
        ),
    ),
    Cell(
        1,
        6,
        False,
        Question(
            "The mirror cell, row “cat”, column “it”, is pale: 0.11. Why is "
            "it not 1.0 too?",
            (
                Choice(
                    "A map has a direction: “cat” has a row of its own.",
                    "Row “cat” is another query with another softmax. This "
                    "head wants nothing there, so each of nine keys gets "
                    "1/9 = 0.11.",
                ),
                Choice(
                    "The picture is wrong: a map is symmetric.",
                    "Queries and keys come from two different matrices, so "
                    "a map need not be symmetric, and this one is not.",
                ),
                Choice(
                    "“it” has spent its 1.0, and nothing is left for “cat”.",
                    "This takes the map for one purse. Each row has 1.0 of "
                    "its own, whatever the others spend.",
                ),
            ),
            right=0,
        ),
    ),
    Cell(
        2,
        4,
        False,
        Question(
            "Row “ate” holds .50 at “cat” and .50 at “fish”. What is left "
            "for its other seven words?",
            (
                Choice(
                    "0.11 each, as in the rows around it.",
                    "Then the row would sum to 1.77. A row has 1.0 to "
                    "spend, and this one has spent it.",
                ),
                Choice(
                    "It can't be told from two cells.",
                    "It can: a row sums to 1, no weight is below 0, and "
                    ".50 + .50 is 1.",
                ),
                Choice(
                    "Nothing: a row sums to 1.",
                    "Two cells have taken all of it. So a head that wants "
                    "two words gives each of them less.",
                ),
            ),
            right=2,
        ),
    ),
    Cell(
        5,
        1,
        False,
        Question(
            "Row “because” is pale all along: nine times 0.11. What did this "
            "head find for “because”?",
            (
                Choice(
                    "A little of every word: it is sure about all nine.",
                    "Equal weights are what a softmax makes of equal scores. "
                    "They are no sign of interest.",
                ),
                Choice(
                    "Nothing: all scores are equal, and the 1.0 has to go "
                    "somewhere.",
                    "A softmax can't give 0 to every key. Where a head wants "
                    "nothing, its 1.0 is spread out evenly: 1/9 = 0.11.",
                ),
                Choice(
                    "The word “because” is switched off: it gives nothing.",
                    "It still takes an average of all nine values, and that "
                    "average goes on to the next step.",
                ),
            ),
            right=1,
        ),
    ),
    Cell(
        2,
        4,
        True,
        Question(
            "Now a causal mask is on. Row “ate”, column “fish” has a stroke, "
            "and “cat” has 1.0. What happened?",
            (
                Choice(
                    "The head has learned that “cat” matters more.",
                    "Nothing was learned: the matrices are the same. Only "
                    "the keys that may be seen have changed.",
                ),
                Choice(
                    "“fish” got the weight 0 because its score is small.",
                    "Its score is as large as that of “cat”. The stroke says "
                    "hidden: the score is left out before the softmax.",
                ),
                Choice(
                    "“fish” comes later, so it is hidden, and “cat” gets "
                    "its share.",
                    "Under a causal mask a word sees itself and what came "
                    "before. The 1.0 is shared out among those alone.",
                ),
            ),
            right=2,
        ),
    ),
)
