"""Timed cards, follow-ups and the post-test: notebook 11."""

import asyncio

import pytest

from helpers.controls import runs
from helpers.questions.card import Card, FollowUp, Point
from helpers.questions.follow_ups import FOLLOW_UPS
from helpers.questions.judged import ANSWERS, TWELVE
from helpers.questions.pre_test import PRE_TEST
from helpers.questions.said_aloud import ONE_MINUTE, THREE_MINUTES
from helpers.quiz import follow_ups, post_test, pre_test, quiz, timed_card
from helpers.quiz import questions as quiz_questions
from helpers.quiz.cards import AGAIN, START, STOP, TimedCard, summed_up
from helpers.quiz.clock import Clock, minutes

HOSTILE = "<img src=x onerror=alert(1)> $ & \"'"
CARDS = (ONE_MINUTE, THREE_MINUTES)


class Hand:
    """A clock's hand that a test moves."""

    def __init__(self):
        self.seconds = 100.0

    def __call__(self):
        return self.seconds


def small(seconds=5):
    points = (Point("one", "Say one."), Point("two", "Say two."))
    return Card("Explain it.", seconds, ("One, two.",), points)


# --- the clock ----------------------------------------------------------


def test_minutes_are_written_as_on_a_clock():
    assert [minutes(s) for s in (0, 5, 60, 125)] == [
        "0:00",
        "0:05",
        "1:00",
        "2:05",
    ]


def test_the_clock_passes_full_seconds_and_never_the_end():
    hand = Hand()
    clock = Clock(60, lambda: None, hand)
    assert (clock.passed, clock.running) == (0, False)
    clock.start()
    for later, passed in ((0.9, 0), (1.0, 1), (59.9, 59), (75, 60)):
        hand.seconds = 100 + later
        assert clock.passed == passed
    clock.stop()
    hand.seconds = 900
    assert (clock.passed, clock.running) == (60, False)
    clock.start()
    assert clock.passed == 0


def test_in_a_loop_the_clock_ticks_and_ends_by_itself():
    seen = []

    async def run():
        clock = Clock(2, lambda: seen.append((clock.passed, clock.running)))
        clock.start()
        assert clock.ticks
        await asyncio.sleep(2.3)
        return clock

    clock = asyncio.run(run())
    assert seen == [(1, True), (2, False)]
    assert (clock.passed, clock.running, clock.ticks) == (2, False, False)


def test_a_stopped_clock_ticks_no_more():
    seen = []

    async def run():
        clock = Clock(3, lambda: seen.append(clock.passed))
        clock.start()
        await asyncio.sleep(0.1)
        clock.stop()
        await asyncio.sleep(1.2)

    asyncio.run(run())
    assert seen == []


# --- cards --------------------------------------------------------------


def test_a_card_without_a_loop_keeps_the_time_all_the_same():
    hand = Hand()
    card = TimedCard(small(60), now=hand)
    assert card.button.description == START
    assert "Nothing is recorded" in card.message.text
    card.button.click()
    assert card.button.description == STOP
    assert "unseen" in card.message.text
    hand.seconds += 12
    card.button.click()
    assert card.button.description == AGAIN
    assert "after 12 s" in card.message.text
    assert "0:12 of 1:00" in card.face.value


def test_the_end_is_shown_as_the_whole_time():
    hand = Hand()
    card = TimedCard(small(5), now=hand)
    card.button.click()
    hand.seconds += 9
    card.button.click()
    assert "0:05 of 0:05" in card.face.value
    assert "width:100.0%" in card.face.value
    assert card.message.text.startswith("Time is up.")


def test_a_card_in_a_loop_says_so_and_ends():
    async def run():
        card = timed_card(small(1))
        card.button.click()
        assert card.message.text == "Speak. The clock stops by itself."
        await asyncio.sleep(1.3)
        return card

    card = asyncio.run(run())
    assert card.message.text.startswith("Time is up.")
    assert card.button.description == AGAIN


def test_two_cards_have_a_clock_each():
    hand = Hand()
    first, second = (TimedCard(small(), now=hand) for _ in range(2))
    first.button.click()
    hand.seconds += 3
    second.button.click()
    hand.seconds += 1
    first.button.click()
    assert second.clock.running
    second.button.click()
    assert (first.clock.passed, second.clock.passed) == (4, 1)
    first.points[0].value = True
    assert not second.points[0].value


def test_a_cell_that_runs_again_stops_the_old_clock(monkeypatch):
    monkeypatch.setattr(runs, "_RUNS", {})
    here = [("cell", 1)]
    monkeypatch.setattr(runs, "_this_run", lambda: here[0])
    old = timed_card(small())
    other = timed_card(small())  # the same run: both stay
    old.button.click()
    assert old.clock.running
    here[0] = ("cell", 2)
    new = timed_card(small())
    assert not old.clock.running
    assert old.comm is None and other.comm is None
    assert new.message.text


def test_points_are_hidden_until_the_reader_asks():
    card = timed_card(small())
    assert card.rubric.layout.display == "none"
    card.marking.value = True
    assert card.rubric.layout.display is None


def test_a_sentence_sums_up_what_was_said_and_missed():
    points = small().points
    assert "None of the 2" in summed_up(points, (False, False))
    said = summed_up(points, (False, True))
    assert said == "You said 1 of 2 points: two. Missing: one."
    assert summed_up(points, (True, True)) == "You said all 2 points."
    card = timed_card(small())
    card.points[1].value = True
    assert card.message.text == said


def test_marking_does_not_close_the_model_text():
    card = timed_card(small())
    fold = card.children[-1].value
    card.points[0].value = True
    card.button.click()
    assert card.children[-1].value == fold


@pytest.mark.parametrize("card", CARDS, ids=("one", "three"))
def test_a_model_text_can_be_said_in_its_time(card):
    words = len(" ".join(card.model_text).split())
    assert 1.7 < words / card.seconds < 2.7  # 100 to 160 words a minute
    names = [point.name for point in card.points]
    assert len(names) == len(set(names))


def test_hostile_cards_are_shown_literally():
    point = Point(HOSTILE, HOSTILE)
    card = timed_card(Card(HOSTILE, 5, (HOSTILE,), (point,)))
    card.marking.value = True
    card.clock._passed = 1
    card.refresh()
    shown = [card._repr_mimebundle_()["text/html"], card.message.widget.value]
    shown += [c.value for c in card.children[1:] if hasattr(c, "value")]
    for text in shown:
        assert "<img" not in str(text)


# --- follow-ups ---------------------------------------------------------


def test_a_mark_belongs_to_its_question():
    box = follow_ups(FOLLOW_UPS[:3])
    assert "Answer aloud" in box.message.text
    box.mark.value = "not yet"
    box.place.value = 1
    assert box.mark.value is None
    box.mark.value = "all of it"
    box.place.value = 0
    assert box.mark.value == "not yet"
    assert box.message.text == (
        "2 of 3 marked, 1 said. Read again: grouped-query attention (07)."
    )


def test_folds_stay_open_while_one_marks():
    box = follow_ups(FOLLOW_UPS[:2])
    before = box.text.value
    box.mark.value = "half of it"
    assert box.text.value == before
    box.place.value = 1
    assert FOLLOW_UPS[1].question in box.text.value


def test_all_follow_ups_stand_in_the_text_without_a_kernel():
    html = follow_ups(FOLLOW_UPS)._repr_mimebundle_()["text/html"]
    assert html.count("<details") == 3 * len(FOLLOW_UPS) == 39
    asked = FollowUp("topic", "question", "right", "wrong", "because", "04")
    html = follow_ups([asked])._repr_mimebundle_()["text/html"]
    good, wrong, why = html.split("<details")[1:]
    assert "A good answer" in good and "right" in good
    assert "common wrong" in wrong and ">wrong<" in wrong
    assert "Why" in why and "because" in why
    hostile = FollowUp(*[HOSTILE] * 6)
    assert "<img" not in follow_ups([hostile])._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("asked", FOLLOW_UPS, ids=lambda asked: asked.topic)
def test_a_follow_up_has_a_short_answer_and_a_reason(asked):
    assert asked.question.endswith("?")
    assert len(asked.answer.split()) <= 60
    assert asked.wrong.startswith("“")
    assert asked.answer.endswith(".") and asked.because.endswith(".")
    assert asked.answered_in in {f"{n:02}" for n in range(1, 9)}


def test_all_three_answers_occur_among_the_twelve():
    assert len(TWELVE) == 12
    right = [ANSWERS[asked.right] for asked in TWELVE]
    assert {answer: right.count(answer) for answer in ANSWERS} == {
        "true": 4,
        "false": 4,
        "it depends": 4,
    }


def test_short_answers_stand_in_a_row():
    assert "why-column" not in quiz(TWELVE[:1]).asked[0].choice._dom_classes
    assert "why-column" in quiz(PRE_TEST[:1]).asked[0].choice._dom_classes


# --- the post-test ------------------------------------------------------


@pytest.fixture
def no_memory(monkeypatch):
    monkeypatch.setattr(quiz_questions, "_PRE_TESTS", [])


def answer(box, places):
    for asked, place in zip(box.asked, places, strict=True):
        asked.choice.value = place


RIGHT = [asked.right for asked in PRE_TEST]


def test_without_a_memory_the_number_is_entered(no_memory):
    box = post_test()
    assert box.number in box.children
    box.number.value = 2
    assert box.message.text.endswith("Before the course: 2.")
    box.number.value = -1
    answer(box, RIGHT)
    assert box.message.text == "5 of 5 answered, 5 right."
    box.number.value = 2
    assert box.message.text.endswith("Before the course: 2. Now: 5.")


def test_what_this_kernel_has_seen_stands_beside(no_memory):
    first = pre_test()
    answer(first, [0] * 5)
    before = sum(place == 0 for place in RIGHT)
    box = post_test()
    assert box.number not in box.children
    answer(box, RIGHT)
    assert f"Before the course: {before}. Now: 5." in box.message.text
    for asked, question in zip(box.asked, PRE_TEST, strict=True):
        assert asked.verdict.text.endswith(
            f"In 00 you chose: {question.choices[0].text}"
        )


def test_an_unanswered_pre_test_is_no_memory(no_memory):
    pre_test()
    box = post_test()
    assert box.before is None


def test_the_last_pre_test_counts(no_memory):
    answer(pre_test(), RIGHT)
    answer(pre_test(), [1, None, None, None, None])
    assert post_test().before == (1, None, None, None, None)
