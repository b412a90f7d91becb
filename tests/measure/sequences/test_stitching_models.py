"""The tuned blocks of a run above a model that was trained apart from it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.sequences.sequence_classifiers import last_checkpoints
from embspace.measure.sequences.sequence_texts import held_out_texts
from embspace.measure.sequences.stitching import measure_stitching
from embspace.measure.sequences.stitching_models import (
    Texts,
    read_model,
    read_untrained,
    stitched_texts,
)
from embspace.measure.sequences.stitching_pairs import IDENTITY, Stitching, pairs_on_model
from embspace.models.stream.entered import logits_above, states_of
from embspace.settings.run import Run, describe_run
from embspace.train.model import train_model
from tests.tiny import LAYERS, LETTERS, POSITIONS, write_tiny_model
from tests.train.runs import CLASSIFIED, MASKED, as_texts, content

BASED = {"base": "mine", "stitched_on": "other", "architecture": None, "matrices": None}
HOW = Stitching(strength=1e-3, n_draws=2, least_count=2, seed=0)


def texts_of_two_classes() -> pd.DataFrame:
    """Texts of letters that the tiny models read: the first half of them, or the second."""
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 2
    halves = LETTERS[: len(LETTERS) // 2], LETTERS[len(LETTERS) // 2 :]
    texts = [" ".join(rng.choice([*halves[number]], size=12)) for number in classes]
    return as_texts(texts, classes.astype(str).tolist())


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run whose last block alone was tuned, in a tree with its base and another model."""
    tree = tmp_path_factory.mktemp("tuned")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tree)
        for seed, name in enumerate(("mine", "other")):
            write_tiny_model(Path("models") / name, Path("conf"), name, seed)
        run = describe_run(
            "small", content({"first": CLASSIFIED}, seeds=[0, 1], window=POSITIONS, **BASED)
        )
        table = texts_of_two_classes()
        train_model("small", run, table, "trained", "cpu")
        texts = stitched_texts(held_out_texts("small", run, table), table)
        yield run, texts


def test_on_its_own_base_a_classifier_is_itself(tuned: tuple[Run, Texts]) -> None:
    run, texts = tuned
    pairs = pairs_on_model(run, "trained", "mine", texts, None, HOW)
    assert [(pair.upper_seed, pair.lower, pair.is_control) for pair in pairs] == [
        (0, "mine", True),
        (1, "mine", True),
    ]
    for pair in pairs:
        np.testing.assert_array_equal(pair.right[IDENTITY][LAYERS - 1], pair.unstitched)
        assert pair.explained.share == pytest.approx(1.0)


def test_the_base_below_its_tuned_block_gives_the_classifiers_own_logits(
    tuned: tuple[Run, Texts],
) -> None:
    run, texts = tuned
    upper = read_model(run, "trained", "first", 0, texts, None)
    folder = last_checkpoints("trained", run, "first")[0].folder
    below = {name: read_untrained(name, folder, texts, run.window) for name in ("mine", "other")}
    (_, ids, mask), *_ = upper.held_out.batches()
    whole = upper.module(input_ids=ids, attention_mask=mask).logits.detach().numpy()
    stitched = {
        name: logits_above(
            upper.module, LAYERS - 1, states_of(model.module, model.held_out, None)[-2],
            model.held_out,
        )
        for name, model in below.items()
    }  # fmt: skip
    assert stitched["mine"] == pytest.approx(whole, abs=1e-6)
    assert np.abs(stitched["other"] - whole).max() > 1e-3


@pytest.fixture(scope="module")
def tables(tuned: tuple[Run, Texts]) -> Outcome:
    run, texts = tuned
    return measure_stitching(
        run, texts, "trained", None,
        ridge_strength=1e-3, n_draws=2, least_count=2, n_resamples=20, level=0.95, seed=0,
    )  # fmt: skip


def test_every_seed_stands_on_its_base_and_on_the_other_model(tables: Outcome) -> None:
    keys = ["upper_seed", "lower_model", "is_control"]
    pairs = tables["pairs"]
    assert pairs[keys].to_numpy().tolist() == [
        [0, "mine", True],
        [0, "other", False],
        [1, "mine", True],
        [1, "other", False],
    ]
    assert pairs["lower_seed"].isna().all()
    assert pairs["identity_accuracy"].between(0, 1).all()
    assert set(tables["layers"]["layer"]) == {*range(LAYERS + 1)}
    assert set(tables["claims"]["n_pairs"]) == {1}


ALL_TUNED = {**CLASSIFIED, "trainable_layers": None}


@pytest.mark.parametrize(
    "described",
    [
        content({"first": ALL_TUNED}, **BASED),
        content({"zero": MASKED, "first": CLASSIFIED}, stitched_on="other"),
    ],
)
def test_a_model_below_belongs_to_a_base_whose_last_blocks_are_tuned(described: Any) -> None:
    with pytest.raises(InputError, match="key 'stitched_on': belongs to a 'base'"):
        describe_run("small", described)


def test_vectors_cannot_stand_below(tuned: tuple[Run, Texts]) -> None:
    run, texts = tuned
    Path("vectors.csv").write_text("a,b\n1,2\n")
    described = {"label": "v", "license": "CC0-1.0", "language": "none", "source": "vectors"}
    Path("conf/model/words.yaml").write_text(yaml.safe_dump(described | {"input": "vectors.csv"}))
    with pytest.raises(InputError, match="words.yaml"):
        pairs_on_model(run, "trained", "words", texts, None, HOW)
