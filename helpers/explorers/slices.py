"""Long work in slices, so that a Stop button is heard between them."""

import asyncio

PAUSE = 0.004  # seconds between slices, for the kernel to hear the reader


class Slices:
    """Runs a generator; each step of it is one slice of at most 50 ms.

    Where an event loop runs (in a notebook) the slices are a task. Without
    one they are run at once, so that a test sees what happens.

    Parameters
    ----------
    on_failure : callable
        Called with the exception if a slice fails.
    on_end : callable
        Called with True if the work came to its end, False if it was
        stopped or failed.
    """

    def __init__(self, on_failure, on_end):
        self._on_failure, self._on_end = on_failure, on_end
        self._task = None

    @property
    def running(self):
        """True while slices are still to come."""
        return self._task is not None

    def start(self, steps):
        """Run the generator `steps`, in place of what still runs.

        Raises
        ------
        Exception
            Without an event loop, any failure of a slice: it is said too.
        """
        self.stop()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._run_at_once(steps)
        else:
            self._task = loop.create_task(self._run(steps))

    def stop(self):
        """Stop after the slice that runs now; nothing happens if none does."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            self._on_end(False)

    def _run_at_once(self, steps):
        try:
            for _ in steps:
                pass
        except Exception as error:
            self._on_failure(error)
            self._on_end(False)
            error.was_said = True
            raise
        self._on_end(True)

    async def _run(self, steps):
        try:
            for _ in steps:
                await asyncio.sleep(PAUSE)
        except Exception as error:
            self._task = None
            self._on_failure(error)
            self._on_end(False)
        else:
            self._task = None
            self._on_end(True)
