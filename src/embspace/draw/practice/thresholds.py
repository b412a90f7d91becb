"""Draws the cosine that a rare pair of texts reaches, by layer, from `measure_thresholds`."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    draw_line,
    legend_below,
    new_figure,
    percent,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import GRAY, NULLS, Look, corpus_looks
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts
from embspace.draw.page.wording import random_sample

STAGE = "measure_thresholds"
FURTHER_RESULTS = ("text_clouds/random.csv",)
RANDOM_TEXTS = "text_clouds/random"
FEWEST = 10  # pairs that must reach a rate
NOT_RARE, MOST = 0.1, 0.5  # of all pairs
NEARLY_ALL = 0.99
RAW = "raw"
RANDOM = NULLS["random_initialization"]
EACH_RANDOM = RANDOM._replace(name=f"{RANDOM.name}, by corpus")
PANELS = {"raw": "Raw vectors", "centered": "Less the mean of all texts"}
LAYER = "layer (0: embedding output)"
NONE = "Too few texts to tell a rare pair"


def draw_thresholds(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the cosine reached by one pair in 1,000, and the share of pairs above 0.8.

    A rate that fewer than ten pairs of a corpus reach is left out.
    """
    rates, fixed, random = results["csv"], results["fixed"], results[RANDOM_TEXTS]
    rates = rates[rates["rate"] == rates["rate"].max()]  # the tables have all
    known = rates[rates["cosine"].notna()]
    fixed = fixed[fixed["cosine"] == fixed["cosine"].min()]
    fixed = fixed[fixed["corpus"].isin(known["corpus"])]  # of fewer texts, no line is drawn
    random = random[random["corpus"].isin(known["corpus"])]
    shown = known[_is_reached(known)]
    figure, axes = new_figure(
        1,
        1 if shown.empty else 3,
        height_mm=height_mm,
        title=_finding(shown, fixed, random),
        subtitle=f"{label} · {_population(known, random)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if known.empty:
        say_instead(axes, NONE)
        return figure, text
    looks = corpus_looks(known["corpus"])
    _shares(axes[0], fixed, random, looks)
    _write_share(axes[0], _commonest(fixed), is_rare_told=not (shown["preparation"] == RAW).any())
    if len(shown):
        _cosines(axes[1:], shown, fixed["cosine"].iloc[0], looks)
    for ax in axes:
        ax.set_xlabel(LAYER)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(figure, axes[:2], ncols=len(looks) + 2)
    return figure, text


def _is_reached(rates: pd.DataFrame) -> pd.Series:
    """Return where a rate is of enough pairs."""
    return rates["rate"] * rates["n_pairs"] >= FEWEST


def _shares(ax: Axes, fixed: pd.DataFrame, random: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw the share of pairs above the guessed cosine by layer, beside random weights."""
    for corpus, look in looks.items():
        draw_line(ax, fixed[fixed["corpus"] == corpus], "layer", "share", look)
    untrained = RANDOM if len(looks) == 1 else EACH_RANDOM
    for _, rows in random.groupby("corpus"):
        draw_line(ax, rows, "layer", "share_above", untrained, zorder=1)
    ax.set(title=f"Pairs above {_guessed(fixed)}", ylabel="share of pairs", ylim=(-0.02, 1.02))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


def _cosines(
    axes: Sequence[Axes], shown: pd.DataFrame, guessed: float, looks: Mapping[str, Look]
) -> None:
    """Draw the cosine of a rare pair, of raw vectors and less the mean."""
    for ax, (kind, title) in zip(axes, PANELS.items(), strict=True):
        for corpus, look in looks.items():
            rows = shown[(shown["corpus"] == corpus) & (shown["preparation"] == kind)]
            draw_line(ax, rows, "layer", "cosine", look)
        ax.axhline(guessed, color=GRAY, ls=":", lw=1, label=f"cosine of {guessed:g}")
        ax.set(title=title, ylim=(0, 1.02))
    axes[0].set_ylabel(f"cosine that {_one_in(shown)} exceeds")


def _one_in(shown: pd.DataFrame) -> str:
    return f"one pair in {count(round(1 / shown['rate'].iloc[0]))}"


def _guessed(fixed: pd.DataFrame) -> str:
    return f"{fixed['cosine'].iloc[0]:g}"


def _commonest(fixed: pd.DataFrame) -> pd.DataFrame:
    """Return by layer the pairs above the guessed cosine, of the corpus with most at a layer."""
    most = fixed.iloc[int(fixed["share"].to_numpy().argmax())]
    return fixed[fixed["corpus"] == most["corpus"]].sort_values("layer")


def _falls_at_last(own: pd.DataFrame) -> bool:
    """Return whether pairs above the guessed cosine are rare at the last layer alone."""
    *before, last = own["share"]
    return bool(before) and last <= NOT_RARE < min(before)


def _at_least(share: float) -> str:
    """Return the pairs that are at least a share of all, in words."""
    if share > NEARLY_ALL:
        return "all pairs" if share == 1 else "nearly all pairs"
    return f"{percent(share)} or more of pairs"


def _write_share(ax: Axes, own: pd.DataFrame, *, is_rare_told: bool) -> None:
    """Write the share in the title at the place in the panel; a rare share where no cosine is."""
    by_share = (own[:-1] if _falls_at_last(own) else own).sort_values("share", kind="stable")
    is_least = _falls_at_last(own) or own["share"].min() > MOST
    row = by_share.iloc[0 if is_least else -1]
    if row["share"] > NOT_RARE:
        place = (row["layer"], row["share"])
        write_beside(ax, percent(row["share"]), place, (-2, -12))
    elif row["share"] and is_rare_told:
        write_beside(ax, percent(row["share"]), (row["layer"], row["share"]), (-2, 5))


def _finding(shown: pd.DataFrame, fixed: pd.DataFrame, random: pd.DataFrame) -> str:
    """Return the title: where a guessed cosine is not rare, else the cosine of 1 in 1,000 pairs."""
    is_raw = shown["preparation"] == RAW
    raw, centered = shown[is_raw], shown[~is_raw]
    if fixed.empty:
        return NONE
    own = _commonest(fixed)
    if own["share"].max() > NOT_RARE:
        return _common(own, random, centered, _guessed(fixed))
    if raw.empty:
        return _rare(own, _guessed(fixed))
    last = raw[raw["layer"] == raw["layer"].max()].sort_values("cosine")
    low, high = last.iloc[0], last.iloc[-1]
    named = f"{_one_in(shown)} reaches"
    if len(last) > 1 and low["cosine_high"] < high["cosine_low"]:
        return (
            f"At the last layer {named} {high['cosine']:.2f} among "
            f"{corpus_called(high['corpus'])}, {low['cosine']:.2f} among "
            f"{corpus_called(low['corpus'])}"
        )
    return f"At the last layer {named} {high['cosine']:.2f} among {corpus_called(high['corpus'])}"


def _rare(own: pd.DataFrame, guessed: str) -> str:
    """Return the largest share of pairs above the guessed cosine, all of them rare."""
    share = own["share"].max()
    amount = f"At most {percent(share)} of pairs" if share else "Not one pair"
    called = corpus_called(own["corpus"].iloc[0])
    return f"{amount} of {called} exceed{'' if share else 's'} a cosine of {guessed} at any layer"


def _common(own: pd.DataFrame, random: pd.DataFrame, centered: pd.DataFrame, guessed: str) -> str:
    """Return the layers where pairs above the guessed cosine are not rare, in a corpus."""
    most = own.loc[own["share"] == own["share"].max()].iloc[-1]
    *before, last = own["share"]
    name, start = corpus_called(most["corpus"]), f"A cosine of {guessed} is not rare:"
    null = random.loc[random["corpus"] == most["corpus"], "share_above"]
    many = "all" if null.min() == 1 else "many"
    as_random = f" ({RANDOM.name}: {many})" if null.min() > NOT_RARE else ""
    least = own["share"].min()
    if NEARLY_ALL < least <= null.min():
        above = f"{name} lie above a cosine of {guessed} at every layer"
        return f"{_at_least(least).capitalize()} of {above}, no more than with {RANDOM.name}"
    if least > MOST:
        has_none = f"; at {RANDOM.name} no pair does" if null.max() == 0 else as_random
        return f"{start} {_at_least(least)} of {name} lie above it at every layer{has_none}"
    if not _falls_at_last(own):
        where = f"lie above it at layer {most['layer']:.0f}{as_random}"
        return f"{start} {percent(most['share'])} of pairs of {name} {where}"
    # What all texts share makes it common, as the same pairs less the mean say.
    less_mean = centered.loc[centered["corpus"] == most["corpus"], "cosine"]
    is_rare = less_mean.max() < float(guessed)
    return (
        f"Up to layer {own['layer'].iloc[-2]:.0f}, {percent(min(before))} or more of pairs of "
        f"{name} exceed a cosine of {guessed}{as_random}, {'few' if last else 'none'} "
        "at the last"
        f"{'; less the mean, hardly any' if is_rare else ''}"
    )


def _population(shown: pd.DataFrame, random: pd.DataFrame) -> str:
    if shown.empty:
        return "n = 0"
    sizes = shown.groupby("corpus", sort=False)[["n_pairs", "n_documents"]].max()
    parts = [
        f"{corpus_called(str(name))}: {counted(row['n_pairs'], 'pair')} of "
        f"{counted(row['n_documents'], 'document')}"
        for name, row in sizes.iterrows()
    ]
    return (
        f"{', '.join(parts)} · mean pooling · bands: 95 % intervals over documents · random "
        f"weights: {random_sample(random)}"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    rates = results.for_readers("csv")
    rates["one pair in"] = [count(round(1 / rate)) for rate in rates["one pair in"]]
    rates = rates[results["csv"]["cosine"].notna() & _is_reached(results["csv"])]
    last = rates[(rates["layer"] == rates["layer"].max()) & (rates["vectors"] == RAW)]
    parts = [
        (
            "Rare pairs at the last layer",
            "The cosine that one pair of texts of different documents in so many reaches, with "
            "95 % intervals over documents; raw vectors. Left out are rates that fewer than "
            f"{FEWEST} pairs reach.",
            last.drop(columns=["layer", "vectors"]),
        ),
        (
            "Cosines that people guess",
            "Raw vectors.",
            results.for_readers("fixed"),
        ),
        ("All layers", "Raw, and less the mean.", rates),
    ]
    return page_of_parts(f"Rare pairs of texts in {label}", STAGE, digits, *parts)
