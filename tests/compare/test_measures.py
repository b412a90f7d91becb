from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.measures import Source, compare_measures, main
from embspace.compare.paired_bounds import NO_UNITS, OTHER_HALVES, OTHER_UNITS, POPULATION
from embspace.errors import InputError
from embspace.files.tables import save_table
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.measure.tables.deviations import COLUMNS as OF_HALVES
from embspace.measure.tables.deviations import by_row, units_named, without_deviations
from embspace.settings.schema import read_yaml, validate
from embspace.settings.stage import StageConfig, settings_schema

FILE = Path(__file__).parents[2] / "conf/compare/measures.yaml"
SOURCES = [Source(**fields) for fields in read_yaml(FILE)["sources"]]
LEVEL = 0.9
SAMPLED = [source for source in SOURCES if source.halves]
N_UNITS, N_DRAWS = 12, 40
Tables = dict[str, tuple[pd.DataFrame, pd.DataFrame]]
Change = Callable[[pd.DataFrame], pd.DataFrame]


def results(one: tuple[float, int], other: tuple[float, int]) -> Tables:
    """Of both models a table of each source: two groups, of equal values, so many in a row."""
    return {source.file: (rows_of(source, *one), rows_of(source, *other)) for source in SOURCES}


def rows_of(source: Source, value: float, longest: int) -> pd.DataFrame:
    groups = [dict.fromkeys(source.keys, label) for label in ("a", "b")]
    rows = [
        group | ({source.along: at} if source.along else {}) | {"ignored": 0.0}
        for group in (groups if source.keys else [{}])
        for at in range(longest if source.along else 1)
    ]
    return pd.DataFrame(rows).assign(**dict.fromkeys(source.quantities, value))


def as_it_is(part: pd.DataFrame) -> pd.DataFrame:
    return part


def halves(
    tables: Tables, change_of_one: Change = as_it_is, change_of_other: Change = as_it_is
) -> Tables:
    """Of each row of a sampled source, of the same units in both models, before the changes."""
    parts: dict[str, tuple[list[pd.DataFrame], list[pd.DataFrame]]] = {}
    for source in SAMPLED:
        both = parts.setdefault(str(source.halves), ([], []))
        for number, change in enumerate((change_of_one, change_of_other)):
            rng = np.random.default_rng(number)
            n_rows = len(tables[source.file][number])
            for quantity in source.quantities:
                part = pd.DataFrame({"table": source.table, "row": range(n_rows)})
                part = part.assign(quantity=quantity, **units_named(range(N_UNITS)))
                part["deviations"] = by_row(rng.normal(size=(N_DRAWS, n_rows)))
                both[number].append(change(part))
    return {
        file: (pd.concat(first, ignore_index=True), pd.concat(second, ignore_index=True))
        for file, (first, second) in parts.items()
    }


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return tables of two models of unequal depth; if empty, without rows."""
    tables = results((3.0, 3), (1.0, 2))
    deviations = halves(tables)
    if is_empty:
        tables, deviations = (
            {file: (one[:0], other[:0]) for file, (one, other) in both.items()}
            for both in (tables, deviations)
        )
    return {"results": tables, "halves": deviations}


def compared(one: tuple[float, int], other: tuple[float, int], **change: Any) -> pd.DataFrame:
    tables = results(one, other)
    return measures(tables, halves(tables, **change))


def measures(results: Tables, halves: Tables, sources: list[Source] = SOURCES) -> pd.DataFrame:
    return compare_measures(results, halves, sources=sources, level=LEVEL)["csv"]


def test_corpora_of_too_few_documents_have_deviations_without_a_column():
    tables = {
        file: (one[:0], other[:0]) for file, (one, other) in results((3.0, 3), (1.0, 2)).items()
    }
    nothing = {
        source.halves: (pd.DataFrame(), pd.DataFrame()) for source in SOURCES if source.halves
    }
    assert measures(tables, nothing)["difference_low"].isna().all()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return compared((3.0, 3), (1.0, 2))


def is_sampled(table: pd.DataFrame) -> pd.Series:
    return table["noun"].isin([source.noun for source in SAMPLED])


def test_every_source_is_there_with_its_difference(table: pd.DataFrame):
    named = table[["noun", "table"]].drop_duplicates().to_numpy().tolist()
    assert named == [[source.noun, source.table] for source in SOURCES]
    both = table.dropna(subset=["model_value", "other_model_value"])
    assert (both["difference"] == 2).all()
    rows = table[(table["noun"] == "similarity") & (table["quantity"] == "mean")]
    assert list(rows["group"]) == ["a / a", "b / b"]
    assert rows["at"].isna().all()


def test_what_one_alone_has_stays_and_has_no_difference(table: pd.DataFrame):
    profile = table[table["table"] == "profiles"]
    assert list(profile["at"]) == [0, 1, 2]
    assert list(profile["model_value"]) == [3, 3, 3]
    assert profile["other_model_value"].isna().tolist() == [False, False, True]
    assert profile["difference"].isna().tolist() == [False, False, True]
    lonely = table[table["difference"].isna()]
    assert lonely[["difference_low", "n_paired", "no_bounds"]].isna().all(axis=None)


def layers_of(differences: pd.DataFrame) -> list[list[float]]:
    rows = differences[
        (differences["noun"] == "search") & (differences["quantity"] == "recall_at_1")
    ]
    rows = rows[rows["group"] == "a / a / a"].sort_values(["at", "other_at"])
    return rows[["at", "other_at"]].fillna(-1).to_numpy().tolist()


def test_layers_go_together_that_lie_equally_deep():
    """Six layers after the embeddings beside three: the last is compared with the last."""
    differences = compared((3.0, 7), (1.0, 4))
    both = differences.dropna(subset="difference")
    assert layers_of(both) == [[0, 0], [2, 1], [4, 2], [6, 3]]
    sampled = both[is_sampled(both)]
    assert set(sampled["n_paired"]) == {N_UNITS}
    assert layers_of(differences[differences["difference"].isna()]) == [[1, -1], [3, -1], [5, -1]]
    turned = compared((3.0, 4), (1.0, 7))
    assert layers_of(turned.dropna(subset="difference")) == [[0, 0], [1, 2], [2, 4], [3, 6]]
    assert layers_of(turned[turned["difference"].isna()]) == [[-1, 1], [-1, 3], [-1, 5]]
    profile = differences[differences["table"] == "profiles"]
    assert profile["at"].equals(profile["other_at"])


def test_whatever_is_of_a_sample_has_bounds(table: pd.DataFrame):
    both = table[table["difference"].notna()]
    sampled = both[is_sampled(both)]
    assert (sampled["difference_low"] < sampled["difference_high"]).all()
    assert set(sampled["n_paired"]) == {N_UNITS}
    assert sampled["no_bounds"].isna().all()
    unsampled = both[~is_sampled(both)]
    assert unsampled[["difference_low", "difference_high", "n_paired"]].isna().all(axis=None)
    assert set(unsampled["no_bounds"]) == {POPULATION}


def test_equal_models_do_not_differ_in_any_half():
    def same(part: pd.DataFrame) -> pd.DataFrame:
        return part.assign(deviations=by_row(np.tile(np.arange(float(N_DRAWS)), (len(part), 1)).T))

    for value in (3.0, 1.0):  # another model is the same plus a constant
        differences = compared((3.0, 2), (value, 2), change_of_one=same, change_of_other=same)
        sampled = differences[is_sampled(differences)]
        assert (sampled["difference_low"] == 3 - value).all()
        assert (sampled["difference_high"] == 3 - value).all()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda part: part.assign(**units_named(range(1, N_UNITS + 1))), OTHER_UNITS),
        (lambda part: part.assign(deviations=by_row(np.ones((9, len(part))))), OTHER_HALVES),
        (lambda part: part[:0], NO_UNITS),
    ],
)
def test_without_common_halves_there_are_no_bounds(change: Any, reason: str):
    differences = compared((3.0, 2), (1.0, 2), change_of_other=change)
    assert differences[["difference_low", "difference_high", "n_paired"]].isna().all(axis=None)
    assert set(differences.loc[is_sampled(differences), "no_bounds"]) == {reason}
    assert (differences["difference"] == 2).all()


def test_a_model_without_rows_leaves_the_other_alone():
    tables = results((3.0, 3), (1.0, 2))
    empty = {file: (one, other[:0]) for file, (one, other) in tables.items()}
    none = pd.DataFrame(columns=OF_HALVES)
    kept = {file: (one, none) for file, (one, _) in halves(tables).items()}
    differences = measures(empty, kept)
    assert differences["other_model_value"].isna().all()
    assert (differences["model_value"] == 3).all()


SEARCH = next(source for source in SOURCES if source.noun == "search")


def test_a_table_without_rows_may_lack_its_quantities():
    tables = results((1.0, 2), (2.0, 2))
    kept = halves(tables)
    for source in SOURCES:
        if source.noun == "text_clouds":
            about = [*source.keys, *([source.along] if source.along else [])]
            one, other = tables[source.file]
            tables[source.file] = (one[about][:0], other[about][:0])
    differences = measures(tables, kept)
    assert "text_clouds" not in set(differences["noun"])
    others = differences["noun"].drop_duplicates().tolist()
    assert others == list(dict.fromkeys(s.noun for s in SOURCES if s.noun != "text_clouds"))


def paired(seed: int, n: int, shared: float) -> tuple[pd.Series, list[float]]:
    """A row of two models' means of n units, the truth being 1; how wide the bounds of each are.

    The units of both have a part of this standard deviation in common, beside one of 1.
    """
    rng = np.random.default_rng(seed)
    common = shared * rng.exponential(size=n)
    tables, kept, widths = [], [], []
    for truth in (1.0, 0.0):
        x = truth + common + rng.normal(size=n)
        interval = half_sample_interval(
            lambda units, x=x: np.asarray(x[units].mean()),
            n,
            n_resamples=60,
            level=LEVEL,
            generator=np.random.default_rng(seed),
        )
        widths.append(float(interval.high - interval.low))
        row = dict.fromkeys(SEARCH.keys, "a") | dict.fromkeys(SEARCH.quantities, x.mean())
        table = pd.DataFrame([row | {"layer": 0} | units_named(range(n))])
        table["recall_at_1_deviations"] = by_row(interval.deviations[:, np.newaxis])
        published, deviations = without_deviations({"search": table})
        tables.append(published["search"])
        kept.append(deviations)
    differences = measures(
        {SEARCH.file: (tables[0], tables[1])},
        {str(SEARCH.halves): (kept[0], kept[1])},
        [SEARCH],
    )
    return differences.set_index("quantity").loc["recall_at_1"], widths


@pytest.mark.parametrize("n_trials", [50, pytest.param(100, marks=pytest.mark.slow)])
def test_bounds_hold_the_truth_as_often_as_they_say(n_trials: int):
    covered = 0
    for seed in range(n_trials):
        row, _ = paired(seed, 30, 1.0)
        covered += row["difference_low"] <= 1 <= row["difference_high"]
    # Nine tenths, less what n costs; 50 trials have a standard error of 0.04, 100 of 0.03.
    assert 0.8 <= covered / n_trials <= 0.98


def test_what_is_so_in_both_models_cancels():
    for seed in range(5):
        row, widths = paired(seed, 200, 4.0)
        width = row["difference_high"] - row["difference_low"]
        assert width < min(widths) / 2
        # Of independent parts of variance 1 alone.
        assert width == pytest.approx(2 * 1.645 * np.sqrt(2 / 200), rel=0.4)


# What the settings may say.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quantites": []}, r"'sources\.3\.quantites' is unknown; .* did you mean 'quantities'\?"),
        ({"quantities": []}, r"'sources\.3\.quantities': List should have at least 1 item"),
        ({"file": "results/x.csv"}, r"'sources\.3\.file': .* match .*, found 'results/x\.csv'"),
        ({"halves": "results/x/{}.csv"}, r"'sources\.3\.halves': String should match"),
        ({"along": 3}, r"'sources\.3\.along': Input should be a valid string, found 3"),
    ],
)
def test_a_source_that_does_not_fit_is_named(change: dict[str, Any], message: str):
    content = read_yaml(FILE)
    content["sources"][3] |= change
    with pytest.raises(InputError, match=rf"measures\.yaml: key {message}"):
        validate(settings_schema(compare_measures), content, "conf/compare/measures.yaml")


@pytest.mark.parametrize("key", ["keys", "along", "quantities"])
def test_a_column_that_no_table_has_is_named(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    save_table(pd.DataFrame({"space": ["a"], "share": [0.5], "dim": [3]}), "results/x/one.csv")
    given = {"keys": ["space"], "along": "share", "quantities": ["dim"]}
    typo = "shape" if key == "along" else ["shape"]
    source = Source(noun="x", table="x", file="results/x/{}.csv", **given | {key: typo})
    settings = {"sources": [source], "level": LEVEL}
    config = StageConfig("", {}, "", {}, [], [], settings, pair="one--two")
    message = r"a column of results/x/one\.csv: found 'shape'; .* allowed: space, share"
    with pytest.raises(InputError, match=message):
        main(config)


def test_tables_are_loaded_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    source = Source(noun="x", table="x", file="results/x/{}.csv", keys=[], quantities=["dim"])
    for name, value in (("one", 5), ("two", 3)):
        save_table(pd.DataFrame({"dim": [value]}), source.file.format(name))
    settings = {"sources": [source], "level": LEVEL}
    main(StageConfig("", {}, "", {}, [], [], settings, pair="one--two"))
    assert pd.read_csv("results/measures/one--two.csv")["difference"].tolist() == [2]
    main(StageConfig("", {}, "", {}, [], [], settings, pair="two--one"))
    assert pd.read_csv("results/measures/two--one.csv")["difference"].tolist() == [-2]
