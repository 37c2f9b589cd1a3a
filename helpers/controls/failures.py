"""What an explorer says when the course's own code fails."""

from functools import wraps


def named(error):
    """Return the sentence that names a failure that is not the reader's."""
    return f"The course's own code failed ({type(error).__name__}: {error})."


def own_failure(error):
    """Return what an explorer says of it, above the greyed picture."""
    return f"{named(error)} The picture below is the last good one."


def said(callback):
    """Return the callback; a failure is said before ipywidgets hides it.

    Parameters
    ----------
    callback : callable
        A method; its object has `say_failure(sentence)`.
    """

    @wraps(callback)
    def saying(self, *args):
        try:
            return callback(self, *args)
        except Exception as error:
            if not hasattr(error, "was_said"):  # slices say their own
                self.say_failure(own_failure(error))
            raise

    return saying if not hasattr(callback, "__wrapped__") else callback
