"""Draws the figure and the tables of `measure_interrelations`, after Luisto's tables 4 and 5."""

from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    HALO,
    absent,
    count,
    counted,
    legend_below,
    new_figure,
    say_absent,
)
from embspace.draw.page.looks import BLACK, GRAY, SPACES, names
from embspace.draw.page.markdown import code, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable

DEVIATIONS = 3  # of a count by chance, within which another one is no more and no less
N_NAMED = 3  # tokens named in the figure
NEAR_AXIS = 0.3  # share of the panel's width that a name needs at the left
SCALARS = {"cls_position_0": "The opening token against position 0", "segment": "Segments"}


def draw_interrelations(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw cosines of tokens with positions beside chance, and of segments with both."""
    scalars = results["json"].get("token_position", {})
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title=_finding(scalars, label),
        subtitle=f"{label} · raw learned matrices · "
        f"{counted(scalars.get('n_pairs', 0), 'token-position pair')}, all of them",
        stage="measure_interrelations",
    )
    if scalars:
        _token_position(axes[0], results, scalars)
    else:
        say_absent(axes[:1], label, "positional")
    if results["segments"].empty:
        say_absent(axes[1:], label, "segment")
    else:
        _segments(axes[1], results["segments"])
    legend_below(figure, axes[:1], ncols=3)
    return figure, _tables(results, label, n_listed, digits)


def _finding(scalars: dict[str, Any], label: str) -> str:
    if not scalars:
        return f"{label} has no position embeddings to compare with tokens"
    n, expected = scalars["n_outside"], scalars["expected_outside"]
    is_chance = abs(n - expected) <= DEVIATIONS * expected**0.5
    return (
        f"Token-position pairs with a cosine beyond ±{scalars['threshold']:g}: {count(n)}, "
        f"{'about as many as ' if is_chance else ''}by chance {_rounded(expected)}"
    )


def _token_position(ax: Axes, results: Results, scalars: dict[str, Any]) -> None:
    histogram = results["histogram"]
    edges = [*histogram["bin_left"], histogram["bin_right"].iloc[-1]]
    color = SPACES["token_position"].color
    ax.stairs(histogram["count"], edges, fill=True, color=color, alpha=0.5, label="measured")
    null: dict[str, Any] = {"color": GRAY, "linestyle": "--", "label": "random directions"}
    ax.stairs(histogram["expected"], edges, **null)
    for sign in (-1, 1):
        name = f"±{scalars['threshold']:g}" if sign > 0 else None
        ax.axvline(sign * scalars["threshold"], color=BLACK, linewidth=0.8, label=name)
    ax.set(yscale="log", ylim=(0.5, None), xlabel="cosine of a token with a position")
    ax.set_ylabel("pairs in a bin")
    ax.set_title("Tokens with positions")
    _name_pairs(ax, results["token_position"])


def _name_pairs(ax: Axes, pairs: pd.DataFrame) -> None:
    """Name the first tokens of the list, each with the position of its largest cosine."""
    first = pairs.drop_duplicates("token").head(N_NAMED)
    top = np.log10(ax.get_ylim()[1])
    left, right = ax.get_xlim()
    for number, (_, row) in enumerate(first.iterrows()):
        words = f"{drawable(str(row['token']))}\nposition {row['position']}"
        height = 10 ** (top * (0.78 - 0.19 * number))
        is_left = row["cosine"] < left + NEAR_AXIS * (right - left)
        look: dict[str, Any] = {"ha": "left" if is_left else "right", "va": "bottom"}
        look |= {"fontsize": 7, "path_effects": HALO}
        arrow = {"arrowstyle": "-", "color": GRAY, "linewidth": 0.6, "shrinkA": 0}
        ax.annotate("", (row["cosine"], 0.8), (row["cosine"], height), arrowprops=arrow)
        ax.text(row["cosine"], height, words, **look)


def _segments(ax: Axes, segments: pd.DataFrame) -> None:
    names = []
    for height, row in enumerate(segments.to_dict("records")):
        look = SPACES[row["space"]]
        other = {"input": "tokens", "positional": "positions"}[row["space"]]
        names.append(f"segment {ascii_uppercase[row['segment']]}\nwith {other}")
        ends = [row["minimum"], row["maximum"]]
        middle = [row["quantile_0.05"], row["quantile_0.95"]]
        ax.plot(ends, [height] * 2, color=look.color, linewidth=0.8)
        ax.plot(middle, [height] * 2, color=look.color, linewidth=3)
        ax.plot(row["quantile_0.5"], height, look.marker, color="white", mec=look.color, ms=5)
    ax.set_yticks(range(len(names)), names)
    ax.set(
        xlabel="cosine (median, 5 to 95 %, extremes)", title="Segments with tokens and positions"
    )
    ax.axvline(0, color=GRAY, linewidth=0.6)
    ax.margins(y=0.2)
    ax.invert_yaxis()


def _tables(results: Results, label: str, n_listed: int, digits: int) -> str:
    pairs, scalars = results["token_position"][:n_listed], results["json"]
    shown = results.for_readers("token_position", pairs.assign(token=pairs["token"].map(code)))
    found = scalars.get("token_position", {})
    letters = dict(enumerate(ascii_uppercase))
    segments = results.for_readers("segments", space=names(SPACES), segment=letters)
    of_segments = "Over all positions and over all tokens."
    parts = [
        f"# Tokens, positions and segments of {label}\n\nStage `measure_interrelations`.\n",
        section(
            "Token-position pairs of large cosines",
            _of_pairs(found) if found else absent(label, "positional"),
            markdown_table(shown, digits),
        ),
        section(
            "Cosines of segments with the other vectors",
            absent(label, "segment") if segments.empty else of_segments,
            markdown_table(segments, digits),
        ),
    ]
    for key, title in SCALARS.items():
        if key in scalars:
            rows = [(name.replace("_", " "), value) for name, value in scalars[key].items()]
            body = markdown_table(pd.DataFrame(rows, columns=["quantity", "value"]), digits)
            parts.append(section(title, "As the checkpoint holds them.", body))
        elif found and key == "cls_position_0":
            parts.append(section(title, f"No token of {label} opens every text.", "None."))
    return "\n".join(parts)


def _rounded(expected: float) -> str:
    return count(round(expected)) if expected >= 10 else f"{expected:.2g}"


def _of_pairs(found: dict[str, Any]) -> str:
    return (
        f"Of {counted(found['n_pairs'], 'pair')}, {count(found['n_outside'])} have a cosine beyond "
        f"the threshold, ±{found['threshold']:g}; chance alone would put "
        f"{_rounded(found['expected_outside'])} there. {count(found['n_beyond_bound'])} have one "
        f"beyond ±{found['bound']:.4f}, the bound that random directions exceed in no pair with "
        f"probability {1 - found['level']:g} (Bonferroni). The largest first."
    )
