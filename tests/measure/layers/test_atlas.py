from itertools import product
from typing import Any

import pandas as pd
import pytest

from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.atlas import FAMILIES, measure_atlas, widening
from embspace.measure.layers.layer_profiles import TABLES
from tests.analyses import settings_of

MEASURES = {"direction": ["mean_cosine", "cone_index"], "spectrum": ["stable_rank"]}


def inputs(*, is_empty: bool) -> dict[str, Any]:
    """Return profiles of a corpus in conf, or of another corpus."""
    return {"profiles": profiles("notes" if is_empty else "articles"), "nulls": nulls()}


NULL_COLUMNS = ["measure", "layer", "value", "null_mean", "null_smallest", "null_largest", "change"]


def nulls(measure: str = "mean_cosine", *means: float) -> pd.DataFrame:
    """Return a measure at random weights by layer, beside trained values 0.2, 0.3, 0.7."""
    keys = {"corpus": "posts", "null": "random_initialization", "space": "token"}
    rows = [
        {"measure": measure, "layer": layer, "value": value, "null_mean": mean, "change": "as_is"}
        | {"null_smallest": mean - 0.01, "null_largest": mean + 0.01}
        | keys
        for layer, (value, mean) in enumerate(zip((0.2, 0.3, 0.7), means, strict=False))
    ]
    return pd.DataFrame(rows, columns=[*NULL_COLUMNS, *keys])


def by_layers(values: list[float], half_width: float, **change: Any) -> pd.Series:
    """Return what is said of a measure with these values by layer."""
    columns = [*TABLES["profiles"].columns]
    rows = pd.DataFrame({"value": values, "layer": range(len(values))}, columns=columns).assign(
        low=[value - half_width for value in values],
        high=[value + half_width for value in values],
        corpus="notes",
        space="token",
        change="as_is",
        measure="mean_cosine",
        converged=True,
    )
    settings = settings_of(measure_atlas) | {"corpus": "notes", "space": "token"}
    none = dict.fromkeys(FAMILIES, rows[:0])
    known = {"profiles": none | {"direction": rows.assign(**change)}, "nulls": nulls()}
    return measure_atlas(**known, **settings)["measures"].iloc[0]


def profiles(corpus: str = "notes") -> dict[str, pd.DataFrame]:
    """The value says of which row it is."""
    return {
        family: pd.DataFrame(
            [
                {
                    "corpus": corpus,
                    "space": space,
                    "change": change,
                    "layer": layer,
                    "measure": measure,
                    "value": hash((corpus, space, change, layer, measure)) % 1000,
                    "n": 9,
                    "n_texts": 4,
                    "converged": True,
                }
                for corpus, space, change, layer, measure in product(
                    ("posts", corpus), ("token", "cls"), ("as_is", "whitened"), (0, 1), measures
                )
            ],
            columns=[*TABLES["profiles"].columns],
        )
        for family, measures in MEASURES.items()
    }


def test_the_measures_in_their_order_of_one_corpus_and_space_as_they_are() -> None:
    measures = ["stable_rank", "mean_cosine"]
    settings: dict[str, Any] = {"space": "cls", "measures": measures}
    table = measure_atlas(profiles(), nulls(), corpus="notes", **settings)["csv"]
    assert table["measure"].tolist() == ["stable_rank"] * 2 + ["mean_cosine"] * 2
    assert table["family"].tolist() == ["spectrum"] * 2 + ["direction"] * 2
    assert table["layer"].tolist() == [0, 1, 0, 1]
    for row in table.itertuples():
        expected = hash(("notes", "cls", "as_is", row.layer, row.measure)) % 1000
        assert row.value == expected


def test_what_is_not_there_is_left_out() -> None:
    settings: dict[str, Any] = {"measures": ["two_nn", "cone_index"]}
    table = measure_atlas(profiles(), nulls(), corpus="posts", space="token", **settings)["csv"]
    assert set(table["measure"]) == {"cone_index"}
    for corpus, space in (("essays", "token"), ("posts", "mean")):
        outcome = measure_atlas(profiles(), nulls(), corpus=corpus, space=space, **settings)
        assert outcome["csv"].empty and outcome["measures"].empty


def test_layers_differ_where_widened_intervals_do_not_meet() -> None:
    apart = by_layers([0.5, 0.25, 0.75], 0.1)
    assert (apart["differs"], apart["smallest_layer"], apart["largest_layer"]) == ("yes", 1, 2)
    assert by_layers([0.5, 0.5, 0.74], 0.1)["differs"] == "no"  # two intervals alone do not meet
    assert by_layers([0.5, 0.5, 0.74], 0.0)["differs"] == "yes"
    assert by_layers([0.5, 0.5, 0.5], 0.0)["differs"] == "no"


def test_values_that_depend_on_the_number_of_texts_take_no_part() -> None:
    kept = by_layers([0.5, 0.25, 0.75], 0.1, converged=[True, False, True])
    assert (kept["smallest_layer"], kept["n_converged"], kept["is_compared"]) == (0, 2, "yes")
    lost = by_layers([0.5, 0.25, 0.75], 0.1, converged=[True, False, False])
    assert (lost["n_converged"], lost["is_compared"], lost["differs"]) == (1, "no", "")
    assert by_layers([0.5, 0.25], 0.1, low=float("nan"))["differs"] == ""
    assert by_layers([0.5], 0.1)["differs"] == "no"


def test_of_equal_values_the_first_layer_is_named() -> None:
    equal = by_layers([7.0, 8.0] * 20, 0.1)
    assert (equal["smallest_layer"], equal["largest_layer"]) == (0, 1)


@pytest.mark.parametrize(
    ("random", "is_beyond"), [((0.3, 0.4, 0.35), "yes"), ((0.3, 0.9, 0.35), "no")]
)
def test_the_range_over_layers_stands_beside_that_of_random_weights(
    random: tuple[float, ...], is_beyond: str
) -> None:
    settings = settings_of(measure_atlas) | {"corpus": "notes", "space": "token"}
    settings |= {"measures": MEASURES["direction"]}
    known = nulls("mean_cosine", *random)
    measures = measure_atlas(profiles(), known, **settings)["measures"].set_index("measure")
    row = measures.loc["mean_cosine"]
    assert row["trained_range"] == pytest.approx(0.5)
    assert row["random_weights_range"] == pytest.approx(0.02 + max(random) - min(random))
    assert (row["beyond_random_weights"], row["random_weights_corpus"]) == (is_beyond, "posts")
    assert pd.isna(measures.loc["cone_index", "beyond_random_weights"])


def test_intervals_widen_with_the_number_of_pairs_of_layers() -> None:
    assert widening(2) == pytest.approx(1)
    assert widening(7) == pytest.approx(3.038 / 1.960, rel=1e-3)


def test_the_settings_of_the_project_name_measures_of_all_families() -> None:
    known = {name: measure.family for name, measure in profiled_measures().items()}
    assert {known[name] for name in settings_of(measure_atlas)["measures"]} == {*FAMILIES}
