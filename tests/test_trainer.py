"""What explorers that train share: a Stop, a progress bar, one end."""

import asyncio

import pytest

from helpers.explorers.trainer import Trainer
from helpers.learn.training import TrainingError
from tests.explorers import until

PARTS = 7


class Tiny(Trainer):
    """Counts to PARTS, and notes how each training ends."""

    def __init__(self):
        super().__init__()
        self._make_stop("Stop it", "done", PARTS)
        self.children = (self.stop, self.progress, self.message.widget)
        self.ends = []

    def _ended(self, came_to_end):
        self.ends.append((came_to_end, self._problem))


@pytest.fixture
def trainer():
    return Tiny()


def counting(trainer, problem=None):
    """Count in slices; raise `problem`, if there is one, on the way."""
    for part in range(1, PARTS + 1):
        trainer.progress.value = part
        if problem is not None and part == 3:
            raise problem
        yield


def trained(trainer, loop, problem=None):
    """Train to the end, in an event loop or without one."""

    async def use():
        trainer._train(counting(trainer, problem))
        await until(lambda: not trainer.slices.running)

    if loop:
        asyncio.run(use())
    else:
        trainer._train(counting(trainer, problem))


each_way = pytest.mark.parametrize("loop", (False, True))


def test_before_a_start_there_is_nothing_to_stop(trainer):
    assert trainer.stop.disabled
    assert trainer.progress.value == 0 and trainer.progress.max == PARTS


@each_way
def test_a_training_comes_to_its_end(trainer, loop):
    trained(trainer, loop)
    assert trainer.ends == [(True, "")]
    assert trainer.progress.value == PARTS


@each_way
def test_a_loss_that_runs_away_is_the_readers_to_mend(trainer, loop):
    trained(trainer, loop, TrainingError("too fast"))
    assert trainer.ends == [(True, "too fast")]


def test_a_failure_is_said_by_its_name(trainer):
    trained(trainer, True, ZeroDivisionError("planted"))
    with pytest.raises(ZeroDivisionError):
        trained(trainer, False, ZeroDivisionError("planted"))
    said = "The course's own code failed (ZeroDivisionError: planted)."
    assert trainer.ends == [(False, said)] * 2


@each_way
def test_a_training_does_not_say_what_went_wrong_in_the_last(trainer, loop):
    trained(trainer, loop, TrainingError("too fast"))
    trained(trainer, loop)
    assert [problem for _, problem in trainer.ends] == ["too fast", ""]


@each_way
def test_progress_begins_anew(trainer, loop):
    trained(trainer, loop)
    trainer.progress.bar_style = "success"
    seen = []

    def looking():
        seen.append((trainer.progress.value, trainer.progress.bar_style))
        yield

    async def use():
        trainer._train(looking())
        await until(lambda: not trainer.slices.running)

    asyncio.run(use())
    assert seen == [(0, "")]


def test_stop_ends_it_between_two_slices(trainer):
    async def use():
        trainer._train(counting(trainer))
        assert not trainer.stop.disabled
        await until(lambda: trainer.progress.value > 1)
        trainer.stop.click()
        reached = trainer.progress.value
        for _ in range(5):
            await asyncio.sleep(0.005)
        assert trainer.progress.value == reached < PARTS

    asyncio.run(use())
    assert trainer.ends == [(False, "")]


def test_closing_ends_the_training_and_the_explorer(trainer):
    async def use():
        trainer._train(counting(trainer))
        trainer.close()
        await asyncio.sleep(0.02)

    asyncio.run(use())
    assert trainer.ends == [(False, "")] and not trainer.slices.running
    assert trainer.progress.value == 0 and trainer.comm is None


def test_what_could_not_start_can_be_closed():
    class Unable(Trainer):
        """Is closed before it has made its stop."""

    unable = Unable()
    unable.close()
    assert unable.comm is None
