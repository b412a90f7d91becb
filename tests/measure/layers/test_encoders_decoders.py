"""Profiles of a model and a run, picked from larger tables; claims on shapes that are known."""

from contextlib import chdir
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.analysis import TABLE, Outcome
from embspace.files.tables import save_table
from embspace.measure.layers.encoders_decoders import (
    Profiled,
    Trained,
    load_profiled,
    load_trained,
    measure_encoders_decoders,
)
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from tests.analyses import settings_of
from tests.measure.dynamics_tables import N_LAYERS, STEPS, dynamics
from tests.tiny import write_tiny_model
from tests.train.runs import CAUSAL, CLASSIFIED, MASKED, small_run

MEASURES = ["top_variance_share", "two_nn"]
FEW: dict[str, Any] = {"measures": MEASURES, "changes": ["as_is", "ordinary_tokens"]}


def profiles(measure: str) -> pd.DataFrame:
    rows = [
        {"corpus": corpus, "space": space, "change": change, "layer": layer, "measure": name}
        | {"value": layer + 0.5, "low": layer, "high": layer + 1}
        for corpus in ("articles", "posts")
        for space in ("token", "cls")
        for change in ("as_is", "whitened")
        for layer in range(5)
        for name in (measure, "another")
    ]
    return pd.DataFrame(rows)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    if is_empty:
        return {"profiled": {}, "trained": {}}
    both = pd.concat([profiles("top_variance_share"), profiles("two_nn")]).assign(n=9, n_texts=3)
    run = small_run({"first": CAUSAL, "second": CAUSAL})
    return {
        "profiled": {
            "model": Profiled(both, "BertModel", "Mine"),
            "other": Profiled(both, "GPT2Model", "Other (4-bit)"),
        },
        "trained": {
            "run": Trained(dynamics(lambda n, layer: n + layer, lambda n, layer: 2.0 * n), run)
        },
    }


def measured(
    profiled: dict[str, Profiled], trained: dict[str, Trained] | None = None, **change: Any
) -> Outcome:
    settings = settings_of(measure_encoders_decoders, **FEW | change)
    return measure_encoders_decoders(profiled, trained or {}, **settings)


@pytest.fixture
def table() -> pd.DataFrame:
    rows: pd.DataFrame = measured(**inputs(is_empty=False))[TABLE]
    return rows


def test_a_row_for_each_layer_of_tokens_as_they_are(table: pd.DataFrame) -> None:
    model_rows = table[table["name"] == "model"]
    assert len(model_rows) == len(MEASURES) * 5
    assert set(model_rows["kind"]) == {"encoder"} and set(model_rows["corpus"]) == {"articles"}
    assert (model_rows["low"] < model_rows["value"]).all()
    assert model_rows["seed"].isna().all()
    assert list(dict.fromkeys(table["name"])) == ["model", "other", "run"]
    assert set(table.loc[table["name"] == "other", "kind"]) == {"decoder"}
    assert list(dict.fromkeys(table["label"])) == ["Mine", "Other (4-bit)", "run"]


def test_a_run_is_that_of_the_last_checkpoint_of_its_first_phase(table: pd.DataFrame) -> None:
    run_rows = table[(table["name"] == "run") & (table["measure"] == "top_variance_share")]
    assert len(run_rows) == 2 * N_LAYERS and set(run_rows["seed"]) == {0, 1}
    assert (run_rows["value"] == len(STEPS) - 1 + run_rows["layer"]).all()
    assert set(run_rows["kind"]) == {"decoder"} and set(run_rows["corpus"]) == {""}


def test_depth_goes_from_0_to_1_in_each(table: pd.DataFrame) -> None:
    ends = table.groupby("name")["depth"].agg(["min", "max"])
    assert (ends["min"] == 0).all() and (ends["max"] == 1).all()


def test_a_run_that_only_classifies_is_left_out() -> None:
    run = small_run({"first": MASKED, "second": CLASSIFIED})
    only = run.model_copy(update={"phases": {"first": run.phases["second"]}})
    given = dynamics(lambda n, layer: n + layer, lambda n, layer: 2.0 * n)
    assert measured({}, {"run": Trained(given, only)})[TABLE].empty


def test_a_model_that_does_not_read_the_corpus_has_no_row() -> None:
    model = Profiled(profiles("two_nn"), "BertModel", "Mine")
    assert all(table.empty for table in measured({"model": model}, corpus="letters").values())


def claims(shape: list[float], half_width: float, module: str = "BertModel") -> pd.DataFrame:
    rows: pd.DataFrame = measured({"model": anisotropy(shape, half_width, module)})["claims"]
    return rows.set_index("claim")


def anisotropy(shape: list[float], half_width: float, module: str = "BertModel") -> Profiled:
    """A model whose blocks have these values; layer 0 is far from all of them."""
    rows = pd.DataFrame({"layer": range(len(shape) + 1), "value": [9.0, *shape]})
    rows = rows.assign(low=rows["value"] - half_width, high=rows["value"] + half_width)
    rows = rows.assign(corpus="articles", space="token", change="as_is", n=5)
    return Profiled(rows.assign(measure="top_variance_share"), module, "Mine")


@pytest.mark.parametrize(
    ("shape", "flat", "bell"),
    [
        ([0.3] * 6, "undecided", "differs"),  # blocks within .02, which is .067 of the mean
        ([0.1, 0.2, 0.4, 0.4, 0.2, 0.1], "differs", "matches"),
        ([0.4, 0.4, 0.1, 0.1, 0.4, 0.4], "differs", "differs"),  # a valley
        ([0.30, 0.30, 0.33, 0.33, 0.30, 0.30], "undecided", "undecided"),  # .0968 of the mean
        ([3.0, 3.0, 3.01, 3.01, 3.0, 3.0], "matches", "differs"),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "differs", "differs"),  # a slope
        ([0.1, 0.1, 0.1, 0.4, 0.4, 0.1], "differs", "undecided"),  # in .2 of all orders
    ],
)
def test_the_shape_decides_with_its_interval(shape: list[float], flat: str, bell: str) -> None:
    for module, kind in (("BertModel", "encoder"), ("GPT2Model", "decoder")):
        rulings = claims(shape, 0.01, module)
        assert rulings.loc["flat over layers", "verdict"] == flat
        assert rulings.loc["bell-shaped over layers", "verdict"] == bell
        assert set(rulings["kind"]) == {kind}
        assert list(rulings["claimed_of"]) == ["encoder", "decoder"]


def test_the_interval_is_that_of_a_sum_of_independent_values() -> None:
    bell = claims([0.1, 0.1, 0.4, 0.4, 0.1, 0.1], 0.01).loc["bell-shaped over layers"]
    assert bell["value"] == pytest.approx(0.3 / 0.2)
    # Two blocks at weight 1/2 and four at 1/4, over the mean of .2.
    half = 0.01 * (2 / 4 + 4 / 16) ** 0.5 / 0.2
    assert bell["high"] - bell["value"] == pytest.approx(half)
    assert bell["value"] - bell["low"] == pytest.approx(half)


def test_two_blocks_have_no_middle() -> None:
    assert measured({"model": anisotropy([0.1, 0.4], 0.01)})["claims"].empty


def test_what_one_change_alone_makes_depends_on_the_rule() -> None:
    """The first position alone can make a bell, which no ordinary token has."""
    shapes = {"as_is": [0.1, 0.2, 0.4, 0.4, 0.2, 0.1], "ordinary_tokens": [0.4, 0.4, 0.1] * 2}
    rows = pd.concat(
        pd.DataFrame({"layer": range(1, 7), "value": shape, "change": change})
        for change, shape in shapes.items()
    )
    rows = rows.assign(corpus="articles", space="token", n=5, low=rows["value"], high=rows["value"])
    given = Profiled(rows.assign(measure="top_variance_share"), "GPT2Model", "Mine")
    table = measured({"model": given})["claims"]
    bell = table[table["claim"] == "bell-shaped over layers"].set_index("change")
    assert dict(bell["verdict_of_change"]) == {"as_is": "matches", "ordinary_tokens": "differs"}
    assert set(bell["verdict"]) == {"depends on the rule"}


def test_three_blocks_are_no_bell_beyond_chance() -> None:
    rulings = claims([0.1, 0.4, 0.1], 0.01)
    assert rulings.loc["bell-shaped over layers", "verdict"] == "not checkable"


def test_the_model_comes_first_and_each_profile_has_its_label_and_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("mine", "other")):
        write_tiny_model(Path("models") / name, Path("conf"), name, number)
        save_table(pd.DataFrame({"module": [f"Class{number}"]}), f"architecture/{name}.csv")
        for folder in ("spectrum", "dimension"):
            save_table(pd.DataFrame({"value": [number]}), f"{folder}/{name}.csv")
    model = describe_model("other", read_yaml(Path("conf/model/other.yaml")))
    folders = ("conf/model", "architecture", "spectrum", "dimension")
    profiled = load_profiled(*folders, "other", model, ["mine", "other"])
    assert [(name, entry.module, entry.label) for name, entry in profiled.items()] == [
        ("other", "Class1", model.label),
        ("mine", "Class0", describe_model("mine", read_yaml(Path("conf/model/mine.yaml"))).label),
    ]
    assert [entry.profiles["value"].tolist() for entry in profiled.values()] == [[1, 1], [0, 0]]


def test_runs_are_described_beside_their_dynamics(root: Path, tmp_path: Path) -> None:
    save_table(pd.DataFrame({"step": [0, 9]}), f"{tmp_path}/grammar_encoder.csv")
    with chdir(root):
        [(name, trained)] = load_trained(str(tmp_path), ["grammar_encoder"]).items()
    assert name == "grammar_encoder" and trained.dynamics["step"].tolist() == [0, 9]
    assert trained.run.corpus == "grammar"
