"""Draws what changes of coordinates do to search, labels and hubs, with `text_hubs` beside."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    count,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.looks import GRAY, Look, corpus_looks
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts
from embspace.draw.page.wording import numeral
from embspace.draw.practice.names import CHANGES, VERSIONS

STAGE = "measure_transforms"
FURTHER_RESULTS = ("text_hubs/hubness.csv",)
HUBS = FURTHER_RESULTS[0].removesuffix(".csv")
SIMILARITIES = VERSIONS | {"cosine": "raw cosine", "centered": "centered cosine"}
RAW = "raw"
RESCALED = ("local_scaling", "mutual_proximity", "csls")  # by neighborhoods
USES = {"search": "Search for the other half", "labels": "Labels given with texts"}
UNITS = {"search": "reciprocal rank, less raw", "labels": "same label among\nneighbors, less raw"}
Looks = dict[str, Look]
NONE = "Too few texts to try changes of coordinates"


def draw_transforms(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the difference of each change from raw vectors, and hubness by similarity."""
    effects, hubs = results["csv"], results[HUBS]
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_finding(effects, results["best"], hubs),
        subtitle=f"{label} · {_population(effects, hubs)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if effects.empty:
        say_instead(axes, NONE)
        return figure, text
    looks = corpus_looks(effects["corpus"])
    shown = {key: name for key, name in CHANGES.items() if key not in (RAW, "unit_length")}
    named = _named(effects, results["best"])
    for ax, (task, title) in zip(axes, USES.items(), strict=False):
        _differences(ax, effects[effects["task"] == task], shown, looks)
        ax.set(title=title, xlabel=UNITS[task])
        if named is not None and task == named["task"]:
            value, row = named["difference"], [*shown].index(named["version"])
            words = numeral(value, 2, plus=True)
            write_beside(ax, words, (value, row), (0, 9), ha="center")
    axes[1].set_yticklabels([])
    _hubness(axes[2], hubs, looks)
    legend_below(figure, [axes[1]], ncols=len(looks) + 1)
    return figure, text


def _differences(ax: Axes, rows: pd.DataFrame, names: dict[str, str], looks: Looks) -> None:
    ax.axvline(0, color=GRAY, linewidth=0.8)
    for number, (corpus, look) in enumerate(looks.items()):
        own = rows[rows["corpus"] == corpus].set_index("version").reindex([*names])
        y = [place + 0.22 * (number - (len(looks) - 1) / 2) for place in range(len(names))]
        reach = [
            own["difference"] - own["difference_low"],
            own["difference_high"] - own["difference"],
        ]
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ls": "None", "ms": 4}
        ax.errorbar(own["difference"], y, xerr=reach, label=look.name, lw=1, **style)
    _rows(ax, [*names.values()])


def _rows(ax: Axes, names: list[str]) -> None:
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)  # the same in panels whose rows stand side by side


def _hubness(ax: Axes, hubs: pd.DataFrame, looks: Looks) -> None:
    for number, (corpus, look) in enumerate(looks.items()):
        own = hubs[hubs["corpus"] == corpus].set_index("version").reindex([*SIMILARITIES])
        y = [place + 0.22 * (number - (len(looks) - 1) / 2) for place in range(len(SIMILARITIES))]
        ax.plot(own["skewness"], y, color=look.color, marker=look.marker, ls="None", ms=4)
        plain = own.loc["cosine"]
        bounds = [plain["null_skewness_low"], plain["null_skewness_high"]]
        ax.plot(bounds, [y[0]] * 2, color=GRAY, lw=3, alpha=0.5, zorder=0)
    _rows(ax, [*SIMILARITIES.values()])
    words = "gray: raw cosines of\nGaussian clouds of\nequal covariance"
    beside: dict[str, Any] = {"color": GRAY, "ha": "right", "va": "center", "path_effects": HALO}
    ax.text(0.99, 0.5, words, transform=ax.transAxes, fontsize=7, **beside)
    ax.set(title="Hubness of texts", xlabel="skewness of 10-occurrences", xlim=(0, None))


def _named(effects: pd.DataFrame, best: pd.DataFrame) -> pd.Series | None:
    """Return the change that surely helps most without harm, else the largest sure harm."""
    uses = effects[effects["task"].isin(USES)]
    helping = best.loc[best["version"] != RAW, ["corpus", "version"]]
    gains = uses.merge(helping).query("difference_low > 0")
    if len(gains):
        return gains.nlargest(1, "difference").iloc[0]
    harmed = uses[uses["difference_high"] < 0]
    return harmed.nsmallest(1, "difference").iloc[0] if len(harmed) else None


def _finding(effects: pd.DataFrame, best: pd.DataFrame, hubs: pd.DataFrame) -> str:
    """Return the title: whether a change surely helps search or labels, without harm if any."""
    if effects.empty:
        return NONE
    named = _named(effects, best)
    start = "No change of coordinates surely helps search or labels"
    if (effects[effects["task"].isin(USES)]["difference_low"] > 0).any():
        start += " without harm"
    if named is None:
        return start
    change, corpus, size = CHANGES[named["version"]], named["corpus"], abs(named["difference"])
    words = f"{named['task']} of {corpus_called(corpus)}"
    if named["difference"] > 0:
        return (
            f"{sentence_case(change)}: {words} surely gains {size:.2f}, and no task there surely "
            "loses"
        )
    return f"{start}; {change}, {words} loses {size:.2f}{_hubness_clause(hubs)}"


def _hubness_clause(hubs: pd.DataFrame) -> str:
    """Return the versions of cosines with less hubness than cosine in every corpus, in words."""
    skewness = hubs.pivot_table(index="version", columns="corpus", values="skewness")
    if "cosine" not in skewness.index:
        return ""
    falls = (skewness < skewness.loc["cosine"]).all(axis=1)
    centered, rescaled = falls[falls.index == "centered"], falls[falls.index.isin(RESCALED)]
    named = [
        name
        for name, rows in (("centering", centered), ("rescaled cosines", rescaled))
        if len(rows) and rows.all()
    ]
    lower = "lowers" if named == ["centering"] else "lower"
    return f"; {' and '.join(named)} {lower} hubness (c, no intervals)" if named else ""


def _population(effects: pd.DataFrame, hubs: pd.DataFrame) -> str:
    if effects.empty:
        return "n = 0"
    halves = effects[effects["task"] == "anisotropy"].groupby("corpus", sort=False)["n"].max()
    whole = hubs.groupby("corpus", sort=False)["n"].max()
    fitted, all_texts = (
        ", ".join(f"{count(n)} {corpus_called(str(name))}" for name, n in sizes.items())
        for sizes in (halves, whole)
    )
    return (
        f"last layer, mean pooling · a, b: {fitted}, not used for fitting; a: of "
        "corpora whose texts have halves; bars: 95 % intervals, all changes at once · "
        f"c: {all_texts}, without intervals, the last three rescaled by neighborhoods"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    shown = results.for_readers("csv")
    shown["vectors"] = shown["vectors"].map(CHANGES)
    best = results.for_readers("best")
    best["best change"] = best["best change"].map(CHANGES)
    parts = [
        (
            "Best changes",
            "Surely helps a task most and surely harms none; raw: there is none.",
            best,
        ),
        (
            "All changes",
            "Differences are from raw vectors, paired over documents.",
            shown,
        ),
    ]
    return page_of_parts(f"Changes of coordinates in {label}", STAGE, digits, *parts)
