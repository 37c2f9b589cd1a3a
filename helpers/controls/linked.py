"""A slider that stays legal when another control moves."""

from helpers.sizes import nearest


class LinkedSelection:
    """A slider whose options depend on another control.

    When the options change, the slider keeps its value if it is still
    legal, takes the nearest legal one if not (of two as near, the lower),
    and returns to the reader's own last choice when that is legal again.

    Parameters
    ----------
    slider : SelectionSlider
    on_change : callable
        Called when the reader moves the slider, not when the options do.
    """

    def __init__(self, slider, on_change):
        self.slider = slider
        self._on_change = on_change
        self._wanted = slider.value
        slider.observe(self._chosen, "value")

    def _chosen(self, change):
        self._wanted = change["new"]
        self._on_change(change)

    def offer(self, options):
        """Offer other options.

        Returns
        -------
        str
            A sentence if the value had to move, else "".
        """
        options = tuple(options)
        if options == tuple(self.slider.options):
            return ""
        before = self.slider.value
        value = nearest(options, self._wanted)
        self.slider.unobserve(self._chosen, "value")
        try:
            self._take(options, value)
        finally:
            self.slider.observe(self._chosen, "value")
        if value == before:
            return ""
        name = self.slider.description
        if value == self._wanted:
            return f"{name} is back at your own choice, {value}."
        return (
            f"{name} moved from {before} to {value}: {self._wanted} is not "
            f"possible here, and {value} is the nearest that is."
        )

    def _take(self, options, value):
        """Take options, then a value: the page gets two messages.

        It sets the handle before it reads the options. A place beyond the
        old ones would be cut to the last of them, and come back as a choice.
        """
        last, place = len(self.slider.options) - 1, options.index(value)
        with self.slider.hold_sync():
            self.slider.options = options
            self.slider.index = min(place, last)
        self.slider.index = place
