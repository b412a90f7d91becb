"""What DADApy finds in clouds that anyone can make again, kept in dadapy_reference.json.

DADApy needs NumPy < 2 and can be no dependency of ours. To compute its values anew, in an
environment of its own with `pip install 'numpy<2' dadapy==0.3.4`, from the root of the project:

    python -m tests.geometry.dadapy_reference

For this reason nothing of embspace is imported here.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SEED = 0
N = 2000
SCALES = (1, 2, 4, 8, 16, 32, 64)
N_OF_VIEWS = 500
ROUNDED = "Gaussian of 20"
VIEWS = ("cube of 5", "Gaussian of 20", "Swiss roll")
KEPT = Path(__file__).with_suffix(".json")


def cube(d: int, n: int = N) -> np.ndarray:
    return np.random.default_rng(SEED).uniform(size=(n, d))


def gaussian(d: int) -> np.ndarray:
    return np.random.default_rng(SEED).normal(size=(N, d))


def swiss_roll() -> np.ndarray:
    turn, height = np.random.default_rng(SEED).uniform(size=(2, N))
    angle = 1.5 * np.pi * (1 + 2 * turn)
    return np.column_stack([angle * np.cos(angle), 21 * height, angle * np.sin(angle)])


def cube_with_twins(d: int) -> np.ndarray:
    """A cube in which 40 vectors have another one far nearer than all others."""
    apart = cube(d, N - 40)
    moved = 1e-3 * np.random.default_rng(SEED + 1).normal(size=(40, d))
    return np.concatenate([apart, apart[:40] + moved])


CLOUDS: dict[str, Callable[[], np.ndarray]] = {
    "cube of 2": lambda: cube(2),
    "cube of 5": lambda: cube(5),
    "cube of 10": lambda: cube(10),
    "Gaussian of 20": lambda: gaussian(20),
    "Swiss roll": swiss_roll,
    "cube of 5 with twins": lambda: cube_with_twins(5),
}


def kept() -> dict[str, dict[str, Any]]:
    """By cloud: what DADApy found, Gride by scale, and the cloud's sum of squares."""
    return json.loads(KEPT.read_text(encoding="utf-8"))["clouds"]


def found_by_dadapy(x: np.ndarray) -> dict[str, Any]:
    from dadapy import Data

    values, errors, _ = Data(x).return_id_scaling_gride(range_max=2 * SCALES[-1])
    return {
        "sum_of_squares": _rounded((x**2).sum()),
        "gride": [_rounded(value) for value in values],
        "gride_error": [_rounded(error) for error in errors],
        "two_nn_base": _rounded(Data(x).compute_id_2NN(algorithm="base")[0]),
        "two_nn_ml": _rounded(Data(x).compute_id_2NN(algorithm="ml")[0]),
    }


def imbalances_by_dadapy(x: np.ndarray) -> dict[int, list[float]]:
    """By number of neighbors: from the cloud to its first coordinate, and back."""
    from dadapy import MetricComparisons

    known = MetricComparisons(x, maxk=len(x) - 1)  # ranks beyond maxk would be drawn by chance
    imbalances = {k: known.return_inf_imb_full_selected_coords([[0]], k=k)[:, 0] for k in (1, 5)}
    return {k: [_rounded(value) for value in both] for k, both in imbalances.items()}


def abide_by_dadapy(x: np.ndarray) -> list[list[float]]:
    """Dimension and error after one, two and three iterations from 5, with 100 neighbors."""
    from dadapy import Data

    values, errors, *_ = Data(x, maxk=100).return_ids_kstar_binomial(initial_id=5.0, n_iter=3)
    dimensions = zip(values[1:], errors[1:], strict=True)  # the first is the start
    return [[_rounded(value), _rounded(error)] for value, error in dimensions]


def labels_of(x: np.ndarray) -> np.ndarray:
    """Three labels, of shares that differ, by the first two coordinates."""
    first, second = (x[:, :2] > np.quantile(x[:, :2], [0.9, 0.6], axis=0).diagonal()).T
    return first.astype(int) + second


def label_overlaps_by_dadapy(x: np.ndarray) -> list[float]:
    """Of 30 neighbors, and of a quarter of each label, weighted by label."""
    from dadapy import MetricComparisons

    known = MetricComparisons(x, maxk=len(x) - 1)
    plain = known.return_label_overlap(labels_of(x), k=30, weighted=False)
    return [
        _rounded(plain),
        _rounded(known.return_label_overlap(labels_of(x), class_fraction=0.25)),
    ]


def imbalances_with_rounded(x: np.ndarray) -> list[float]:
    """From the cloud to a copy in whole numbers, of which many are equally far, and back."""
    from dadapy import MetricComparisons

    both = MetricComparisons(x).return_information_imbalace(np.round(x), subset_size=len(x))
    return [_rounded(mean) for mean, _ in both]


def _rounded(value: float) -> float:
    return float(f"{value:.10g}")


def main() -> None:
    from importlib.metadata import version

    libraries = ("dadapy", "numpy", "scipy", "scikit-learn")
    content: dict[str, Any] = {
        "versions": {name: version(name) for name in libraries},
        "scales": SCALES,
        "clouds": {name: found_by_dadapy(make()) for name, make in CLOUDS.items()},
    }
    for name in VIEWS:
        x = CLOUDS[name]()[:N_OF_VIEWS]
        content["clouds"][name]["imbalances"] = imbalances_by_dadapy(x)
        content["clouds"][name]["abide"] = abide_by_dadapy(x)
        content["clouds"][name]["label_overlaps"] = label_overlaps_by_dadapy(x)
    x = CLOUDS[ROUNDED]()[:N_OF_VIEWS, :4]
    content["clouds"][ROUNDED]["imbalances_with_rounded"] = imbalances_with_rounded(x)
    KEPT.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
