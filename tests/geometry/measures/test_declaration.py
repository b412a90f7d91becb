"""Holds every measure to its declaration: what it leaves as it is, its example, what it takes."""

import doctest
import json
import pickle
from typing import Any

import numpy as np
import pytest

import embspace.geometry.measures.declaration as module
from embspace.geometry.inference.shared_inputs import inputs_of
from embspace.geometry.measures.declaration import (
    TRANSFORMATIONS,
    Definition,
    Estimate,
    measure,
    value_of,
)
from embspace.geometry.measures.registry import definitions
from tests.geometry.clouds import CHANGED, CLOUD, WORDS, arguments
from tests.lazy import torch

DEFINED = list(definitions().values())
EVERY = pytest.mark.parametrize("defined", DEFINED, ids=[measure.name for measure in DEFINED])


OF_NEIGHBORS = ("intrinsic_dimension", "hubs")
OF_PATHS = "text_curvature"  # the measures that take the tokens of a text in order
OF_ROWS = ("group", "other", "labels")  # arguments that have an entry for each vector


def value(defined: Definition, x: Any, **changed: Any) -> float:
    options = arguments(defined.name, defined.family) | changed
    return value_of(defined.function(x, **options))


@EVERY
@pytest.mark.parametrize("change", TRANSFORMATIONS)
def test_a_measure_is_invariant_to_what_it_says_and_to_nothing_else(
    defined: Definition, change: str
) -> None:
    options = arguments(defined.name, defined.family)
    alike = {key: CHANGED[change](option) for key, option in options.items() if key == "larger"}
    before, after = value(defined, CLOUD), value(defined, CHANGED[change](CLOUD), **alike)
    if change in defined.invariant_to:
        # Neighbors are those of the vectors in float32.
        tolerance = 1e-3 if defined.family in OF_NEIGHBORS else 1e-6
        assert after == pytest.approx(before, rel=tolerance, abs=1e-9)
    else:
        assert abs(after - before) > 1e-5 * abs(before) or defined.name.startswith("n_")


@EVERY
def test_the_order_of_the_vectors_changes_nothing(defined: Definition) -> None:
    rng, options = np.random.default_rng(3), arguments(defined.name, defined.family)
    order = rng.permutation(len(CLOUD))
    if defined.name.startswith(OF_PATHS):  # whole texts are moved
        order = np.argsort(rng.permutation(len(CLOUD))[options["group"]], kind="stable")
    moved = {key: option[order] for key, option in options.items() if key in OF_ROWS}
    assert value(defined, CLOUD[order], **moved) == pytest.approx(value(defined, CLOUD), rel=1e-9)


@EVERY
def test_tensors_and_short_floats_are_as_good_as_arrays(defined: Definition) -> None:
    short = CLOUD.astype(np.float32)
    expected = value(defined, short.astype(np.float64))
    assert value(defined, short) == expected
    assert value(defined, torch.from_numpy(short)) == expected
    assert value(defined, torch.from_numpy(short).requires_grad_()) == expected


@pytest.mark.parametrize(
    "defined", [measure for measure in DEFINED if measure.shared], ids=lambda measure: measure.name
)
def test_what_is_shared_is_as_good_as_the_vectors(defined: Definition) -> None:
    shared = inputs_of(CLOUD, [defined], {"word": WORDS, "text": WORDS}, {})[defined.shared]
    assert value(defined, shared) == pytest.approx(value(defined, CLOUD), rel=1e-12)


@EVERY
def test_the_worked_example_is_true(defined: Definition) -> None:
    assert ">>> " in defined.example
    names = {measure.name: measure.function for measure in DEFINED}
    parsed = doctest.DocTestParser().get_doctest(defined.example, names, defined.name, None, 0)
    counts = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(parsed)
    assert counts.attempted and not counts.failed


@EVERY
def test_nothing_of_a_definition_is_empty(defined: Definition) -> None:
    texts = (defined.summary, defined.text, defined.formula, defined.range, defined.source)
    assert all(text.strip() for text in (*texts, defined.bias))
    assert defined.summary.endswith(".")
    assert "Examples" not in defined.text


@EVERY
@pytest.mark.parametrize("flaw", [np.nan, np.inf, -np.inf])
def test_a_flaw_is_named_by_its_row(defined: Definition, flaw: float) -> None:
    broken = CLOUD.copy()
    broken[7, 3] = flaw
    with pytest.raises(ValueError, match="NaN or infinity in row 7"):
        value(defined, broken)


@pytest.mark.parametrize("scale", [1e-15, 1e15])
def test_the_largest_magnitudes_are_measured_right(scale: float) -> None:
    for defined in DEFINED:
        if defined.shared in ("directions", "moments") and "scale" in defined.invariant_to:
            given = arguments(defined.name, defined.family)
            if "larger" in given:
                continue  # which would have another scale
            expected = value_of(defined.function(CLOUD, **given))
            measured = value_of(defined.function(CLOUD / np.abs(CLOUD).max() * scale, **given))
            assert measured == pytest.approx(expected, rel=1e-6), defined.name


def test_a_new_measure_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEFINED", dict(module.DEFINED))

    @measure(
        "direction",
        formula=r"\frac{1}{n} \sum_i |x_i|",
        range=r"[0,\ \infty)",
        source="this test",
        invariant_to=["rotation"],
        bias="None.",
    )
    def mean_norm(x: np.ndarray) -> float:
        """Mean length of a vector."""
        return float(np.linalg.norm(x, axis=1).mean())

    assert mean_norm(torch.tensor([[3.0, 4.0], [0.0, 0.0]])) == 2.5
    assert module.DEFINED["mean_norm"].summary == "Mean length of a vector."


def test_a_name_is_declared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEFINED", dict(module.DEFINED))
    with pytest.raises(ValueError, match="measure: mean_cosine is declared already"):

        @measure("direction", formula="x", range="x", source="x", invariant_to=[], bias="x")
        def mean_cosine(x: np.ndarray) -> float:
            """Another."""
            return float(x.mean())


def test_an_estimate_is_a_number_too() -> None:
    assert value_of(Estimate(2.5, 0.1, 10, 2)) == value_of(2.5) == 2.5


def test_an_estimate_formats_compares_and_adds_as_a_float():
    first, second = Estimate(2.5, 0.1, 10, 2), Estimate(3.0, float("nan"), 1000, 0)
    assert f"{first:.2f} {round(first, 0)}" == "2.50 2.0"
    assert first < second and first == 2.5 and max(first, 1.0) is first
    assert first + second == 5.5 and 1 - first == -1.5 and -first == -2.5
    assert sum([first, second]) == 5.5 and type(first + 1) is float
    assert np.mean([first, second]) == 2.75 and np.array([first, second]).dtype == np.float64
    assert first == pytest.approx(2.5) and json.dumps(first) == "2.5"
    copy = pickle.loads(pickle.dumps(first))
    assert (copy, copy.standard_error, copy.n, copy.dropped) == (2.5, 0.1, 10, 2)
    assert repr(first) == "Estimate(value=2.5, standard_error=0.1, n=10, dropped=2)"
    assert first._repr_html_() == "2.5 ± 0.1 (of 10 vectors, 2 left out)"
    assert second._repr_html_() == "3 (of 1,000 vectors)"
