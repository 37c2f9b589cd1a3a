"""A clock that counts up to a given time, second by second."""

import asyncio
import time

SOON = 0.02  # seconds behind a full second, so that it has surely passed


class Clock:
    """Counts seconds up to an end, as a task of the running event loop.

    Where no loop runs nothing ticks: the time that has passed is right all
    the same, whenever it is read.

    Parameters
    ----------
    seconds : int
        Where it ends.
    on_tick : callable
        Called without arguments at each full second, and at the end.
    now : callable
        Returns seconds; a test brings its own.
    """

    def __init__(self, seconds, on_tick, now=time.monotonic):
        self.seconds = seconds
        self._on_tick, self._now = on_tick, now
        self._began = self._task = None
        self._passed = 0

    @property
    def running(self):
        """True from start to stop, or to the end."""
        return self._began is not None

    @property
    def ticks(self):
        """True while a task moves it."""
        return self._task is not None

    @property
    def passed(self):
        """Full seconds since the start, never more than `seconds`."""
        if self.running:
            self._passed = min(int(self._now() - self._began), self.seconds)
        return self._passed

    def start(self):
        """Begin again at 0."""
        self.stop()
        self._began, self._passed = self._now(), 0
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._task = loop.create_task(self._run())

    def stop(self):
        """Stand still; what has passed stays."""
        self._passed = self.passed
        task, self._task, self._began = self._task, None, None
        if task is not None:
            task.cancel()

    async def _run(self):
        while self.passed < self.seconds:
            done = self._now() - self._began
            await asyncio.sleep(1 - done % 1 + SOON)
            if self.passed < self.seconds:
                self._on_tick()
        self._task = self._began = None
        self._on_tick()


def minutes(seconds):
    """Write seconds as on a clock: 2:05."""
    return f"{seconds // 60}:{seconds % 60:02}"
