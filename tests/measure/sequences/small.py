"""A small run that classifies simulated sequences, and a model that is built to look at sites."""

from contextlib import chdir
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Int

from embspace.measure.sequences.sequence_classifiers import Encoded
from embspace.measure.sequences.sequence_gene import CHANGE, Gene
from embspace.measure.sequences.sequence_texts import (
    PlacedSequences,
    Sequences,
    held_out_sequences,
    placed_sequences,
)
from embspace.measure.sequences.stitching_models import Texts, stitched_texts
from embspace.prepare.training_texts import prepare_training_texts
from embspace.settings.corpus import LineagesCorpus, describe_corpus
from embspace.settings.run import Run
from embspace.settings.schema import read_yaml
from embspace.train.model import train_model
from tests.train.runs import CLASSIFIED, MASKED, small_run

ROOT = Path(__file__).parents[3]

REGION = {"first_codon": 478, "last_codon": 511, "n_ancestors": 8, "n_descendants": 2}
PHASES = {"pretraining": MASKED, "classification": {**CLASSIFIED, "trainable_layers": None}}


def small_corpus(**given: Any) -> LineagesCorpus:
    """34 codons, eleven k-mers, of the receptor-binding domain; to be called in the root."""
    content = {**read_yaml(Path("conf/corpus/spike_rbd.yaml")), **REGION, **given}
    corpus = describe_corpus("x", content)
    assert isinstance(corpus, LineagesCorpus)
    return corpus


def sequence_run(**given: Any) -> Run:
    options = {"label_column": "domain", "test_share": 0.5, **given}
    return small_run(PHASES, **options)


def sequence_texts(run: Run, corpus: LineagesCorpus) -> pd.DataFrame:
    return prepare_training_texts("small", run, corpus)


@dataclass(frozen=True, eq=False)
class Learned:
    run: Run
    corpus: LineagesCorpus
    texts: pd.DataFrame
    sequences: Sequences
    placed: PlacedSequences
    root: str


@cache
def learned_run() -> Learned:
    folder = f"{mkdtemp()}/small"
    with chdir(ROOT):
        run, corpus = sequence_run(), small_corpus()
        texts = sequence_texts(run, corpus)
        train_model("small", run, texts, folder, "cpu")
        sequences = held_out_sequences("small", run, corpus, texts)
        placed = placed_sequences("small", sequences, corpus)
    assert sequences is not None and placed is not None
    return Learned(run, corpus, texts, sequences, placed, folder)


def in_pairs(placed: PlacedSequences) -> PlacedSequences:
    """Leave out the classes of one document, which leave no interval."""
    label = placed.sequences.label
    rows = np.flatnonzero(np.bincount(label)[label] > 1)
    texts = [placed.sequences.texts[row] for row in rows]
    kept = Sequences(texts, placed.sequences.classes, label[rows], np.arange(len(rows)))
    return replace(placed, sequences=kept, has=placed.has[rows])


@dataclass(frozen=True, eq=False)
class TwoSeeds:
    run: Run
    texts: Texts
    root: str


@cache
def run_of_two_seeds() -> TwoSeeds:
    folder = f"{mkdtemp()}/two"
    with chdir(ROOT):
        run, corpus = sequence_run(seeds=[0, 1]), small_corpus()
        table = sequence_texts(run, corpus)
        train_model("small", run, table, folder, "cpu")
        texts = stitched_texts(held_out_sequences("small", run, corpus, table), table)
    assert texts is not None
    return TwoSeeds(run, texts, folder)


# The planted truth: words a (reference) and b (changed) at 12 places, 3 of which decide the class.
N_PLACES = 12
SITES = (2, 5, 9)
CLS, SEP, MASK, REFERENCE, CHANGED = range(5)
DIM = 8  # allele, site, first token, sum; and each of them again with the other sign
ALLELE, SITE, FIRST, SUM = range(4)


def planted_classifier() -> Any:
    """A BERT of one block and head, whose first token adds up the words at `SITES`, nothing else.

    Every vector has each number twice, with both signs, so that its mean is 0 and a LayerNorm only
    scales it.
    """
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=5,
        hidden_size=DIM,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=DIM,
        max_position_embeddings=N_PLACES + 2,
        pad_token_id=None,
        num_labels=2,
    )
    module = BertForSequenceClassification(config).eval()
    both = torch.zeros(DIM // 2, DIM)
    for number in range(DIM // 2):
        both[number, number], both[number, number + DIM // 2] = 1.0, -1.0
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.fill_(1.0 if "LayerNorm.weight" in name else 0.0)
        embeddings, attention = module.bert.embeddings, module.bert.encoder.layer[0].attention
        embeddings.word_embeddings.weight[REFERENCE] = -both[ALLELE]
        embeddings.word_embeddings.weight[CHANGED] = both[ALLELE]
        embeddings.position_embeddings.weight[0] = both[FIRST]
        for site in SITES:
            embeddings.position_embeddings.weight[site + 1] = 2 * both[SITE]
        attention.self.query.weight[0, FIRST] = 15.0
        attention.self.key.weight[0, SITE] = 1.0
        attention.self.value.weight[0, ALLELE] = 1.0
        attention.output.dense.weight[SUM, 0] = 1.0
        attention.output.dense.weight[SUM + DIM // 2, 0] = -1.0
        module.bert.pooler.dense.weight[0, SUM] = 1.0
        module.classifier.weight[0, 0], module.classifier.weight[1, 0] = -4.0, 4.0
    return module


def planted_sequences(n_documents: int = 24) -> tuple[PlacedSequences, Encoded]:
    """Sequences of two classes: all three sites changed, or none; other places are random."""
    rng = np.random.default_rng(0)
    label = np.arange(n_documents, dtype=np.int64) % 2
    changed = rng.random((n_documents, N_PLACES)) < 0.5
    changed[:, SITES] = label[:, np.newaxis] == 1
    words = np.where(changed, CHANGED, REFERENCE)
    texts = [" ".join("b" if is_changed else "a" for is_changed in row) for row in changed]
    sequences = Sequences(texts, ["other", "planted"], label, np.arange(n_documents))
    has = np.repeat(label[:, np.newaxis] == 1, len(SITES), axis=1)
    return PlacedSequences(sequences, planted_gene(), has), encoded_words(words)


def planted_gene() -> Gene:
    """A codon a place, of which three are defining."""
    rows = [("planted", f"A{site + 1}B", site + 1, "b") for site in SITES]
    covers = np.arange(N_PLACES) == np.array(SITES)[:, np.newaxis]
    codons = np.arange(1, N_PLACES + 1, dtype=np.int64)
    return Gene(
        codons=np.stack([codons, codons], axis=1),
        changes=pd.DataFrame(rows, columns=CHANGE),
        covers=covers,
        starts=np.zeros(covers.shape, dtype=np.int64),
        deleting=frozenset(),
    )


def encoded_words(words: Int[np.ndarray, "text place"]) -> Encoded:
    first, last = (np.full((len(words), 1), token_id) for token_id in (CLS, SEP))
    ids = np.concatenate([first, words, last], axis=1).astype(np.int64)
    return Encoded(ids, np.arange(1, N_PLACES + 1), MASK)
