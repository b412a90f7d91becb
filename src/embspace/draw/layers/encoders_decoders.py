"""Figure and table of `measure_encoders_decoders`: a model's layers beside those of others."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("csv", "claims.csv")
KINDS = {"encoder": "encoders", "decoder": "decoders"}
NAMES = {"two_nn": "TwoNN dimension"}
USUAL = ("top_variance_share", "two_nn")  # where nothing was measured
# The dimension of embeddings is a multiple of that of blocks: on a linear axis these lie on a line.
ON_LOG_AXIS = ("two_nn",)
LOG_TICKS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500]
# A published model has a marker of the first, one of our runs of the second, and a color by its
# place among the models, or among the runs of its kind, so that `grammar_encoder` looks as
# `grammar_decoder` does.
MODELS, RUNS = "oDs*", "^vP"
N_COLORS = 6
NOTE = (
    "Of tokens as they are. A model that is profiled reads the corpus of "
    "conf/measure/layers/encoders_decoders.yaml, a run the texts that its training held out; "
    "runs have a row a seed. For the dimension each vector counts once."
)


def draw_encoders_decoders(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """One row a measure, one column a kind of model; a line a model, or a seed of a run."""
    table = results["csv"]
    measures = list(dict.fromkeys(table["measure"])) or list(USUAL)
    figure, axes = new_figure(
        len(measures),
        len(KINDS),
        height_mm=row_height_mm * len(measures) + 18,
        title="Do encoders and decoders differ over their layers?",
        subtitle=f"{label} beside models that are profiled or trained here · tokens as they are · "
        "open: layer 0 · band: interval over texts · runs, triangles and crosses: a line a seed",
        stage="measure_encoders_decoders",
    )
    heading = f"# {label} among encoders and decoders\n\nStage `measure_encoders_decoders`.\n"
    if table.empty:
        say_instead(axes, f"{label}: its corpus of comparison is none of those in params.yaml")
        return figure, f"{heading}\nNone.\n"
    own = table["name"].iloc[0]
    words_of = dict(zip(table["name"], table["label"], strict=True)) | {own: label}
    styles = _styles(table, own)
    for row, measure in enumerate(measures):
        pair = list(axes[row * len(KINDS) : (row + 1) * len(KINDS)])
        of_measure = table[table["measure"] == measure]
        for ax, (kind, words) in zip(pair, KINDS.items(), strict=True):
            _lines(ax, of_measure[of_measure["kind"] == kind], styles, words_of)
            ax.set_title(words if row == 0 else "")
            ax.set_ylabel(NAMES.get(measure, measure.replace("_", " ")))
            ax.set_xlabel("layer / last layer" if row == len(measures) - 1 else "")
            if not ax.lines:
                words = f"no {kind} under `profiled` or `trained`".replace("`", "")
                ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center")
        _share_scale(pair, of_measure, measure in ON_LOG_AXIS)
    claims = section(
        "Published claims",
        "Razzhigaev et al. 2024 (arXiv 2311.05928), section 4.1, asked of this model whatever its "
        "kind; `claimed_of` is the kind that they speak of.",
        markdown_table(results["claims"].drop(columns="seed"), digits),
    )
    return figure, "\n".join([heading, *_tables(table, measures, digits), claims])


def _styles(table: pd.DataFrame, own: str) -> dict[str, tuple[str, str]]:
    """Return color and marker of each model and run: that of the file is black."""
    is_model = table["corpus"].fillna("") != ""  # a run reads what its training held out
    others = dict.fromkeys(table.loc[is_model & (table["name"] != own), "name"])
    found = {own: ("black", MODELS[0])}
    for number, name in enumerate(others):
        found[name] = (f"C{number % N_COLORS}", MODELS[1 + number % (len(MODELS) - 1)])
    runs = table[~is_model & (table["name"] != own)]
    subjects = {
        name: name.removesuffix(f"_{kind}")
        for name, kind in zip(runs["name"], runs["kind"], strict=True)
    }
    places = {each: number for number, each in enumerate(dict.fromkeys(subjects.values()))}
    for name, subject in subjects.items():
        color = (len(others) + places[subject]) % N_COLORS
        found[name] = (f"C{color}", RUNS[places[subject] % len(RUNS)])
    return found


def _lines(
    ax: Axes, rows: pd.DataFrame, styles: dict[str, tuple[str, str]], words_of: dict[str, str]
) -> None:
    """With each name once in the legend."""
    labeled = set()
    for (key, _), of_one in rows.groupby(["name", "seed"], sort=False, dropna=False):
        name = str(key)
        color, marker = styles[name]
        words = "" if name in labeled else words_of[name]
        labeled.add(name)
        ax.plot(of_one["depth"], of_one["value"], color, marker=marker, ms=3.5, label=words)
        first = of_one[of_one["layer"] == 0]
        ax.plot(first["depth"], first["value"], color, marker=marker, ms=3.5, mfc="white")
        ax.fill_between(
            of_one["depth"], of_one["low"], of_one["high"], color=color, alpha=0.2, linewidth=0
        )
    if labeled:
        ax.legend(fontsize=6.5)


def _share_scale(pair: list[Axes], rows: pd.DataFrame, is_log: bool) -> None:
    """Of both kinds, from 0 or by logarithm, with room for the legend."""
    low, high = rows[["value", "low"]].min().min(), rows[["value", "high"]].max().max()
    for ax in pair:
        if is_log and low > 0:
            ax.set_yscale("log")
            ax.set_ylim(0.8 * low, 1.9 * high)
            ax.yaxis.set_major_locator(FixedLocator(LOG_TICKS))
            ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            ax.yaxis.set_minor_locator(NullLocator())
        else:
            ax.set_ylim(min(0.0, low), 1.25 * high)


def _tables(table: pd.DataFrame, measures: list[str], digits: int) -> list[str]:
    texts = []
    for measure in measures:
        rows = table[table["measure"] == measure]
        keys = ["kind", "name", "seed"]
        seeds = ["" if pd.isna(each) else str(int(each)) for each in rows["seed"]]
        named = rows.assign(name=rows["label"], seed=seeds)
        wide = named.pivot_table("value", keys, "layer", sort=False).reset_index()
        wide.columns = [each if isinstance(each, str) else f"layer {each}" for each in wide]
        title = NAMES.get(measure, measure.replace("_", " "))
        texts.append(section(title, NOTE, markdown_table(wide, digits)))
    return texts
