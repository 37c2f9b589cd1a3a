"""The controls of the decoding explorer, and what happens when one moves."""

import asyncio

import ipywidgets as widgets

from helpers.controls import (
    Explorer,
    LinkedSelection,
    Message,
    Stage,
    choice,
    require_choice,
    row,
    selection,
    style_sheet,
    switch,
)
from helpers.explorers.decoding import views
from helpers.explorers.decoding.layer import D_MODEL, Decoder, H, State
from helpers.sentences import HUNGRY, words
from helpers.sizes import Sizes, divisors

LONG = 64
TEXTS = {"9 words": 9, f"{LONG} words": LONG}
SECONDS = {9: 0.7, LONG: 0.15}  # a step while playing


def explore_decoding(N=5, prompt=1, n_kv=H, text="9 words"):
    """Open the decoding explorer.

    Parameters
    ----------
    N : int
        Tokens so far, prompt..9 (or 64 with the long text).
    prompt : int
        Tokens that are run at once in the first step.
    n_kv : int
        Key/value heads; divides h = 8.
    text : str
        "9 words", or "64 words": the same words again and again.

    Returns
    -------
    DecodingExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    ValueError
        If a starting value is not possible.
    """
    return DecodingExplorer(N, prompt, n_kv, text)


class DecodingExplorer(Explorer):
    """One layer decodes a text twice: again and again, and with a cache."""

    _playing = None  # the task that plays

    def __init__(self, N, prompt, n_kv, text):
        require_choice("text", text, TEXTS)
        require_choice("n_kv", n_kv, divisors(H))
        require_choice("prompt", prompt, prompts(TEXTS[text]))
        require_choice("N", N, range(prompt, TEXTS[text] + 1))
        super().__init__()
        self._decoder = Decoder()
        self._make_controls(N, prompt, n_kv, text)
        self.status = Message(lines=3)
        self.grids, self.bars = Stage("200px"), Stage("120px")
        self.badge, self.steps_table = Stage("2em"), Stage()
        self.stages = (self.grids, self.bars, self.badge, self.steps_table)
        self.lay_out(self._arranged())
        self._connect()
        self.refresh()

    def _make_controls(self, N, prompt, n_kv, text):
        length = TEXTS[text]
        self.text = choice("text", list(TEXTS), text)
        self.prompt = selection("prompt", prompts(length), prompt)
        self.n_kv = selection(
            "key/value heads n_kv", divisors(H), n_kv, "360px"
        )
        self.N = selection(
            "tokens so far", tuple(range(prompt, length + 1)), N, "420px"
        )
        self.playing = widgets.ToggleButton(
            value=False,
            description="▶ play",
            tooltip="Run token by token to the end; press again to stop.",
            layout=widgets.Layout(width="auto"),
        )
        self.show_table = switch("steps as a table", False)
        self.dials = {
            "text": self.text,
            "prompt": self.prompt,
            "tokens so far": self.N,
            "n_kv": self.n_kv,
        }

    def _arranged(self):
        return (
            style_sheet(),
            row(self.N, self.playing),
            row(self.text, self.prompt, self.n_kv),
            self.message.widget,
            self.grids.widget,
            self.bars.widget,
            self.status.widget,
            self.badge.widget,
            self.show_table,
            self.steps_table.widget,
        )

    def _connect(self):
        self._linked_N = LinkedSelection(self.N, self._changed)
        self._linked_prompt = LinkedSelection(self.prompt, self._on_prompt)
        self.text.observe(self._on_text, "value")
        self.playing.observe(self._on_play, "value")
        self.watch(self.n_kv, self.show_table)

    # What one control does to others; each ends in one refresh.

    def _on_text(self, change):
        length = TEXTS[change["new"]]
        notice = self._linked_prompt.offer(prompts(length))
        self._offer_tokens(notice)

    def _on_prompt(self, _):
        self._offer_tokens()

    def _offer_tokens(self, notice=""):
        places = range(self.prompt.value, TEXTS[self.text.value] + 1)
        moved = self._linked_N.offer(places)
        self.refresh(f"{notice} {moved}".strip())

    # Playing: a step, a pause in which Stop is heard, a step.

    def _on_play(self, change):
        if not change["new"]:
            self._stop()
            return
        if self.N.value == self.N.options[-1]:
            self.N.value = self.N.options[0]
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: nobody could press Stop
            self._play_at_once()
        else:
            self.playing.description = "■ stop"
            self._playing = loop.create_task(self._play())

    def _play_at_once(self):
        try:
            while self.advance():
                pass
        finally:
            self.playing.value = False

    async def _play(self):
        own = asyncio.current_task()
        try:
            while self.advance():
                await asyncio.sleep(SECONDS[TEXTS[self.text.value]])
        finally:
            if self._playing in (own, None):  # not if it plays again already
                self._playing = None
                self.playing.value = False
                self.playing.description = "▶ play"

    def advance(self):
        """Move one token on, and say whether there was one."""
        if self.N.value == self.N.options[-1]:
            return False
        self.N.value += 1
        return True

    def _stop(self):
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None

    def close(self):
        """Stop playing, and close."""
        self._stop()
        super().close()

    # The three steps.

    def read(self):
        """Return the controls' State."""
        length = TEXTS[self.text.value]
        sentence = words(HUNGRY)
        tokens = tuple(sentence[i % len(sentence)] for i in range(length))
        return State(
            tokens=tokens,
            prompt=self.prompt.value,
            N=self.N.value,
            sizes=Sizes(D_MODEL, H, self.n_kv.value),
        )

    def compute(self, state):
        """Return the Result of `state`."""
        return self._decoder.result(state)

    def show(self, state, result):
        """Show pictures, table and sentences of `state`."""
        self.grids.show(views.grids, state, result.last.before)
        self.bars.show(views.bars, state, result)
        self.status.say(views.step_in_words(state, result))
        self.badge.show(views.badge, state, result)
        self.steps_table.show_if(
            self.show_table.value, views.steps_table, state, result
        )

    def remark(self, state):
        """Say what is special: the prefill, or shared key/value heads."""
        said = "One layer, random weights: the work does not depend on them."
        if state.N == state.prompt:
            said += " This is the prefill: nothing is remembered yet."
        if state.sizes.n_kv < H:
            said += (
                f" The cache keeps {views.plural(state.sizes.n_kv, 'head')} "
                f"of {H}."
            )
        return said

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(state, self.compute(state))


def prompts(length):
    """Return the lengths of a prompt that are offered for a text."""
    if length <= 16:
        return tuple(range(1, length))
    return (1, 2, 4, 8, 16, 32, length - 1)
