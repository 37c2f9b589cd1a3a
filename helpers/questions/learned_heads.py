"""The questions of notebook 08: what a label claims, what would refute it."""

from helpers.questions.question import Choice, Question

FALSIFY = (
    Question(
        "You call a head an induction head. Which finding would refute you?",
        (
            Choice(
                "Another head has a higher induction score",
                "Two heads can share a role: the model trained here often "
                "has two. That one is better does not make the other none.",
            ),
            Choice(
                "On copies of other lengths it still looks 7 places back",
                "Then it follows the distance, not the words. On the one "
                "length you had looked at, both are the same.",
            ),
            Choice(
                "Some of its rows spread their weight evenly",
                "A row whose token is new has nothing to find, and has to "
                "spend its 1.0 somewhere. The label speaks of other rows.",
            ),
        ),
        right=1,
        answered_in="08",
    ),
    Question(
        "You say the model needs this head to repeat. What tests that?",
        (
            Choice(
                "Its role score, on many sentences",
                "A score says where a head looks. Whether anything is done "
                "with what it brings, the score can't know.",
            ),
            Choice(
                "How dark its map is",
                "A sharp row may rest on the first token. Sharp is not "
                "needed, and not even used.",
            ),
            Choice(
                "The loss after the head is taken out",
                "If the loss stays, the model did without it. That is the "
                "finding that could prove you wrong.",
            ),
        ),
        right=2,
        answered_in="08",
    ),
    Question(
        "One head is taken out and the loss hardly moves. So the head does "
        "nothing?",
        (
            Choice(
                "Not proved: another head may stand in for it",
                "Take both out. Two heads with one role often hide each "
                "other: each alone costs little, the pair costs much.",
            ),
            Choice(
                "Yes: the loss is what counts",
                "It says that this head alone is not missed while all the "
                "others are there. Pairs can tell another story.",
            ),
            Choice(
                "Yes, if its map is pale too",
                "A pale map averages over many tokens, and an average can "
                "be used. Test it by taking out, alone and in pairs.",
            ),
        ),
        right=0,
        answered_in="08",
    ),
    Question(
        "A head finds the noun of a determiner in 60 of 100 cases. What do "
        "you ask first?",
        (
            Choice(
                "Whether 60 is above one half",
                "A half is chance only between two choices. Here a head "
                "chooses among all the words of a sentence.",
            ),
            Choice(
                "How often 'one place on' finds it",
                "The noun often stands next. A head has learnt something "
                "about nouns only if it beats the best fixed distance.",
            ),
            Choice(
                "In which layer the head stands",
                "Good to know, and no test: it does not say what 60 in 100 "
                "are worth.",
            ),
        ),
        right=1,
        answered_in="08",
    ),
)
