"""The questions of notebook 09: what may be concluded from a real head."""

from helpers.questions.question import Choice, Question

CONCLUDE = (
    Question(
        'Head 4-2 moves from "cat" to "fish" when hungry becomes tasty. What '
        "may be concluded?",
        (
            Choice(
                "The model understands who is hungry",
                "With the roles reversed it still picks the animal, and with "
                "two animals it picks about as a coin does. Understanding "
                "would follow the roles.",
            ),
            Choice(
                'In this head, the row of "it" depends on which noun the '
                "adjective fits",
                "That is what 60 pairs show, which differ in the adjective "
                "alone. It names the head, the row and the cue, and no more.",
            ),
            Choice(
                "The fourth layer resolves pronouns in language models",
                "One head of one encoder was asked, in one kind of sentence. "
                "Another model has other heads.",
            ),
        ),
        right=1,
        answered_in="09",
    ),
    Question(
        "A head is right in 81 % of 160 sentences, and in 81 % of the half "
        "that did not choose it. Does it know the relation?",
        (
            Choice(
                "Yes: held-out sentences protect against a lucky choice",
                "Against luck, yes. But both halves come from the same eight "
                "templates, and what is common to them is held out from "
                "neither.",
            ),
            Choice(
                "Yes, if it beats the best fixed offset too",
                "6-12 does beat it on the templates. In other sentences it "
                "falls below.",
            ),
            Choice(
                "Not shown: ask it in sentences of another make",
                "On 24 sentences by hand 6-12 finds the object in a bit more "
                "than a third, less than a fixed offset does.",
            ),
        ),
        right=2,
        answered_in="09",
    ),
    Question(
        'In 3-2 the row of "it" is dark at the adjective. Hide the adjective '
        "there, and 4-2 does not mind. So?",
        (
            Choice(
                "4-2 does not need what 3-2 brings; 3-2 may serve others",
                "A weight says what is read. What is done with it, only a "
                "change can tell, and here only for one reader: 4-2.",
            ),
            Choice(
                "3-2 does nothing",
                "Only one reader was asked, 4-2. Other heads and the MLP may "
                "use what 3-2 writes.",
            ),
            Choice(
                "The map of 3-2 is wrong",
                "The map is exact: the weight is there. It is the conclusion "
                "from weight to use that does not hold.",
            ),
        ),
        right=0,
        answered_in="09",
    ),
    Question(
        'You move the state of "it" from the tasty run into the hungry run, '
        "before layer 4. Now 4-2 picks the fish. What does it add to hiding?",
        (
            Choice(
                "Nothing: both break something",
                "Hiding shows that it does not work without. Patching breaks "
                "nothing: it brings the other answer.",
            ),
            Choice(
                "It shows that the other words play no part",
                "4-2 still reads the keys of both nouns; they were left as "
                "they were. What moved is the query.",
            ),
            Choice(
                'That one row is enough: the cue is in the state of "it"',
                "All other rows are still those of hungry. The one vector of "
                "384 numbers carries the cue that decides.",
            ),
        ),
        right=2,
        answered_in="09",
    ),
    Question(
        'In the causal model, the row of "it" is the same for hungry and '
        "tasty. Why?",
        (
            Choice(
                "The model has no head for pronouns",
                "A head may do as it likes: in all of them, the rows are "
                "equal to the last bit. What differs has not come yet.",
            ),
            Choice(
                'The adjective comes after "it", and no row sees ahead',
                "A causal row depends on the words up to its own. The flip "
                "can first be seen in the row of the adjective.",
            ),
            Choice(
                "The model is too small for it",
                "The mask is the same in the largest causal model. There "
                "too, nothing from behind can reach the row.",
            ),
        ),
        right=1,
        answered_in="09",
    ),
)
