"""Holds the stage to its families, to the project's settings and to nulls by random weights."""

from functools import cache
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest

from embspace.clouds.layers import Change, LayerCloud, layer_clouds
from embspace.errors import InputError
from embspace.geometry import effective_rank, mean_cosine, reciprocity, self_similarity, two_nn
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.declaration import FAMILIES, Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_profiles import COLUMNS, LayerProfiles
from embspace.measure.layers.profiles import TOGETHER, main, measure_profiles
from embspace.settings.stage import StageConfig
from tests.geometry.clouds import UNDEFINED
from tests.measure.layer_corpora import EMPTY, assert_equal, processes, settings_of, three_corpora

ROOT = Path(__file__).parents[3]
# One measure of each family that has a null by random weights.
OF_RANDOM_WEIGHTS = {
    "direction": "mean_cosine",
    "spectrum": "effective_rank",
    "context": "self_similarity",
}
PLACE = {"corpus": "many", "space": "token", "change": "as_is", "layer": 1}
FOUND = {"n": 9, "value": 0.25}
RANDOM = pd.DataFrame(
    [
        {
            **PLACE,
            "measure": measure,
            "null": "shuffled_entries",
            "seed": seed,
            "n": 9,
            "value": 0.25,
        }
        for measure in (*OF_RANDOM_WEIGHTS.values(), "two_nn")
        for seed in (0, 1)
    ]
)
NEIGHBORS = "hubs"


def settings(**given: Any) -> dict[str, Any]:
    return settings_of(ROOT, "profiles") | {"position_band": 5} | given


def measured(
    family: str, random_weights: pd.DataFrame | None = RANDOM, corpora: Any = None, **given: Any
) -> LayerProfiles:
    corpora = three_corpora() if corpora is None else corpora
    nulls = None if family == NEIGHBORS else random_weights
    with processes(1):
        return measure_profiles(corpora, nulls, TOGETHER[family], **settings(**given))


found = cache(measured)


def cloud() -> LayerCloud:
    clouds = layer_clouds(three_corpora()["many"], 1, ["as_is"], n_top=0)
    [cloud] = [each for space, _, each in clouds if space == "token"]
    return cloud


def test_every_family_is_measured_and_only_once() -> None:
    assert sorted(each for families in TOGETHER.values() for each in families) == sorted(FAMILIES)


@pytest.mark.parametrize("family", TOGETHER)
def test_every_measure_of_the_families_and_no_other(family: str) -> None:
    names = {each.name for each in profiled_measures().values() if each.family in TOGETHER[family]}
    assert set(found(family).profiles["measure"]) == names - {"iso_score_star"}  # of two clouds


@pytest.mark.parametrize("family", TOGETHER)
def test_a_small_corpus_is_left_out(family: str) -> None:
    of_tokens = family == "context"
    assert set(found(family).profiles["corpus"]) == ({"many"} if of_tokens else {"many", "pooled"})
    larger = measured(family, fewest_documents=13 if of_tokens else 10)
    assert set(larger.profiles["corpus"]) == (set() if of_tokens else {"many"})
    assert larger.nulls.empty == of_tokens


@pytest.mark.parametrize("family", TOGETHER)
def test_changes_are_those_of_the_settings(family: str) -> None:
    asked = settings()
    expected = {*asked["changes"]} if family != "spectrum" else {*get_args(Change)}
    assert {*asked["changes"], *asked["changes_of_spectrum"]} == {*get_args(Change)}
    assert set(found(family).profiles["change"]) == expected


@pytest.mark.parametrize("family", TOGETHER)
def test_slow_measures_have_no_interval(family: str) -> None:
    slow_ones = settings()["value_only"]
    rows = found(family).profiles
    slow = rows[rows["measure"].isin(slow_ones)]
    assert set(slow["measure"]) == set(slow_ones) & set(rows["measure"])
    assert slow.empty == (family == "direction")
    assert set(slow["change"]) <= {"as_is"}
    assert slow[["low", "high"]].isna().all(axis=None)
    others = rows.drop(slow.index).query("change == 'as_is'")
    others = others[~others["measure"].isin(UNDEFINED)]
    # Half of few vectors are too few to have 20 neighbors.
    assert others["low"].notna().mean() > (0.7 if family == NEIGHBORS else 0.9)


def test_every_slow_measure_is_one_of_a_family() -> None:
    assert set(settings()["value_only"]) <= set(profiled_measures())


def test_fewer_components_are_taken_away_if_asked() -> None:
    # Of 6 dimensions 2 are left after 4, 5 after 1.
    query = "change == 'all_but_the_top' and measure == 'effective_rank' and space == 'token'"
    rows = found("spectrum").profiles
    assert (rows.query(query)["value"] < 2.01).all()
    one = measured("spectrum", n_top=1).profiles.query(query)["value"]
    assert one.between(3, 5.01).all()
    whitened = rows.query("change == 'whitened' and measure == 'participation_ratio'")
    assert whitened["value"].to_numpy() == pytest.approx(6, rel=1e-3)


def test_layers_of_words_alone_owe_nothing_to_the_text() -> None:
    nulls = found("context").nulls
    rows = nulls[nulls["null"] == "exchanged_between_texts"].set_index("measure")
    # Exchanged within a word, nothing of a word changes: no null of what is measured by word.
    assert set(rows.index) == {"intra_sentence_similarity", "text_curvature"}
    row = rows.loc["intra_sentence_similarity"].set_index("layer")
    assert abs(row["value"] - row["null_mean"])[0] < 0.05
    assert (row["value"] - row["null_mean"])[1] > 0.1


@pytest.mark.parametrize("family", OF_RANDOM_WEIGHTS)
def test_random_weights_are_nulls_among_others(family: str) -> None:
    nulls, without = found(family).nulls, measured(family, EMPTY).nulls
    rows = nulls[nulls["null"] == "shuffled_entries"]
    assert rows["measure"].tolist() == [OF_RANDOM_WEIGHTS[family]]
    assert len(nulls) == len(without) + 1
    row, many = rows.iloc[0], cloud()
    assert (row["n_draws"], row["null_mean"]) == (2, 0.25)
    expected = {
        "direction": mean_cosine(many.x),
        "spectrum": effective_rank(many.x),
        "context": self_similarity(many.x, many.word),
    }
    assert row["value"] == pytest.approx(expected[family])


def test_neighbors_have_the_nulls_of_both_families() -> None:
    for family in TOGETHER[NEIGHBORS]:
        tables = found(NEIGHBORS).of_family(family)
        names = {each.name for each in profiled_measures().values() if each.family == family}
        assert set(tables.nulls["null"]) == {*NULLS_OF_FAMILY[family]}
        assert set(tables.nulls["measure"]) == set(tables.curves["measure"]) <= names


def test_one_batch_is_the_whole_cloud() -> None:
    many = cloud()
    query = "corpus == 'many' and space == 'token' and change == 'as_is' and layer == 1"
    rows = found(NEIGHBORS).profiles.query(query).set_index("measure")
    expected = {"reciprocity": reciprocity(many.x), "two_nn": two_nn(many.x).value}
    for measure, value in expected.items():
        row = rows.loc[measure]
        assert row["value"] == pytest.approx(value)
        assert (row["n_batches"], row["n"]) == (1, len(many.x))
        assert row["low"] < row["value"] < row["high"]


@pytest.mark.slow
def test_smaller_batches_are_several() -> None:
    rows = measured(NEIGHBORS, batch_size=64).profiles
    assert rows.query("corpus == 'many' and space == 'token'")["n_batches"].ge(2).all()
    assert rows.query("space == 'cls'")["n_batches"].eq(1).all()


@pytest.mark.parametrize("family", OF_RANDOM_WEIGHTS)
def test_only_neighbors_are_looked_for_in_batches(family: str) -> None:
    rows = found(family).profiles
    in_order = (rows["measure"] == "top_variance_share") & (rows["change"] == "as_is")
    assert rows["n_batches"].notna().equals(in_order)


@pytest.mark.parametrize(
    "family",
    [pytest.param(each, marks=pytest.mark.slow if each == NEIGHBORS else ()) for each in TOGETHER],
)
def test_the_seed_is_the_one_door(family: str) -> None:
    known = found(family)
    assert_equal(measured(family), known)
    other = measured(family, seed=1).profiles
    assert other["value"].equals(known.profiles["value"])
    assert not other["low"].equals(known.profiles["low"])


@pytest.mark.parametrize("family", TOGETHER)
def test_without_a_corpus_there_are_columns(family: str) -> None:
    nothing = measured(family, corpora={})
    for each in TOGETHER[family]:
        for name, columns in COLUMNS.items():
            table = getattr(nothing.of_family(each), name)
            assert list(table) == columns and table.empty


@pytest.mark.slow
def test_families_that_are_measured_together_are_saved_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = settings()
    monkeypatch.chdir(tmp_path)
    module = "embspace.measure.layers.profiles"
    monkeypatch.setattr(f"{module}.load_corpora_states", lambda *_: three_corpora())
    with processes(1):
        main(StageConfig("mine", {}, "", {}, [], [], given, family=NEIGHBORS))
    folders = {path.parts[1] for path in Path("results").rglob("mine.csv")}
    assert folders == set(TOGETHER[NEIGHBORS])
    for family in TOGETHER[NEIGHBORS]:
        _assert_saved(family)


def _assert_saved(family: Family) -> None:
    for name in COLUMNS:
        saved = pd.read_csv(f"results/{family}/{name}/mine.csv")["measure"].tolist()
        assert saved == getattr(found(NEIGHBORS).of_family(family), name)["measure"].tolist()


@pytest.mark.parametrize("family", ["", "intrinsic_dimension", "spectra"])
def test_another_family_is_answered_with_those_there_are(family: str) -> None:
    expected = rf"command line: key 'family': found '{family}'.* [aA]llowed: direction, spectrum, "
    with pytest.raises(InputError, match=expected):
        main(StageConfig("mine", {}, "", {}, [], [], {}, family=family))
