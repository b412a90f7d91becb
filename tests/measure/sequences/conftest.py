"""One small run that is trained once, for all tests of the chapter."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from embspace.measure.sequences.sequence_texts import (
    PlacedSequences,
    Sequences,
    held_out_sequences,
    placed_sequences,
)
from embspace.measure.sequences.stitching_models import Texts, stitched_texts
from embspace.settings.corpus import LineagesCorpus
from embspace.settings.run import Run
from embspace.train.model import train_model
from tests.measure.sequences.small import sequence_run, sequence_texts, small_corpus


@dataclass(frozen=True, eq=False)
class Learned:
    run: Run
    corpus: LineagesCorpus
    texts: pd.DataFrame
    sequences: Sequences
    placed: PlacedSequences
    root: str


@pytest.fixture(scope="session")
def learned(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Learned:
    folder = tmp_path_factory.mktemp("trained") / "small"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        run, corpus = sequence_run(), small_corpus()
        texts = sequence_texts(run, corpus)
        train_model("small", run, texts, str(folder), "cpu")
        sequences = held_out_sequences("small", run, corpus, texts)
        placed = placed_sequences("small", sequences, corpus)
    assert sequences is not None and placed is not None
    return Learned(run, corpus, texts, sequences, placed, str(folder))


@dataclass(frozen=True, eq=False)
class TwoSeeds:
    run: Run
    texts: Texts
    root: str


@pytest.fixture(scope="session")
def two_seeds(root: Path, tmp_path_factory: pytest.TempPathFactory) -> TwoSeeds:
    folder = tmp_path_factory.mktemp("trained") / "two"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        run, corpus = sequence_run(seeds=[0, 1]), small_corpus()
        table = sequence_texts(run, corpus)
        train_model("small", run, table, str(folder), "cpu")
        texts = stitched_texts(held_out_sequences("small", run, corpus, table), table)
    assert texts is not None
    return TwoSeeds(run, texts, str(folder))
