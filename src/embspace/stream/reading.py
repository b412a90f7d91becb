"""A model loaded once, and texts as windows for the model, without unreadable texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError, one_line, reason_of
from embspace.files.texts import flaw_of_text
from embspace.models.windows import Window, cut_windows, largest_window
from embspace.stream.plan import Reading
from embspace.stream.sources import NoText, Text
from embspace.stream.states import token_states

TEXTS_AT_ONCE = 256
TokenStates = Float[np.ndarray, "layer token dim"]
Quarantine = list[dict[str, str]]
"""The id of each text that was left out, and the reason."""


@dataclass(frozen=True)
class Loaded:
    """A model ready to read."""

    module: Any
    tokenizer: Any
    final_norm: str | None
    window_length: int
    overlap: int


def load_reading(reading: Reading) -> Loaded:
    """Load the model, in the number type and on the device that `reading` names.

    Raises:
        InputError: naming what is missing, wrong or too large.
    """
    import torch

    from embspace.device import choose_device
    from embspace.models.tokenizer import load_tokenizer, tokenizer_files
    from embspace.models.weights import load_model
    from embspace.settings.model import VectorsModel, describe_model, model_file

    name, model = reading.model_name, describe_model(reading.model_name, reading.model)
    if isinstance(model, VectorsModel) or tokenizer_files(model) is None:
        raise InputError(f"{model_file(name)}: has no tokenizer, and reads no text")
    module = load_model(name, model)
    if reading.number_type == "bfloat16":
        module = module.to(torch.bfloat16)
    length = min(reading.window_length, largest_window(model, module))
    return Loaded(
        module=module.to(choose_device(reading.device)),  # type: ignore[arg-type]
        tokenizer=load_tokenizer(name, model),
        final_norm=model.final_norm,
        window_length=length,
        overlap=reading.overlap * length // reading.window_length,
    )


def windows_of_texts(
    texts: Iterator[Text], loaded: Loaded, quarantine: Quarantine
) -> Iterator[tuple[list[Text], list[Window]]]:
    """Yield some hundred texts at a time with their windows.

    A row without text, or a text without token, goes into `quarantine`.
    """
    while group := list(islice(texts, TEXTS_AT_ONCE)):
        sound = []
        for text in group:
            if flaw := flaw_of_row(text.text):
                quarantine.append({"id": text.id, "reason": f"the text {one_line(flaw)}"})
            else:
                sound.append(text)
        yield _windows(sound, loaded, quarantine)


def flaw_of_row(text: object) -> str:
    """Return why a row has no text for a model to read, as the end of a sentence; "" if it has."""
    if isinstance(text, str):
        return flaw_of_text(text)
    return text.reason if isinstance(text, NoText) else f"is no text: {text!r}"[:200]


def _windows(
    texts: Sequence[Text], loaded: Loaded, quarantine: Quarantine
) -> tuple[list[Text], list[Window]]:
    """Return texts with their windows; after a failure of all together, halves are tried."""
    if not texts:
        return [], []
    try:
        return list(texts), _cut([text.text for text in texts], loaded)
    except Exception as error:  # a tokenizer raises what it likes
        if len(texts) == 1:
            reason = one_line(f"the tokenizer: {type(error).__name__}: {reason_of(error)}")
            quarantine.append({"id": texts[0].id, "reason": reason})
            return [], []
    half = len(texts) // 2
    first, windows = _windows(texts[:half], loaded, quarantine)
    second, more = _windows(texts[half:], loaded, quarantine)
    moved = [_renumbered(window, window.text + len(first)) for window in more]
    return first + second, windows + moved


def _cut(texts: list[str], loaded: Loaded) -> list[Window]:
    return cut_windows(texts, loaded.tokenizer, loaded.window_length, loaded.overlap)


def sound_states(
    texts: Sequence[Text],
    windows: Sequence[Window],
    loaded: Loaded,
    tokens_per_batch: int,
    quarantine: Quarantine,
) -> tuple[list[Text], list[Window], TokenStates]:
    """Return the readable texts, with windows and states.

    A text with a NaN or infinite state, or with a failure of the model, goes into `quarantine`. A
    lack of the machine, above all of memory, is no fault of a text and is raised.
    """
    texts, windows = list(texts), list(windows)
    try:
        states = _states(windows, loaded, tokens_per_batch)
        bad = _not_finite(states, windows)
    except InputError:
        raise
    except (ValueError, IndexError, RuntimeError) as error:
        if "memory" in str(error):
            raise
        states, bad = np.zeros((0, 0, 0), np.float32), _failing(windows, loaded)
        if not bad:
            raise
    if not bad:
        return texts, windows, states
    quarantine += [{"id": texts[number].id, "reason": bad[number]} for number in sorted(bad)]
    new = {old: i for i, old in enumerate(sorted({*range(len(texts))} - bad.keys()))}
    kept = [_renumbered(window, new[window.text]) for window in windows if window.text in new]
    # Alone, without what may have spoiled the others of a batch.
    return [texts[old] for old in new], kept, _states(kept, loaded, tokens_per_batch)


def _states(windows: Sequence[Window], loaded: Loaded, tokens_per_batch: int) -> TokenStates:
    return token_states(loaded.module, windows, tokens_per_batch, loaded.final_norm, checked=True)


def _not_finite(states: TokenStates, windows: Sequence[Window]) -> dict[int, str]:
    """Return the texts with a state that is not finite, and the first such layer."""
    # A sum is not finite if a term is not; only then is looked at every number.
    if np.isfinite(states.sum(dtype=np.float64)):
        return {}
    finite = np.isfinite(states).all(axis=2)
    bad: dict[int, str] = {}
    first = 0
    for window in windows:
        finite_layers = finite[:, first : first + len(window.ids)].all(axis=1)
        first += len(window.ids)
        if not finite_layers.all():
            layer = int(np.argmin(finite_layers))
            bad[window.text] = f"the model: layer {layer} holds NaN or infinity"
    return bad


def _failing(windows: Sequence[Window], loaded: Loaded) -> dict[int, str]:
    """Return the texts on which the model fails when reading them alone, with the error."""
    bad: dict[int, str] = {}
    for window in windows:
        try:
            _states([window], loaded, len(window.ids))
        except (ValueError, IndexError, RuntimeError) as error:
            reason = one_line(f"the model: {type(error).__name__}: {reason_of(error)}")
            bad.setdefault(window.text, reason[:300])
    return bad


def _renumbered(window: Window, text: int) -> Window:
    from dataclasses import replace

    return replace(window, text=text)
