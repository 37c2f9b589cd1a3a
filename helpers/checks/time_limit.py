"""A limit on how long a reader's function may run."""

import ctypes
import threading


class TimeUp(BaseException):
    """Raised inside a function that runs too long."""


def within(seconds, call):
    """Return `call()`, or raise TimeUp in it after so many seconds.

    The exception reaches Python code in this thread, on every system. A
    single long step inside NumPy ends first.
    """
    thread = ctypes.c_ulong(threading.get_ident())
    lock = threading.Lock()
    ended = []

    def stop():
        with lock:
            if not ended:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    thread, ctypes.py_object(TimeUp)
                )

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # a browser's Python has no threads
        return call()
    try:
        return call()
    finally:
        with lock:
            ended.append(True)
        timer.cancel()
