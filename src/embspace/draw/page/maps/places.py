"""Names the dense places of a map after the tokens that lie there."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from embspace.draw.page.canvas import HALO
from embspace.draw.page.looks import TOKEN_KINDS
from embspace.draw.page.maps.points import CUT
from embspace.draw.page.token_kinds import drawable

GRID = 90  # cells of a map's density, a side
APART = 9  # cells between named places
NEAREST = 12  # tokens that a place is named after
ONE_KIND = 0.75  # share of them that makes a place one of its kind


def name_places(ax: Axes, rows: pd.DataFrame, n_named: int) -> None:
    """Write the names of the densest places into a map, so that none covers another."""
    look: dict[str, Any] = {"fontsize": 7, "ha": "center", "va": "center", "path_effects": HALO}
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    taken: list[tuple[float, float, float]] = []
    for x, y, words in named_places(rows):
        half = min(0.011 * len(words), 0.5)
        # The whole name is inside the panel.
        across = float(np.clip((x - left) / (right - left), half, 1 - half))
        up = (y - bottom) / (top - bottom)
        free = all(abs(across - a) > half + h or abs(up - u) > 0.05 for a, u, h in taken)
        if len(taken) < n_named and free and 0 < up < 1:
            taken.append((across, up, half))
            ax.text(across, up, words, transform=ax.transAxes, **look).set_in_layout(False)


def named_places(rows: pd.DataFrame) -> list[tuple[float, float, str]]:
    """Return x, y and name of each dense place, the densest first; no name comes twice."""
    from scipy.ndimage import gaussian_filter, maximum_filter

    tokens = rows[(rows["space"] == "input") & (rows["kind"] != "special")]
    points = tokens[["x", "y"]].to_numpy(dtype=float)
    if len(points) < NEAREST:
        return []
    window = np.quantile(points, [CUT, 1 - CUT], axis=0).T
    counts, *edges = np.histogram2d(points[:, 0], points[:, 1], bins=GRID, range=window)
    fine, broad = gaussian_filter(counts, 1), gaussian_filter(counts, APART)
    contrast = fine**2 / (broad + 1e-9)  # a clump in an empty place is one, too
    is_peak = (contrast == maximum_filter(contrast, size=2 * APART)) & (fine > 0)
    cells = np.argwhere(is_peak)[np.argsort(-contrast[is_peak], kind="stable")]
    found: dict[str, tuple[float, float, str]] = {}
    for cell in cells:
        place = np.array([edge[[i, i + 1]].mean() for edge, i in zip(edges, cell, strict=True)])
        near = np.argsort(((points - place) ** 2).sum(axis=1), kind="stable")[:NEAREST]
        words = _name(tokens.iloc[near])
        found.setdefault(words, (*place, words))
    return list(found.values())


def _name(tokens: pd.DataFrame) -> str:
    """Return the kind that most of the tokens have, if it is not that of words, else two tokens."""
    shares = tokens["kind"].value_counts(normalize=True)
    if shares.iloc[0] >= ONE_KIND and shares.index[0] not in ("word", "other"):
        return TOKEN_KINDS[str(shares.index[0])].name
    spelled = tokens.loc[tokens["kind"].isin(["word", "subword", "number"]), "token"]
    return ", ".join(drawable(token) for token in spelled[:2])
