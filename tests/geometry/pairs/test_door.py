"""Asks every function of the face of `embspace.geometry` in all forms that arrays come in."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from jaxtyping import Float, Int

import embspace.geometry as geometry
from embspace.geometry.attention.query_key_form import form_symmetry, skew_share
from embspace.geometry.groups.alignment import (
    nearest_rows,
    procrustes_distance,
    procrustes_fit,
    unbiased_hsic,
)
from embspace.geometry.groups.groups import (
    average_linkage,
    purity,
    same_group_neighbor_share,
    silhouettes,
)
from embspace.geometry.groups.paths import layer_share
from embspace.geometry.groups.shared_direction import mean_pair_cosine, shared_cosine
from embspace.geometry.maps.lines import order_along_tree
from embspace.geometry.maps.rings import largest_step_ratio, ring_neighbor_share
from embspace.geometry.measures.registry import definitions
from embspace.geometry.measures.spectrum import components_for, explained_variance
from embspace.geometry.pairs.directions import distance_matrix, unit_rows
from embspace.geometry.pairs.door import INVARIANCES, TRANSFORMATIONS, takes_arrays
from tests.geometry.clouds import CHANGED, CLOUD, LARGER, OTHER, WORDS, arguments
from tests.lazy import torch

NO_ARRAYS = {"definitions", "measure"}
NO_ARRAYS |= {"compare_clouds"}  # its masks have no other forms; tests/geometry/groups has it
# Their points are in the order of their rows.
ORDERED = {"one_dimensionality", "ring_order_correlation", "ring_neighbor_share"}
ORDERED |= {"largest_step_ratio"}
# Whole numbers that every type holds, eight bits of a mantissa, too.
WHOLE, WHOLE_OTHER = (np.rint(8 * x + 30).clip(0, 127) for x in (CLOUD, OTHER))
SMALL = WHOLE[:60]
DISTANCES = np.rint(distance_matrix(SMALL)).clip(max=127)
NEAR = {"n_neighbors": 3}
BESIDE: dict[str, tuple[Callable[..., Any], dict[str, np.ndarray], dict[str, Any]]] = {
    function.__name__: (function, arrays, options)
    for function, arrays, options in [
        *(
            (function, {"x": WHOLE, "y": WHOLE_OTHER}, {})
            for function in (
                geometry.linear_cka,
                geometry.debiased_linear_cka,
                geometry.procrustes_similarity,
                procrustes_distance,
                procrustes_fit,
                unbiased_hsic,
            )
        ),
        (geometry.cosine_matrix, {"x": WHOLE, "y": WHOLE[:50]}, {}),
        (geometry.uniformity, {"x": WHOLE}, {}),
        (geometry.positive_pair_alignment, {"x": WHOLE, "y": WHOLE[::-1]}, {}),
        (geometry.mutual_nearest_neighbors, {"x": WHOLE, "y": WHOLE_OTHER}, NEAR),
        (geometry.neighbor_overlap, {"a": WHOLE[:, :2], "b": WHOLE_OTHER[:, :3]}, NEAR),
        (geometry.map_quality, {"x": WHOLE, "layout": WHOLE_OTHER[:, :2]}, NEAR),
        (geometry.scan_pairs, {"x": WHOLE}, {"n_bins": 100}),
        (geometry.principal_components, {"x": WHOLE}, {"n_components": 2}),
        (geometry.covariance_eigenvalues, {"x": WHOLE}, {}),
        (geometry.effective_number, {"weights": WHOLE[:, 0]}, {}),
        (geometry.ring_order_correlation, {"x": SMALL}, {}),
        (geometry.one_dimensionality, {"x": SMALL, "positions": np.arange(60)}, {"n_shuffles": 3}),
        (geometry.estimate_over_texts, {"x": WHOLE, "text": WORDS}, {"n_half_samples": 3}),
        (ring_neighbor_share, {"x": SMALL}, {}),
        (largest_step_ratio, {"x": SMALL}, {}),
        (nearest_rows, {"x": WHOLE}, NEAR),
        (same_group_neighbor_share, {"x": WHOLE, "groups": WORDS}, NEAR),
        (form_symmetry, {"query": WHOLE, "key": WHOLE_OTHER @ np.eye(5, 12)}, {}),
        (skew_share, {"query": WHOLE, "key": WHOLE_OTHER @ np.eye(5, 12)}, {}),
        (average_linkage, {"distances": DISTANCES}, {"n_clusters": 4}),
        (silhouettes, {"distances": DISTANCES, "label": WORDS[:60]}, {}),
        (order_along_tree, {"distances": DISTANCES}, {}),
        (purity, {"cluster": WORDS, "label": WORDS[::-1]}, {}),
        (layer_share, {"x": np.stack([WHOLE, WHOLE[::-1]])}, {}),
        (mean_pair_cosine, {"x": WHOLE, "group": WORDS}, {}),
        (shared_cosine, {"x": WHOLE, "y": WHOLE[::-1], "group": WORDS}, {}),
        (explained_variance, {"eigenvalues": WHOLE[:, 0]}, {}),
        (components_for, {"eigenvalues": np.sort(WHOLE[:, 0])[::-1]}, {"share": 0.5}),
        (unit_rows, {"x": WHOLE}, {}),
    ]
}
ROWS = ("group", "labels", "other", "larger")  # arguments of measures that are arrays


def measure_call(name: str) -> tuple[Callable[..., Any], dict[str, np.ndarray], dict[str, Any]]:
    defined = definitions()[name]
    given = arguments(name, defined.family)
    if name == "iso_score_star":
        given["larger"] = np.rint(8 * LARGER + 30).clip(0, 127)
    if name == "information_imbalance":
        given["other"] = WHOLE_OTHER
    arrays = {key: given.pop(key) for key in ROWS if key in given}
    return defined.function, {"x": WHOLE, **arrays}, given


CALLS = BESIDE | {name: measure_call(name) for name in definitions()}
EVERY = pytest.mark.parametrize("name", CALLS)


def numbers(value: Any) -> np.ndarray:
    """All numbers of a result, one after the other."""
    if value is None or isinstance(value, str):
        return np.empty(0)
    if is_dataclass(value):
        value = [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return np.concatenate([np.empty(0), *map(numbers, value)])
    return np.ravel(np.asarray(value, dtype=np.float64))


def call(name: str, **changed: Any) -> np.ndarray:
    function, arrays, options = CALLS[name]
    if name in ("one_dimensionality", "estimate_over_texts"):
        options = {**options, "rng": np.random.default_rng(0)}
    if name == "estimate_over_texts":
        wanted = ("mean_cosine", "stable_rank")
        options["measures"] = [definitions()[key] for key in wanted]
    return numbers(function(**{**arrays, **changed}, **options))


def with_gaps(x: np.ndarray) -> np.ndarray:
    wide = np.full(tuple(2 * n for n in x.shape), 99, dtype=x.dtype)
    part = wide[tuple(slice(None, None, 2) for _ in x.shape)]
    part[...] = x
    return part


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


def backwards(x: np.ndarray) -> np.ndarray:
    return x[::-1].copy()[::-1]


def frame(x: np.ndarray, kind: Any = None) -> Any:
    if x.ndim > 2:
        return x
    made = pd.DataFrame(x) if x.ndim == 2 else pd.Series(x)
    return made.astype(kind) if kind else made


def tensor(x: np.ndarray, kind: str) -> Any:
    return torch.from_numpy(x.copy()).to(getattr(torch, kind))


def converter(kind: str) -> Callable[[np.ndarray], Any]:
    return lambda x: x.astype(kind)


def tensor_of(kind: str) -> Callable[[np.ndarray], Any]:
    return lambda x: tensor(x, kind)


class Foreign:
    """An array that is none of NumPy's, but tells where its values lie."""

    def __init__(self, x: np.ndarray) -> None:
        self.kept = np.ascontiguousarray(x)
        self.__array_interface__ = self.kept.__array_interface__


TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64", "longdouble", ">f4", ">f8"]
FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    **{kind: converter(kind) for kind in [*TYPES, ">i2"]},
    "columns first": np.asfortranarray,
    "with gaps": with_gaps,
    "backwards": backwards,
    "read-only": read_only,
    "lists": np.ndarray.tolist,
    "tuples": lambda x: tuple(x.tolist()),
    "list of rows": list,
    "data frame": frame,
    "Int64 of pandas": lambda x: frame(x, "Int64"),
    "int8 of pandas": lambda x: frame(x, "int8"),
    "series of rows": lambda x: pd.Series(list(x)),
    "memory": lambda x: memoryview(np.ascontiguousarray(x)),
    "an array of a library": Foreign,
    **{f"tensor {kind}": tensor_of(kind) for kind in ("uint8", "int8", "int32", "int64")},
    "tensor transposed": lambda x: tensor(x.T, "int16").T,
}
REAL_FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    **{kind: converter(kind) for kind in FLOATS},
    "Float64 of pandas": lambda x: frame(x, "Float64"),
    "tensor float64": lambda x: tensor(x, "float64"),
    "tensor float32 of a history": lambda x: tensor(x, "float32").requires_grad_() * 1,
    "tensor half": lambda x: tensor(x, "float16"),
    "tensor bfloat16": lambda x: tensor(x, "bfloat16"),
    "list of tensors": lambda x: list(tensor(x, "float32").requires_grad_()),
}


def formed(arrays: dict[str, np.ndarray], form: str) -> dict[str, Any]:
    """Each array in a form; whole numbers that name groups in one of whole numbers."""
    return {
        key: REAL_FORMS[form](x)
        if form in REAL_FORMS and x.dtype.kind == "f"
        else FORMS.get(form, list)(x.astype(np.int64) if x.dtype.kind == "i" else x)
        for key, x in arrays.items()
    }


def test_the_face_is_asked_whole() -> None:
    assert set(geometry.__all__) - NO_ARRAYS <= set(CALLS)


@EVERY
def test_every_form_gives_what_the_float64_array_gives(name: str) -> None:
    expected = call(name)
    assert expected.size
    # Rows of float32 stay so where the callers have large matrices of them.
    for form in [*FORMS, *REAL_FORMS]:
        narrow = name == "unit_rows" and "float32" in form or form in ("list of tensors",)
        values = call(name, **formed(CALLS[name][1], form))
        np.testing.assert_allclose(
            values, expected, rtol=1e-6 if narrow else 1e-9, atol=1e-9, err_msg=form
        )


def spoilt(x: np.ndarray, value: float) -> np.ndarray:
    x = x.copy()
    x.flat[x.size // 2] = value
    return x


class Failing:
    """Says that it is an array, and has no values."""

    def __array__(self, *given: Any, **named: Any) -> np.ndarray:
        raise RuntimeError("no values")


HOSTILE: dict[str, tuple[Callable[[np.ndarray], Any], str]] = {
    "masked": (lambda x: np.ma.masked_less(x, 30), "masked array"),
    "complex": (lambda x: x + 1j, "real numbers|whole numbers"),
    "texts": (lambda x: x.astype(str), "real numbers|whole numbers"),
    "objects": (lambda x: x.astype(object), "real numbers|whole numbers|object"),
    "dates": (lambda x: x.astype("datetime64[s]"), "real numbers|whole numbers"),
    "a dict": (lambda x: {"x": x}, "found dict"),
    "a text": (lambda x: "vectors", "found str"),
    "a generator": (lambda x: (row for row in x), "found generator"),
    "ragged": (lambda x: [[1.0, 2.0], [3.0]], "several lengths"),
    "a number": (lambda x: np.array(3.0), r"found (shape )?\(\)"),
    "sparse tensor": (lambda x: torch.tensor(x.copy()).to_sparse(), "sparse tensor"),
    "None": (lambda x: None, "found NoneType"),
    "an array that fails": (lambda x: Failing(), "found Failing: no values"),
    "tensors of several lengths": (
        lambda x: torch.nested.nested_tensor([torch.ones(3), torch.ones(2)]),
        "several lengths",
    ),
    "a tensor without values": (lambda x: torch.tensor(x.copy(), device="meta"), "without values"),
}
HOSTILE_MATRICES: dict[str, tuple[Callable[[np.ndarray], Any], str]] = {
    "np.matrix": (np.matrix, "np.matrix"),
    "sparse matrix": (scipy.sparse.csr_matrix, "sparse matrix"),
    "sparse array": (scipy.sparse.coo_array, "sparse matrix"),
    "a frame of texts": (lambda x: pd.DataFrame(x).astype(str), "real numbers"),
    "a frame with a gap": (lambda x: pd.DataFrame(x).astype("Int64").mask(x < 20), "NaN|rows"),
    "no rows": (lambda x: x[:0], r"0|at least"),
}
HOSTILE_NUMBERS: dict[str, tuple[Callable[[np.ndarray], Any], str]] = {
    "NaN": (lambda x: spoilt(x, np.nan), "NaN or infinity"),
    "infinity": (lambda x: spoilt(x, -np.inf), "NaN or infinity"),
    "too small": (lambda x: x * 1e-200, "rescale the matrix"),
    "rather small": (lambda x: x * 1e-20, "rescale the matrix"),
    "too large": (lambda x: x * 1e154, "rescale the matrix|NaN or infinity, in float32"),
    "rather large": (lambda x: x * 1e20, "rescale the matrix"),
}


# Functions that say what becomes of it.
DEFINED_OF = {
    "no rows": (
        *("average_linkage", "silhouettes", "cosine_matrix"),
        *("mean_pair_cosine", "shared_cosine", "unit_rows"),
    ),
    "a frame with a gap": ("average_linkage", "silhouettes", "unit_rows"),
}


def refusals(name: str) -> list[tuple[str, str, Any, str]]:
    """Argument, kind, what is given for it, and the message that has to name the argument."""
    rows = []
    for key, x in CALLS[name][1].items():
        if key == "labels":
            continue  # of any type
        kinds = dict(HOSTILE)
        if key == "group" or x.dtype.kind == "i":
            kinds = {kind: kinds[kind] for kind in ("masked", "complex", "sparse tensor")}
        elif x.ndim == 2:
            kinds |= HOSTILE_MATRICES | (
                {} if name in ("average_linkage", "silhouettes", "unit_rows") else HOSTILE_NUMBERS
            )
        rows += [(key, kind, make(x), message) for kind, (make, message) in kinds.items()]
    return rows


def may_be_none(name: str, argument: str) -> bool:
    annotation = signature(CALLS[name][0]).parameters[argument].annotation
    return annotation is Any or "None" in str(annotation)


@EVERY
def test_what_is_no_array_is_refused_by_name(name: str) -> None:
    for key, kind, given, message in refusals(name):
        if name in DEFINED_OF.get(kind, ()) or (given is None and may_be_none(name, key)):
            continue
        with pytest.raises(ValueError, match=rf"(?s){key}: .*({message})"):
            call(name, **{key: given})
            pytest.fail(f"{name}: {kind} of {key} is taken")


@EVERY
def test_views_of_other_points_are_refused(name: str) -> None:
    for key, x in list(CALLS[name][1].items())[1:]:
        if key == "larger" or name in ("cosine_matrix", "scan_pairs"):
            continue  # other vectors
        with pytest.raises(ValueError, match=rf"{len(x)}.*{len(x) - 1}"):
            call(name, **{key: x[:-1]})
            pytest.fail(f"{name}: {key} of fewer rows is taken")


def invariances(name: str) -> frozenset[str]:
    defined = definitions().get(name)
    return defined.invariant_to if defined else INVARIANCES.get(name, frozenset())


@EVERY
def test_what_is_declared_to_change_nothing_changes_nothing(name: str) -> None:
    if not invariances(name):
        pytest.skip("nothing is declared")
    arrays = dict(CALLS[name][1])
    first = next(iter(arrays))
    cloud = arrays[first] = CLOUD[: len(arrays[first])] if arrays[first].ndim == 2 else CLOUD[:, 0]
    if name == "neighbor_overlap":
        cloud = arrays[first] = cloud[:, :2]
    if name == "iso_score_star":
        arrays["larger"] = LARGER
    if name == "cosine_matrix":
        arrays["y"] = None  # type: ignore[assignment]
    expected = call(name, **arrays)
    changes: list[tuple[str, Callable[[np.ndarray], np.ndarray]]]
    changes = [(change, CHANGED[change]) for change in TRANSFORMATIONS]
    changes += [("scale", lambda x: 1000 * x), ("scale", lambda x: x / 700)]
    changes += [("translation", lambda x: x + 10)]
    for change, made in changes:
        if change in invariances(name):
            alike = {"larger": made(LARGER)} if "larger" in arrays else {}
            values = call(name, **{**arrays, first: made(cloud), **alike})
            np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9, err_msg=change)


ORDERED_CONSTANTS = ["ring_order_correlation", "ring_neighbor_share", "largest_step_ratio"]


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
@pytest.mark.parametrize(
    "name",
    [
        *ORDERED_CONSTANTS,
        "map_quality",
        "neighbor_overlap",
        "mutual_nearest_neighbors",
        "same_group_neighbor_share",
        "linear_cka",
        "debiased_linear_cka",
        "procrustes_similarity",
    ],
)
def test_of_a_constant_cloud_nothing_is_ordered(name: str, value: float) -> None:
    for key, x in CALLS[name][1].items():
        if x.dtype.kind == "f":
            values = call(name, **{key: np.full_like(x, value)})
            assert np.isnan(values[-3:]).all()  # the sizes of a map are first


def test_of_one_place_no_line_is_ordered() -> None:
    n, *values = call("one_dimensionality", x=np.full_like(SMALL, 0.1))
    assert n == len(SMALL)
    assert np.isnan(values[:4]).all()


@takes_arrays(single=True, at_least=2)
def both(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "n dim"] | None, of: Int[np.ndarray, " n"]
) -> Any:
    """Return what it takes."""
    return x, y, of


def test_float32_stays_float32_where_that_is_said() -> None:
    x = np.eye(3, dtype=np.float32)
    assert both(x, None, np.arange(3))[0] is x
    assert both(x.astype(np.float16), None, np.arange(3))[0].dtype == np.float64
    assert both(x, None, np.array([0, 1, 2], dtype=np.uint8))[2].dtype == np.int64


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.eye(3), np.eye(3)[:2], [0, 1, 2]), "y: expected the same points, found 3 and 2 rows"),
        ((np.eye(3), np.eye(3)[:, :2], [0, 1, 2]), "dims differ: x has 3, y has 2"),
        ((np.eye(3), None, [0, 1]), "of: expected the same points, found 3 and 2 rows"),
        ((np.eye(1), None, [0]), "x: expected at least 2 rows, found 1"),
        ((np.eye(3), None, [0.5, 1, 2]), "of: expected whole numbers, found float64"),
        ((np.eye(3), None, [[0, 1, 2]]), r"of: expected an array, \(n\), found shape \(1, 3\)"),
    ],
)
def test_what_does_not_fit_is_named(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        both(*given)


def test_a_file_that_is_mapped_is_as_good_as_an_array(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", WHOLE)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert geometry.linear_cka(mapped, WHOLE) == pytest.approx(1)


def test_a_tensor_on_another_device_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no device")
    x = torch.tensor(WHOLE, device="cuda")
    assert geometry.linear_cka(x, WHOLE) == pytest.approx(1)
