"""Names kinds of tokens and dense places of a map, outside of it, with leaders."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from embspace.draw.page.canvas import HALO
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import SPACES, TOKEN_KINDS
from embspace.draw.page.maps.points import CUT
from embspace.draw.page.token_kinds import drawable

GRID = 90  # cells of a map's density, a side
APART = 9  # cells between named places
BROAD = 3  # cells, three times as wide, over which a kind's density is smoothed
NEAREST = 12  # tokens that a place is named after
N_TOKENS = 3  # of them, in the name
GAP = 0.06  # of the panel's height, between two names
BESIDE = 0.4  # of the map's width, of each name's room
LEADER = {"arrowstyle": "-", "lw": 0.6, "shrinkA": 1}
LIGHTEST = 0.45  # lightness of a name
FEWEST = 30  # tokens of a kind with a name


class Place(NamedTuple):
    """A place of a map, its name and the color of the name."""

    x: float
    y: float
    words: str
    color: tuple[float, float, float]


def name_outside(ax: Axes, places: Sequence[Place], *, is_led: bool) -> None:
    """Write names to the left and right of a map; `is_led`: with lines to the places."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    room = BESIDE * (right - left)
    ax.set_xlim(left - room, right + room)
    middle = float(np.median([place.x for place in places])) if places else 0.0
    for side, edge in (("right", left), ("left", right)):
        own = [place for place in places if (place.x < middle) == (side == "right")]
        wanted = [(place.y - bottom) / (top - bottom) for place in own]
        for place, height in zip(own, spread(wanted, GAP, 0.02), strict=True):
            y = bottom + height * (top - bottom)
            ax.annotate(
                place.words,
                (place.x, place.y),
                (edge, y),
                ha=side,
                va="center",
                fontsize=7,
                color=place.color,
                path_effects=HALO,
                arrowprops=LEADER | {"color": place.color} if is_led else None,
            ).set_in_layout(False)
    if is_led:
        ends = pd.DataFrame(places, columns=Place._fields)
        ax.scatter(ends["x"], ends["y"], s=7, c=[*ends["color"]], ec="white", lw=0.5, zorder=3)


def kinds_on(rows: pd.DataFrame) -> list[Place]:
    """Return the densest places of positions and of all kinds with enough tokens."""
    tokens = rows[rows["space"] == "input"]
    named = {
        kind: (TOKEN_KINDS[str(kind)].name, TOKEN_KINDS[str(kind)].color)
        for kind, n in tokens["kind"].value_counts().items()
        if n >= FEWEST and kind not in ("other", "special")
    }
    places = [
        Place(*_densest(tokens[tokens["kind"] == kind]), words, _dark(color))
        for kind, (words, color) in named.items()
    ]
    positions = rows[rows["space"] == "positional"]
    if len(positions):
        places.append(Place(*_densest(positions), "positions", _dark(SPACES["positional"].color)))
    return places


def _dark(color: str) -> tuple[float, float, float]:
    """Return a color, darkened if too light to read on white."""
    red, green, blue = to_rgb(color)
    share = min(1.0, LIGHTEST / (0.3 * red + 0.6 * green + 0.1 * blue + 1e-9))
    return red * share, green * share, blue * share


def _densest(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the middle of most rows: of a continent with a small dense clump, the continent."""
    from scipy.ndimage import gaussian_filter

    counts, edges = _density(rows, GRID // 3)
    broad = np.where(counts > 0, gaussian_filter(counts, BROAD, mode="constant"), 0)
    cell = np.unravel_index(broad.argmax(), broad.shape)
    x, y = (edge[[i, i + 1]].mean() for edge, i in zip(edges, cell, strict=True))
    return float(x), float(y)


def _density(rows: pd.DataFrame, n_cells: int) -> tuple[Float[np.ndarray, "n n"], list[np.ndarray]]:
    points = rows[["x", "y"]].to_numpy(dtype=float)
    window = np.quantile(points, [CUT, 1 - CUT], axis=0).T
    counts, *edges = np.histogram2d(points[:, 0], points[:, 1], bins=n_cells, range=window)
    return counts, edges


def word_places(rows: pd.DataFrame, n_named: int) -> list[Place]:
    """Return dense places of words, the densest first, each named after the nearest tokens."""
    from scipy.ndimage import gaussian_filter, maximum_filter

    words = rows[(rows["space"] == "input") & (rows["kind"] == "word")]
    if len(words) < NEAREST:
        return []
    counts, edges = _density(words, GRID)
    fine, broad = gaussian_filter(counts, 1), gaussian_filter(counts, APART)
    contrast = fine**2 / (broad + 1e-9)  # a clump in an empty place is one, too
    is_peak = (contrast == maximum_filter(contrast, size=2 * APART)) & (fine > 0)
    cells = np.argwhere(is_peak)[np.argsort(-contrast[is_peak], kind="stable")]
    points, places = words[["x", "y"]].to_numpy(dtype=float), []
    for cell in cells[:n_named]:
        place = np.array([edge[[i, i + 1]].mean() for edge, i in zip(edges, cell, strict=True)])
        nearest = np.argsort(((points - place) ** 2).sum(axis=1), kind="stable")[:NEAREST]
        # A low id means a frequent token, which a reader knows.
        known = words.iloc[nearest].sort_values("id")["token"][:N_TOKENS]
        named = ", ".join(drawable(str(token)) for token in known)
        x, y = map(float, place)
        places.append(Place(x, y, named, _dark(TOKEN_KINDS["word"].color)))
    return places
