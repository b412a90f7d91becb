"""Draws what `measure_encoders_decoders` found: a model's layers beside those of others."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, counted, new_figure, say_instead
from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import BLACK, GRAY, PALETTE, YELLOW, Look, run_name
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results

KINDS = {"encoder": "Encoders", "decoder": "Decoders"}
USUAL = ("top_variance_share", "two_nn")  # where nothing was measured
# The dimension of embeddings is a multiple of that of blocks: on a linear axis these lie on a line.
ON_LOG_AXIS = ("two_nn",)
LOG_TICKS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500]
MARKERS = "s^vDph<"  # a white face shows in each
GAP = 0.12  # of a panel's height, between two names
LOWEST = 0.05  # of a panel's height, where a name may stand
COLORS = [*(color for color in PALETTE if color != BLACK), GRAY, YELLOW]
HOW = {"matches": "is", "differs": "is not", "depends on the rule": "is, by some tokens alone,"}
NOTE = (
    "Of tokens as they are. A model that is profiled reads the corpus of "
    "conf/measure/layers/encoders_decoders.yaml, a run the texts that its training held out; "
    "runs have a row a seed. For the dimension each vector counts once."
)


def draw_encoders_decoders(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a panel for each measure and kind of model, with a line for each model or run.

    The line of a run is the mean of its seeds.
    """
    table, claims = results["csv"], results["claims"]
    measures = list(dict.fromkeys(table["measure"])) or list(USUAL)
    n = f"{count(table['n'].iloc[0])} tokens" if len(table) else "no tokens"
    figure, axes = new_figure(
        len(measures),
        len(KINDS),
        height_mm=row_height_mm * len(measures) + 30,
        title=_title(claims, label),
        subtitle=f"{label} ({n}) beside {counted(max(table['name'].nunique() - 1, 0), 'other')} · "
        "hollow: layer 0 · band: 95 % interval over texts · runs: mean of seeds, thin: each",
        stage="measure_encoders_decoders",
    )
    heading = f"# {label} among encoders and decoders\n\nStage `measure_encoders_decoders`.\n"
    if table.empty:
        say_instead(axes, f"{label}: its corpus of comparison is none of those in params.yaml")
        return figure, f"{heading}\nNone.\n"
    looks = _looks(table, label)
    for row, measure in enumerate(measures):
        pair = list(axes[row * len(KINDS) : (row + 1) * len(KINDS)])
        of_measure = table[table["measure"] == measure]
        _share_scale(pair, of_measure, measure in ON_LOG_AXIS)
        for ax, (kind, words) in zip(pair, KINDS.items(), strict=True):
            _lines(ax, of_measure[of_measure["kind"] == kind], looks)
            ylabel = name_of(measure)
            ax.set(title=words if row == 0 else "", ylabel=ylabel)
            ax.set_xlabel("layer / last layer" if row == len(measures) - 1 else "")
            if not ax.lines:
                words = f"no {kind} is profiled or trained"
                ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center")
    asked = section(
        "Published claims",
        "Razzhigaev et al. 2024 (arXiv 2311.05928), section 4.1, asked of this model whatever its "
        "kind; `claimed_of` is the kind that they speak of. A claim depends on the rule where its "
        "verdict is another of other tokens, or without outlier dimensions (`change`).",
        markdown_table(claims.drop(columns="seed"), digits),
    )
    every = folded("\n".join(_tables(table, measures, digits)))
    return figure, "\n".join([heading, asked, every])


def _title(claims: pd.DataFrame, label: str) -> str:
    """Return the verdicts on what was published of the model's own kind, and of the other."""
    said = []
    columns = ["claim", "claimed_of", "verdict"]
    for claim, kind, verdict in claims[columns].drop_duplicates().itertuples(index=False):
        how = HOW.get(str(verdict), "may or may not be")
        said.append(f"{how} {claim} (claimed of {kind}s)")
    if not said:
        return f"No published claim can be held to {label}"
    return f"The top variance share of {label} {'; it '.join(said)}"


def _looks(table: pd.DataFrame, label: str) -> dict[str, Look]:
    """Return the look of each model: black for the first, and for all others one by their names.

    So another model has the same look in the figures of all models.
    """
    labels, looks = _labels(table), dict[str, Look]()
    for number, name in enumerate(sorted(labels)):
        color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
        looks[name] = Look(labels[name], color, marker)
    return looks | {str(table["name"].iloc[0]): Look(label, BLACK, "o")}


def _labels(table: pd.DataFrame) -> dict[str, str]:
    """Return the label of each model, with the number of texts if it has read fewer of them."""
    first = table.drop_duplicates("name").set_index("name")
    all_texts = first["n_texts"].iloc[0]
    return {
        str(name): f"{row['label']}, {count(row['n_texts'])} texts"
        if row["n_texts"] < all_texts and row["corpus"] == first["corpus"].iloc[0]
        else run_name(str(row["label"]))
        for name, row in first.iterrows()
    }


def _lines(ax: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw each model's mean of seeds, thin its seeds, and its name beside the last value."""
    ends: dict[str, float] = {}
    for key, of_one in rows.groupby("name", sort=False):
        look = looks[str(key)]
        mean = of_one.groupby(["layer", "depth"], as_index=False)[["value", "low", "high"]].mean()
        line: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 3.5}
        ax.plot(mean["depth"], mean["value"], label=look.name, **line)
        ax.plot(mean["depth"][:1], mean["value"][:1], mfc="white", **line)
        ax.fill_between(mean["depth"], mean["low"], mean["high"], color=look.color, alpha=0.2, lw=0)
        if of_one["seed"].nunique() > 1:
            for _, of_seed in of_one.groupby("seed"):
                ax.plot(of_seed["depth"], of_seed["value"], color=look.color, lw=0.5, alpha=0.6)
        ends[str(key)] = float(mean["value"].iloc[-1])
    to_axes = ax.transData + ax.transAxes.inverted()
    wanted = [to_axes.transform((1, end))[1] for end in ends.values()]
    style: dict[str, Any] = {"transform": ax.transAxes, "fontsize": 7, "va": "center"}
    for key, height in zip(ends, spread(wanted, GAP, LOWEST), strict=True):
        ax.text(
            1.02, height, looks[key].name.replace(" ", "\n", 1), color=looks[key].color, **style
        )


def _share_scale(pair: list[Axes], rows: pd.DataFrame, is_log: bool) -> None:
    """Give both kinds one axis, from 0 or logarithmic."""
    low, high = rows[["value", "low"]].min().min(), rows[["value", "high"]].max().max()
    for ax in pair:
        if is_log and low > 0:
            ax.set_yscale("log")
            ax.set_ylim(0.8 * low, 1.25 * high)
            ax.yaxis.set_major_locator(FixedLocator(LOG_TICKS))
            ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            ax.yaxis.set_minor_locator(NullLocator())
        else:
            ax.set_ylim(min(0.0, low), 1.08 * high)


def _tables(table: pd.DataFrame, measures: list[str], digits: int) -> list[str]:
    texts = []
    for measure in measures:
        rows = table[table["measure"] == measure]
        keys = ["kind", "name", "seed"]
        seeds = ["" if pd.isna(each) else str(int(each)) for each in rows["seed"]]
        named = rows.assign(name=rows["name"].map(_labels(table)), seed=seeds)
        wide = named.pivot_table("value", keys, "layer", sort=False)
        # Models have layers that others have not: in the order of rows, 7 would stand after 30.
        wide = wide.sort_index(axis="columns").reset_index()
        wide.columns = [each if isinstance(each, str) else f"layer {each}" for each in wide]
        texts.append(section(name_of(measure), NOTE, markdown_table(wide, digits)))
    return texts
