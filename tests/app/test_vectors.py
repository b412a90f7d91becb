"""What `report_vectors` says of vectors is what the stages would say of them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.vectors import report_vectors
from embspace.errors import InputError
from embspace.geometry.pairs.directions import cosine_matrix
from embspace.measure.learned.explained_variance import measure_explained_variance
from embspace.measure.learned.nearest_neighbors import measure_nearest_neighbors
from embspace.measure.learned.separability import measure_separability
from embspace.measure.learned.similarity import measure_similarity
from embspace.models.tokenizer import numbered_vocabulary
from embspace.settings.params import read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings, settings_file
from tests.lazy import torch

N, DIM = 90, 12


@pytest.fixture(scope="module")
def x() -> np.ndarray:
    """The last thirty lie apart from the others."""
    rng = np.random.default_rng(0)
    shift = np.repeat([0.0, 1.5], [60, 30])[:, np.newaxis]
    return (rng.normal(size=(N, DIM)) + shift).astype(np.float32)


GROUPS = np.repeat(["near", "far"], [60, 30])
LABELS = [f"word{number}" for number in range(N)]


@pytest.fixture(scope="module")
def tables(root: Path, x: np.ndarray) -> dict[str, pd.DataFrame]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        return report_vectors(x, GROUPS, LABELS)


@pytest.fixture(autouse=True)
def _in_the_tree(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def settings(function: Callable[..., object]) -> dict[str, object]:
    file = settings_file(function)
    params = read_params().model_dump()
    return checked_settings(function, read_yaml(file), params, str(file))


def test_tables_of_all_are_those_of_the_stages(x: np.ndarray, tmp_path: Path):
    np.save(tmp_path / "x.npy", x)
    tables = report_vectors(tmp_path / "x.npy")
    names, matrices = numbered_vocabulary(N), {"input": x}
    similarity = measure_similarity(matrices, names, **settings(measure_similarity))
    neighbors = measure_nearest_neighbors(
        matrices, names, pd.DataFrame(), **settings(measure_nearest_neighbors)
    )
    variance = measure_explained_variance(matrices, **settings(measure_explained_variance))
    expected = {
        "similarity": similarity["summary"],
        "pairs": similarity["pairs"],
        "dimensions": variance["dimensions"],
        "nearest_neighbors": neighbors["summary"],
        "hubs": neighbors["hubs"],
    }
    assert list(tables) == list(expected)
    for name, table in expected.items():
        pd.testing.assert_frame_equal(tables[name], table)


def test_groups_are_told_apart_as_tokens_and_positions_are(
    x: np.ndarray, tables: dict[str, pd.DataFrame]
):
    row = tables["separability"].set_index("group").loc["far"]
    matrices = {"input": x[GROUPS == "near"], "positional": x[GROUPS == "far"]}
    expected = measure_separability(matrices, **settings(measure_separability))["json"]
    expected = pd.DataFrame.from_dict(expected, orient="index")
    expected = expected.rename_axis("preparation").reset_index()
    for column in ("preparation", "auc", "null_auc", "auc_standard_deviation"):
        assert row[column].tolist() == expected[column].tolist()
    assert (row["auc"] > 0.95).all()


def test_each_pair_is_in_one_row_of_the_groups(x: np.ndarray, tables: dict[str, pd.DataFrame]):
    by_group = tables["group_similarity"].set_index(["quantity", "group", "other_group"])
    whole = tables["similarity"].set_index("quantity")
    cosines = by_group.loc["cosine"]
    assert cosines["n"].tolist() == [30 * 29 // 2, 30 * 60, 60 * 59 // 2]
    assert cosines["n"].sum() == whole.loc["cosine", "n"]
    mean = np.average(cosines["mean"], weights=cosines["n"])
    assert mean == pytest.approx(whole.loc["cosine", "mean"], abs=1e-6)
    between = cosine_matrix(x[GROUPS == "far"], x[GROUPS == "near"]).mean()
    assert cosines.loc[("far", "near"), "mean"] == pytest.approx(between, abs=1e-6)
    assert by_group.loc["norm"]["n"].tolist() == [30, 60]


def test_small_groups_have_rows_and_what_is_not_defined_is_nan(x: np.ndarray):
    tables = report_vectors(x[:20], groups=["alone", *["rest"] * 19])
    alone = tables["group_similarity"].query("group == other_group == 'alone'")
    assert alone.set_index("quantity")["n"].to_dict() == {
        "norm": 1,
        "euclidean_distance": 0,
        "dot_product": 0,
        "cosine": 0,
    }
    assert tables["separability"]["auc"].isna().all()
    assert tables["separability"]["n"].tolist() == [1, 19]


def test_labels_name_the_rows(tables: dict[str, pd.DataFrame]):
    assert set(tables["pairs"]["token_1"]) <= set(LABELS)
    assert set(tables["hubs"]["token"]) <= set(LABELS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": ["a"]}, "groups: found 1, allowed: 90, one for each vector"),
        ({"labels": ["a"] * 91}, "labels: found 91, allowed: 90"),
        ({"vectors": np.ones((3, 5))}, "vectors: found 3 rows, allowed: 4 or more"),
        ({"vectors": np.full((5, 5), np.nan)}, "vectors: found 5 rows with NaN"),
        ({"vectors": np.ones(5)}, r"vectors: found the shape \(5,\)"),
        ({"vectors": "no.npy"}, "no.npy: not found"),
    ],
)
def test_what_does_not_fit_is_told(x: np.ndarray, change: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        report_vectors(**{"vectors": x, **change})


def test_too_many_groups_are_refused():
    with pytest.raises(InputError, match="groups: found 101, allowed: 100 at most"):
        report_vectors(np.random.default_rng(0).normal(size=(101, 4)), groups=range(101))


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_vectors_that_are_all_one_have_a_report_that_says_so(value: float):
    tables = report_vectors(np.full((30, 5), value), groups=["a", "b"] * 15)
    rows = tables["similarity"].set_index("quantity")
    assert rows.loc["norm", ["standard_deviation", "skewness"]].fillna(-1).tolist() == [0, -1]
    assert rows.loc["euclidean_distance", ["n", "mean"]].tolist() == [435, 0]
    assert rows.loc["cosine", "n"] == (435 if value else 0)
    assert np.isnan(rows.loc["cosine", "mean"]) == (not value)
    assert tables["dimensions"]["n_components"].isna().all()


def test_lists_and_tensors_are_vectors_too():
    x = np.random.default_rng(0).normal(size=(30, 5)).astype(np.float32)
    expected = report_vectors(x)["similarity"]
    for same in (x.tolist(), torch.tensor(x), pd.DataFrame(x)):
        pd.testing.assert_frame_equal(report_vectors(same)["similarity"], expected)
    with pytest.raises(InputError, match="vectors: .*masked array"):
        report_vectors(np.ma.masked_less(x, 0))


def test_a_list_of_lists_is_vectors(x: np.ndarray):
    dimensions = report_vectors(x.tolist())["dimensions"]
    pd.testing.assert_frame_equal(dimensions, report_vectors(x)["dimensions"], rtol=1e-5)
    with pytest.raises(InputError, match="vectors: .*found rows of several lengths"):
        report_vectors([[1.0], [1.0, 2.0]])
