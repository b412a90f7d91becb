"""Computes what the figure of the helix shows of the path of the positions."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

# The shift of what is far away: upward, and along the axis as a share of the stretch.
RISE, LEAN = 0.25, 0.1
PEAK = 0.5  # share of the highest power that a peak with a name reaches


def local_periods(path: pd.DataFrame, n_steps: int) -> pd.DataFrame:
    """Return the middle and the positions per turn of each run of `n_steps` steps."""
    n_steps = max(1, min(n_steps, len(path) - 1))
    position, turns = (path[name].to_numpy(np.float64) for name in ("position", "turns"))
    n_turns = np.abs(turns[n_steps:] - turns[:-n_steps])
    with np.errstate(divide="ignore"):
        period = (position[n_steps:] - position[:-n_steps]) / n_turns
    middle = (position[n_steps:] + position[:-n_steps]) / 2
    return pd.DataFrame({"position": middle, "period": period})


def along_axis(path: pd.DataFrame) -> Float[np.ndarray, " n"]:
    """Return the coordinate along the axis, the slope of the path over the positions."""
    components = path[[f"component_{number}" for number in (1, 2, 3)]].to_numpy(np.float64)
    slope = np.polyfit(path["position"], components, 1)[0]
    along: Float[np.ndarray, " n"] = components @ (slope / np.linalg.norm(slope))
    return along


def most_even(position: pd.Series, along: Float[np.ndarray, " n"], n: int) -> slice:
    """Return the `n` successive positions along which the path advances most evenly."""
    n = min(n, len(along))
    linear = [
        np.corrcoef(position[start : start + n], along[start : start + n])[0, 1] ** 2
        for start in range(len(along) - n + 1)
    ]
    start = int(np.argmax(linear))
    return slice(start, start + n)


def seen_from_above(points: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 2"]:
    """Project points onto the page, as a view from above and the side shows them."""
    along, across, depth = points.T
    lean = LEAN * np.ptp(along) / (np.ptp(depth) / 2)
    return np.column_stack([along + lean * depth, across + RISE * depth])


def peaks(spectrum: pd.DataFrame, width: float) -> list[Any]:
    """Return the rows of high power that are highest within `width` of the frequency."""
    high = spectrum[spectrum["power"] >= PEAK * spectrum["power"].max()]
    frequency = high["frequency"].to_numpy()
    near = np.abs(np.subtract.outer(frequency, frequency)) <= width
    highest = np.where(near, high["power"].to_numpy(), 0).max(axis=1)
    return [*high.index[high["power"] == highest]]
