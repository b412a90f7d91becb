"""Loads what tuning has changed in a run, and which tokens of its vocabulary are on a list."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.errors import InputError
from embspace.files.tables import load_table
from embspace.measure.parameters.run_checkpoints import checkpoint_parameters
from embspace.models.parameters.class_head import ClassHead, class_head
from embspace.models.parameters.groups import parameter_groups
from embspace.models.spelling import spelling_of
from embspace.models.tokenizer import read_tokenizer, vocabulary_table
from embspace.settings.model import Network, VectorsModel, describe_model
from embspace.settings.run import Run, SequenceClassification
from embspace.settings.schema import read_yaml
from embspace.train.checkpoints import checkpoints_of
from embspace.train.heads import load_head

POLARITIES = ("positive", "negative")


@dataclass(frozen=True, eq=False)
class TunedSeed:
    """The weights of a seed before and after it learned the classes."""

    seed: int
    phase: str
    before: dict[str, list[Float[np.ndarray, "row dim"]]]
    """The rows of every layer by group, layer 1 first."""
    after: dict[str, list[Float[np.ndarray, "row dim"]]]
    embedding: Float[np.ndarray, "token dim"]
    """The input embeddings before tuning, on which the weights are projected."""
    head_before: ClassHead
    head_after: ClassHead


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokens of a vocabulary, and which of them spell a word of the list."""

    tokens: list[str]
    kinds: list[str]
    """The kind of every token, from the column `kind` of `vocabulary_table`."""
    polarity: list[str]
    """By token: positive or negative, or another value; "" for a token that is not listed."""
    n_words: int
    """The number of words on the list."""
    missing: list[str]
    """The words that are not one token."""

    @property
    def is_listed(self) -> Bool[np.ndarray, " token"]:
        """True for tokens that spell a word of the list."""
        return np.array([bool(value) for value in self.polarity], dtype=bool)

    def of(self, *polarities: str) -> Bool[np.ndarray, " token"]:
        """Return True for tokens of these polarities."""
        return np.isin(np.array(self.polarity, dtype=object), polarities)

    def not_of(self, kinds: Collection[str]) -> Bool[np.ndarray, " token"]:
        """Return True for tokens of any kind that is not among `kinds`."""
        return ~np.isin(np.array(self.kinds, dtype=object), list(kinds))


def tuned_phase(run: Run) -> str | None:
    """Return the phase that teaches classes to a model of conf/model/; None if there is none."""
    last, phase = list(run.phases.items())[-1]
    is_tuned = run.base is not None and isinstance(phase, SequenceClassification)
    return last if is_tuned else None


def load_tuned(root: str, run: Run, final_norm: str | None) -> list[TunedSeed]:
    """Return the weights of every seed before and after tuning; empty if the run tunes no base."""
    phase = tuned_phase(run)
    return (
        [] if phase is None else [_seed(root, run, seed, phase, final_norm) for seed in run.seeds]
    )


def _seed(root: str, run: Run, seed: int, phase: str, final_norm: str | None) -> TunedSeed:
    checkpoints = checkpoints_of(root, run, seed, phase)
    ends = checkpoints[0], checkpoints[-1]
    before, after = (checkpoint_parameters(run, checkpoint, final_norm) for checkpoint in ends)
    heads = [class_head(load_head(checkpoint.folder, run.phases[phase])) for checkpoint in ends]
    return TunedSeed(
        seed=seed,
        phase=phase,
        before=parameter_groups(before),
        after=parameter_groups(after),
        embedding=before.output_embedding,
        head_before=heads[0],
        head_after=heads[1],
    )


def load_vocabulary(root: str, run: Run, words: pd.DataFrame) -> Vocabulary:
    """Return the vocabulary of a run; without tokens if the run tunes no base."""
    phase = tuned_phase(run)
    if phase is None:
        return Vocabulary([], [], [], len(words), list(words["word"]))
    tokenizer = read_tokenizer(checkpoints_of(root, run, run.seeds[0], phase)[-1].folder)
    model = describe_model(str(run.base), read_yaml(Path(f"conf/model/{run.base}.yaml")))
    assert not isinstance(model, VectorsModel)  # which cannot be trained
    return listed_vocabulary(str(run.base), tokenizer, model, words)


def listed_vocabulary(
    name: str, tokenizer: object, model: Network, words: pd.DataFrame
) -> Vocabulary:
    """Return the vocabulary; listed tokens spell a word in lower case, and start one."""
    table = vocabulary_table(name, tokenizer, model)
    spelling = spelling_of(json.loads(tokenizer.backend_tokenizer.to_str()))  # type: ignore[attr-defined]
    polarity = dict(zip(words["word"], words["value"], strict=True))
    words_of_tokens: list[str] = []
    is_word = table["kind"] == "word"
    for token, may_be in zip(table["token"], is_word, strict=True):
        text = spelling.word_form(token) if may_be else None
        words_of_tokens.append("" if text is None else text.strip().lower())
    return Vocabulary(
        tokens=table["token"].tolist(),
        kinds=table["kind"].tolist(),
        polarity=[polarity.get(text, "") for text in words_of_tokens],
        n_words=len(words),
        missing=[word for word in words["word"] if word not in set(words_of_tokens)],
    )


def load_sentiment_words(path: str) -> pd.DataFrame:
    """Return the words of a list, in lower case, with their polarity.

    Raises:
        InputError: as `load_listed_words`, and for a value that is no polarity.
    """
    table = load_listed_words(path, needs_value=True)
    if wrong := sorted({*table["value"]} - {*POLARITIES}):
        raise InputError(
            f"{path}: key 'value': found {wrong[0]!r}, allowed: {', '.join(POLARITIES)}"
        )
    return table


def load_listed_words(path: str, *, needs_value: bool = False) -> pd.DataFrame:
    """Return the words of a list, in lower case, with values, or `listed` without a value column.

    Raises:
        InputError: for columns other than word and value, an empty cell, and a repeated word.
    """
    table = load_table(path)
    if list(table.columns) == ["word"] and not needs_value:
        table = table.assign(value="listed")
    if list(table.columns) != ["word", "value"]:
        raise InputError(f"{path}: expected the columns word, value, found {[*table.columns]}")
    if table.isna().any(axis=None):
        raise InputError(f"{path}: a word or a value is empty")
    table = table.assign(
        word=table["word"].astype(str).str.lower(), value=table["value"].astype(str)
    )
    if twice := table.loc[table["word"].duplicated(), "word"].tolist():
        raise InputError(f"{path}: the word {twice[0]!r} stands there twice, expected once")
    return table
