"""Figure and tables of `measure_interrelations`: Luisto's tables 4 and 5."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import absent, count, counted, legend_below, new_figure, say_absent
from embspace.draw.page.looks import SPACES
from embspace.draw.page.markdown import DISTRIBUTION, code, markdown_table, section

RESULTS = ("json", "token_position.csv", "segments.csv", "histogram.csv")
SEGMENTS = {"segment": "segment", "space": "space", **DISTRIBUTION}
PAIRS = {
    "token": "token",
    "position": "position",
    "cosine": "cosine",
    "beyond_threshold": "beyond the threshold",
    "beyond_bound": "beyond the bound",
}
SCALARS = {"cls_position_0": "The opening token against position 0", "segment": "Segments"}


def draw_interrelations(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_listed: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Cosines of tokens with positions beside chance, and of segments with both; two tables."""
    scalars = results["json"].get("token_position", {})
    figure, axes = new_figure(
        1,
        2,
        height_mm=height_mm,
        title="Tokens, positions and segments to each other",
        subtitle=f"{label} · raw learned matrices · "
        f"{counted(scalars.get('n_pairs', 0), 'token-position pair')}, all of them",
        stage="measure_interrelations",
    )
    if scalars:
        _token_position(axes[0], results["histogram"], scalars)
    else:
        say_absent(axes[:1], label, "positional")
    if results["segments"].empty:
        say_absent(axes[1:], label, "segment")
    else:
        _segments(axes[1], results["segments"])
    legend_below(figure, axes[:1], ncols=3)
    return figure, _tables(results, label, n_listed, digits)


def _token_position(ax: Axes, histogram: pd.DataFrame, scalars: dict[str, Any]) -> None:
    expected = scalars["expected_outside"]
    edges = [*histogram["bin_left"], histogram["bin_right"].iloc[-1]]
    ax.stairs(histogram["count"], edges, fill=True, color="C2", alpha=0.5, label="measured")
    ax.stairs(histogram["expected"], edges, color="0.2", linestyle="--", label="random directions")
    for sign in (-1, 1):
        label = f"±{scalars['threshold']:g}" if sign > 0 else None
        ax.axvline(sign * scalars["threshold"], color="0.2", linewidth=0.8, label=label)
    ax.set(
        yscale="log",
        ylim=(0.5, None),
        xlabel="cosine of a token with a position",
        ylabel="pairs in a bin",
        title=f"outside ±{scalars['threshold']:g}: {count(scalars['n_outside'])}, "
        f"by chance {_rounded(expected)}",
    )


def _segments(ax: Axes, segments: pd.DataFrame) -> None:
    names = []
    for height, row in enumerate(segments.to_dict("records")):
        name, color, *_ = SPACES[row["space"]]
        names.append(f"segment {row['segment']},\n{name.split()[0]}")
        ax.plot([row["minimum"], row["maximum"]], [height] * 2, color=color, linewidth=0.8)
        ax.plot(
            [row["quantile_0.05"], row["quantile_0.95"]], [height] * 2, color=color, linewidth=3
        )
        ax.plot(
            row["quantile_0.5"], height, "o", color="white", markeredgecolor=color, markersize=5
        )
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="cosine of a segment with a vector", title="segments: median, 5-95 %, extremes")
    ax.margins(y=0.2)
    ax.invert_yaxis()


def _tables(results: dict[str, Any], label: str, n_listed: int, digits: int) -> str:
    pairs, scalars = results["token_position"][:n_listed], results["json"]
    shown = pairs.assign(token=pairs["token"].map(code))[[*PAIRS]].rename(columns=PAIRS)
    found = scalars.get("token_position", {})
    segments = results["segments"][[*SEGMENTS]].rename(columns=SEGMENTS)
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
            rows = pd.DataFrame(scalars[key].items(), columns=["quantity", "value"])
            rows["quantity"] = rows["quantity"].str.replace("_", " ")
            parts.append(
                section(title, "As the checkpoint holds them.", markdown_table(rows, digits))
            )
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
