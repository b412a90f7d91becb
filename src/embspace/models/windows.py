"""Cuts texts into windows of tokens that a model can read, and loses nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from embspace.errors import InputError, RefusedModel, counted, reason_of, shortened
from embspace.models.tokens.file import is_of_rust
from embspace.settings.model import Network

TOKEN_COLUMNS = ["window", "position", "id", "token", "special", "repeated", "start", "end"]
LENGTH_KEY = "conf/extract/hidden_states.yaml: key 'window_length'"
TOKENIZER_KEY = "tokenizer_config.json: key 'model_max_length'"
LONGEST = 10**6  # tokens; tokenizers that know no limit name a larger one
TEXTS_AT_ONCE = 256  # token lists of Python integers are large; arrays are small


@dataclass(frozen=True)
class Window:
    """Tokens that the model reads at once, special tokens included."""

    text: int
    number: int  # of the window in its text
    ids: Int[np.ndarray, " token"]
    special: Bool[np.ndarray, " token"]  # of the frame, or unknown: no word of the text
    repeated: Bool[np.ndarray, " token"]  # already in the window before
    start: Int[np.ndarray, " token"]  # characters in the text
    end: Int[np.ndarray, " token"]


def largest_window(model: Network, module: Any) -> int:
    """Return the number of tokens that the model reads at once: the least of all bounds.

    Bounds are the table of positions, if present, the positions counted by the config, and the key
    `window` of the model's file.

    Raises:
        InputError: without a bound, as where attention falls off with the distance.
    """
    bounds = [model.window]
    table = table_at(module, model.matrices.positional)
    if table is None:
        bounds.append(getattr(module.config, "max_position_embeddings", None))
    else:
        # Configs count the rows before position 0 (RoBERTa) or not (OPT); the table has them all.
        bounds.append(len(table) - model.position_offset)
    bounds.append(full_attention_window(module.config))
    known = [bound for bound in bounds if bound is not None and bound > 0]
    if not known:
        raise InputError(
            f"{model.label}: config.json gives no number of positions; say in the model's file how "
            "many tokens it reads at once, such as\n  window: 2048"
        )
    return min(known)


def table_at(module: Any, path: str | None) -> Any | None:
    """Return the entry of `state_dict` at a path, without the whole dict; None if absent."""
    holder = module
    *parts, name = (path or "").split(".")
    for part in parts:
        holder = holder._modules.get(part)
        if holder is None:
            return None
    if name in holder._non_persistent_buffers_set:
        return None
    tensor = holder._parameters.get(name)
    return holder._buffers.get(name) if tensor is None else tensor


def full_attention_window(config: Any) -> int | None:
    """Return the full-attention window of a model of sparse blocks; None for other models.

    BigBird attends fully within this window; longer windows get random blocks, and fail if the
    blocks are not filled.
    """
    if getattr(config, "attention_type", None) != "block_sparse":
        return None
    return int((5 + 2 * config.num_random_blocks) * config.block_size)


def tokenizer_bound(tokenizer: Any) -> int | None:
    """Return how many tokens of a text are read, as its tokenizer says; None if it does not say.

    Raises:
        RefusedModel: if that is no number, or not more than the special tokens of a text.
    """
    bound = tokenizer.model_max_length
    if isinstance(bound, bool) or not isinstance(bound, int | float) or bound != bound:
        raise RefusedModel(
            f"{TOKENIZER_KEY}: found {shortened(bound)}, allowed: a number of tokens"
        )
    if bound >= LONGEST:
        return None
    try:
        check_window(tokenizer, int(bound), 0, length_key=TOKENIZER_KEY)
    except InputError as error:
        raise RefusedModel(str(error)) from None
    return int(bound)


def check_window(
    tokenizer: Any, window_length: int, overlap: int, *, length_key: str = LENGTH_KEY
) -> None:
    """Stop unless a window has room for new tokens beside special tokens and `overlap`.

    Raises:
        InputError: naming the key that leaves none.
    """
    n_special = tokenizer.num_special_tokens_to_add()
    room = window_length - n_special
    if room < 1:
        raise InputError(
            f"{length_key}: found {window_length}, allowed: more than the "
            f"{counted(n_special, 'special token')} of each window"
        )
    if overlap >= room:
        raise InputError(
            f"conf/extract/hidden_states.yaml: key 'overlap': found {overlap}, allowed: less "
            f"than {room}, the ordinary tokens in a window of {window_length}"
        )


def cut_windows(
    texts: Sequence[str],
    tokenizer: Any,
    window_length: int,
    overlap: int = 0,
    *,
    length_key: str = LENGTH_KEY,
) -> list[Window]:
    """The windows of all texts, in the order of the texts.

    `length_key` is where `window_length` is set, for messages.

    Raises:
        InputError: if special tokens or `overlap` leave no room for new tokens, a text has no token
            at all, the tokenizer fails at one, or its windows leave tokens of a text out.
    """
    check_window(tokenizer, window_length, overlap, length_key=length_key)
    windows: list[Window] = []
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        some = list(texts[first : first + TEXTS_AT_ONCE])
        with _readable(some, first):
            encoded = tokenizer(
                some,
                max_length=window_length,
                truncation=True,  # with the overflow returned, nothing is cut off
                stride=overlap,
                return_overflowing_tokens=True,
                return_special_tokens_mask=True,
                return_offsets_mapping=True,
            )
            new = list(_windows_of(encoded, first, overlap))
            numbers = range(first, first + len(some))
            _check_covered(new, _cut_texts(new, numbers, window_length), texts, tokenizer)
        windows.extend(_without_unknown(new, getattr(tokenizer, "unk_token_id", None)))
    if empty := [window.text for window in windows if not len(window.ids)]:
        raise InputError(
            f"the tokenizer makes no token of {len(empty)} texts, the first {empty[0]}"
        )
    return windows


@dataclass(frozen=True)
class TextRows:
    """Describes the rows of the states of texts; tables are made at the first look."""

    cut: Sequence[Window]
    names: Sequence[str]
    """The ids of the texts."""
    tokenizer: Any

    @cached_property
    def windows(self) -> pd.DataFrame:
        """Return the rows of pooled states, as `window_table` makes them."""
        return window_table(self.cut, self.names)

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """Return the rows of the states of tokens, as `token_table` makes them."""
        return token_table(self.cut, self.tokenizer) if self.cut else no_tokens()


def first_tokens(windows: Sequence[Window]) -> Int[np.ndarray, " window"]:
    """Return the row of the first token of each window among the tokens of all windows."""
    lengths = np.array([len(window.ids) for window in windows], dtype=np.int64)
    return np.cumsum(lengths) - lengths


def window_table(windows: Sequence[Window], text_ids: Sequence[str]) -> pd.DataFrame:
    """Return a row per window: text, window, n_tokens, first_token (its row in the token table)."""
    return pd.DataFrame(
        {
            "text": [text_ids[window.text] for window in windows],
            "window": [window.number for window in windows],
            "n_tokens": np.array([len(window.ids) for window in windows], dtype=np.int64),
            "first_token": first_tokens(windows),
        }
    )


def token_table(windows: Sequence[Window], tokenizer: Any) -> pd.DataFrame:
    """One row a token of a window.

    Columns: window (row of the window table), position, id, token, special (or unknown), repeated
    (also in the window before), start and end (characters in the text).
    """
    ids = np.concatenate([window.ids for window in windows])
    table = pd.DataFrame(
        {
            "window": np.repeat(np.arange(len(windows)), [len(w.ids) for w in windows]),
            "position": np.concatenate([np.arange(len(w.ids)) for w in windows]),
            "id": ids,
            "token": tokenizer.convert_ids_to_tokens(ids.tolist()),
        }
    )
    for column in TOKEN_COLUMNS[4:]:
        table[column] = np.concatenate([getattr(window, column) for window in windows])
    return table


def no_tokens() -> pd.DataFrame:
    """The table of no token, with the columns and types of `token_table`."""
    kinds = dict.fromkeys(TOKEN_COLUMNS, "int64")
    kinds |= {"token": "str", "special": "bool", "repeated": "bool"}
    return pd.DataFrame(columns=TOKEN_COLUMNS).astype(kinds)


def _windows_of(encoded: Any, first: int, overlap: int) -> Iterator[Window]:
    previous, number = -1, 0
    for row, text in enumerate(encoded["overflow_to_sample_mapping"]):
        number = number + 1 if text == previous else 0
        previous = text
        special = np.array(encoded["special_tokens_mask"][row], dtype=bool)
        offsets = np.array(encoded["offset_mapping"][row], dtype=np.int64).reshape(-1, 2)
        yield Window(
            text=first + text,
            number=number,
            ids=np.array(encoded["input_ids"][row], dtype=np.int64),
            special=special,
            repeated=_repeated(special, overlap if number else 0),
            start=offsets[:, 0],
            end=offsets[:, 1],
        )


def _without_unknown(windows: Sequence[Window], unknown: int | None) -> Iterator[Window]:
    """Mark unknown tokens as special: they stand for no word, whatever the text has there."""
    for window in windows:
        is_unknown = window.ids == (-1 if unknown is None else unknown)
        yield replace(window, special=window.special | is_unknown) if is_unknown.any() else window


@contextmanager
def _readable(texts: Sequence[str], first: int) -> Iterator[None]:
    """Turn errors of the tokenizers library into `InputError`; `first` numbers the first text."""
    try:
        yield
    except BaseException as error:
        if not is_of_rust(error):
            raise
        last = first + len(texts) - 1
        raise InputError(
            f"the tokenizer cannot read one of the texts {first} to {last}: {reason_of(error)}"
        ) from error


def _cut_texts(windows: Sequence[Window], numbers: Sequence[int], window_length: int) -> list[int]:
    """Return the numbers of the texts that may have been cut: all but short texts."""
    short = {w.text for w in windows if len(w.ids) < window_length}
    short -= {w.text for w in windows if w.number}
    return [number for number in numbers if number not in short]


def _check_covered(
    windows: Sequence[Window], cut: Sequence[int], texts: Sequence[str], tokenizer: Any
) -> None:
    """Stop unless the windows of every text in `cut` hold all tokens once, in order.

    Some releases of the tokenizers library lose the rest after an overlapping window.
    """
    if not cut:
        return
    some = [texts[number] for number in cut]
    uncut = tokenizer(some, truncation=False, return_special_tokens_mask=True, verbose=False)
    masks = [np.array(mask, dtype=bool) for mask in uncut["special_tokens_mask"]]
    whole = [
        np.array(ids, dtype=np.int64)[~mask].tolist()
        for ids, mask in zip(uncut["input_ids"], masks, strict=True)
    ]
    new = dict[int, list[int]]((text, []) for text in cut)
    for window in windows:
        if window.text in new:
            new[window.text] += window.ids[~window.special & ~window.repeated].tolist()
    for (number, read), expected in zip(new.items(), whole, strict=True):
        if read != expected:
            from tokenizers import __version__

            raise InputError(
                f"text {number}: its windows hold {len(read):,} of its "
                f"{counted(len(expected), 'token')}, which is an error of the tokenizer or of the "
                f"library tokenizers {__version__}; take its release 0.23.3 or a later one"
            )


def _repeated(special: Bool[np.ndarray, " token"], overlap: int) -> Bool[np.ndarray, " token"]:
    ordinary = np.cumsum(~special)
    return ~special & (ordinary <= overlap)
