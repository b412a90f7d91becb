"""A figure and tables for each family's measures over the layers of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Drawing
from embspace.geometry.measures.declaration import Family

RESULTS = ("profiles.csv", "nulls.csv", "curves.csv")
SPACES = {"token": "tokens", "cls": "first token", "mean": "mean of tokens"}
AFTER = "final_norm_"  # begins the names of spaces that the figure leaves to the tables
NULLS = {
    "isotropic_gaussian": ("isotropic Gaussian", ":"),
    "coordinates_shuffled": ("coordinates shuffled", "--"),
    "gaussian_of_covariance": ("Gaussian of the covariance", "-."),
    "exchanged_between_texts": ("exchanged between texts", "-."),
    "random_initialization": ("random initialization", (0, (5, 1))),
    "shuffled_entries": ("entries of weights shuffled", (0, (3, 1, 1, 1, 1, 1))),
}
CHANGES = {
    "as_is": "as they are",
    "ordinary_tokens": "without special tokens, position 0",
    "standardized": "standardized",
    "no_outlier_dimensions": "without outlier dimensions",
    "all_but_the_top": "all but the top",
    "whitened": "whitened",
}


@dataclass(frozen=True)
class Words:
    """What a family's figure says."""

    title: str
    units: Mapping[str, str]
    """What stands at the axis of a measure, where it is not its name."""


WORDS: dict[Family, Words] = {
    "direction": Words(
        "Do the vectors of a layer point the same way?",
        {
            "top_dimension_share": "top dimension's share\nof the mean cosine",
            "n_outlier_dimensions": "outlier dimensions",
            "mean_resultant_length": "mean resultant\nlength",
        },
    ),
    "spectrum": Words(
        "Over how many directions is the variance of a layer spread?",
        {
            "debiased_participation_ratio": "participation ratio,\ndebiased",
            "partition_isotropy_at_unit_norm": "partition isotropy\nat unit norm",
            "top_variance_share": "top variance\nshare",
        },
    ),
    "context": Words(
        "What does a vector owe to its word, and what to its text?",
        {
            "adjusted_self_similarity": "adjusted\nself-similarity",
            "intra_sentence_similarity": "intra-sentence\nsimilarity",
            "maximum_explainable_variance": "maximum explainable\nvariance",
        },
    ),
    "intrinsic_dimension": Words(
        "How many numbers say where a layer's vectors are?",
        {
            "two_nn": "TwoNN",
            "two_nn_lowest_fifth_as_coded": "TwoNN, lowest fifth\nas coded",
            "mle_dimension": "MLE, 20 neighbors",
            "correlation_dimension": "correlation\ndimension",
        },
    ),
    "hubs": Words(
        "Who is whose neighbor at a layer?",
        {"local_distance_variation": "variation of\nlocal distances"},
    ),
}


# The neighbors that two families are measured from are looked for once.
STAGES = {
    "intrinsic_dimension": "measure_hubs",
    "hubs": "measure_hubs",
}


class Shown(BaseModel):
    """The measures that the figure of each family shows, from the top."""

    model_config = ConfigDict(extra="forbid", strict=True)

    direction: list[str]
    spectrum: list[str]
    context: list[str]
    intrinsic_dimension: list[str]
    hubs: list[str]


def draw_profiles(
    results: Mapping[str, pd.DataFrame],
    label: str,
    family: Family,
    *,
    shown: Shown,
    corpus: str,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row for each measure shown and a column for each space; in the last, changes.

    Lines are corpora, with intervals over texts; gray are the nulls of `corpus`, from the smallest
    to the largest draw, for they depend on how many vectors there are. Of another corpus, which is
    named, is a null that `corpus` does not have. The last column is of the tokens of `corpus`, or
    of the first corpus that was profiled if that one was not.
    """
    profiles, nulls = results["profiles"], results["nulls"]
    words, measures = WORDS[family], getattr(shown, family)
    spaces = [space for space in SPACES if space in set(profiles["space"])] or ["token"]
    corpora = sorted(set(profiles["corpus"]))  # of one color in all figures
    corpus = corpus if corpus in corpora or not corpora else corpora[0]
    figure, axes = new_figure(
        len(measures),
        len(spaces) + 1,
        height_mm=row_height_mm * len(measures) + 32,
        title=words.title,
        subtitle=f"{label} · bands of lines: 95 % intervals over texts · "
        f"gray: nulls of {corpus}, smallest to largest draw",
        stage=STAGES.get(family, "measure_profiles"),
    )
    if profiles.empty:
        say_instead(axes, f"{label}: no corpus has enough documents")
        return figure, _text(results, label, family, digits)
    as_is = profiles[profiles["change"] == "as_is"]
    for row, measure in enumerate(measures):
        in_row = axes[row * (len(spaces) + 1) :][: len(spaces) + 1]
        for ax, space in zip(in_row, spaces, strict=False):
            of_both, of_nulls = (_of(table, space, measure) for table in (as_is, nulls))
            _nulls(ax, of_nulls, corpus)
            _lines(ax, {each: of_both[of_both["corpus"] == each] for each in corpora})
            ax.set_title(SPACES[space] if row == 0 else "")
        tokens = profiles[(profiles["corpus"] == corpus) & (profiles["measure"] == measure)]
        _changes(in_row[-1], tokens[tokens["space"] == "token"])
        in_row[-1].set_title(f"changes, {corpus}" if row == 0 else "")
        in_row[0].set_ylabel(words.units.get(measure, measure.replace("_", " ")))
        _finish_row(in_row, "layer" if row == len(measures) - 1 else "")
    _legend(figure, axes)
    return figure, _text(results, label, family, digits)


def _of(table: pd.DataFrame, space: str, measure: str) -> pd.DataFrame:
    return table[(table["space"] == space) & (table["measure"] == measure)]


def _finish_row(axes: Sequence[Axes], x_label: str) -> None:
    for ax in axes:
        _say_if_empty(ax)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel(x_label)


def _lines(ax: Axes, of_corpora: Mapping[str, pd.DataFrame]) -> None:
    """The values of each corpus by layer, and their intervals as far as they leave these in sight.

    A few texts may give an interval that is a hundred times as high as all values together.
    """
    shown = {
        corpus: (f"C{number}", rows)
        for number, (corpus, rows) in enumerate(of_corpora.items())
        if not rows["value"].isna().all()
    }
    for corpus, (color, rows) in shown.items():
        ax.plot(rows["layer"], rows["value"], color, marker=".", label=corpus)
    values = tuple(ax.dataLim.intervaly)
    for color, rows in shown.values():
        ax.fill_between(
            rows["layer"], rows["low"], rows["high"], color=color, alpha=0.25, linewidth=0
        )
    if shown:
        _cut_intervals(ax, values, pd.concat([rows for _, rows in shown.values()]))


def _cut_intervals(ax: Axes, values: tuple[float, float], rows: pd.DataFrame) -> None:
    """Let intervals leave an axis that they would make much higher than values and nulls do."""
    low, high = values
    room = max((high - low) / 2, max(abs(low), abs(high)) / 4)
    cut = rows[(rows["low"] < low - room) | (rows["high"] > high + room)]
    if cut.empty or not room:
        return
    bottom = max(low - room, min(low, rows["low"].min()))
    top = min(high + room, max(high, rows["high"].max()))
    ax.set_ylim(bottom, top + 0.2 * (top - bottom))  # the words lie above
    words = f"intervals leave the axis\n(from {int(cut['n'].min()):,} vectors)"
    ax.text(0.03, 0.98, words, transform=ax.transAxes, va="top", fontsize=5.5, color="0.3")


def _say_if_empty(ax: Axes) -> None:
    if not ax.lines:
        ax.text(0.5, 0.5, "no value", transform=ax.transAxes, ha="center", color="0.4")
        ax.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)
        ax.grid(visible=False)


def _nulls(ax: Axes, rows: pd.DataFrame, corpus: str) -> None:
    for null, (name, style) in NULLS.items():
        of_null = rows[rows["null"] == null]
        having = of_null[of_null["null_mean"].notna()]["corpus"].tolist()
        if not having:
            continue
        shown = corpus if corpus in having else having[0]
        of_null = of_null[of_null["corpus"] == shown]
        ax.plot(
            of_null["layer"],
            of_null["null_mean"],
            color="0.45",
            linestyle=style,
            linewidth=1,
            label=name if shown == corpus else f"{name}, {shown}",
        )
        low, high = of_null["null_smallest"], of_null["null_largest"]
        ax.fill_between(of_null["layer"], low, high, color="0.6", alpha=0.25, linewidth=0)


def _changes(ax: Axes, rows: pd.DataFrame) -> None:
    for number, (change, name) in enumerate(CHANGES.items()):
        of_change = rows[rows["change"] == change]
        if not of_change["value"].isna().all():
            marker = "osv^D*"[number]
            color = f"C{number + 1}" if number else "0.2"
            ax.plot(
                of_change["layer"], of_change["value"], color, marker=marker, ms=2.5, label=name
            )


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """Each line once, below."""
    named: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    # The last column is the shortest: what drew the figure stands below it.
    n_columns = next(n for n in (4, 3, 5, 1) if len(named) % n or n == 1)
    figure.legend(
        list(named.values()), list(named), loc="outside lower left", ncols=n_columns, fontsize=6.5
    )


def _text(results: Mapping[str, pd.DataFrame], label: str, family: Family, digits: int) -> str:
    profiles, curves = results["profiles"], results["curves"]
    as_is = profiles[profiles["change"] == "as_is"]
    text = [f"# {family.replace('_', ' ').capitalize()} of {label}\n"]
    stage = STAGES.get(family, "measure_profiles")
    text.append(f"Stage `{stage}`. `embspace define` says what each measure is.\n")
    for (corpus, space), rows in as_is.groupby(["corpus", "space"], sort=False):
        wide = rows.pivot_table("value", "measure", "layer", sort=False).reset_index()
        wide = wide.assign(measure=wide["measure"].str.replace("_", " "))
        wide.columns = [name if isinstance(name, str) else f"layer {name}" for name in wide.columns]
        kind = str(space).removeprefix(AFTER)
        heading = f"{corpus}, {SPACES[kind]}{', after the final norm' * (kind != space)}"
        most = rows.nlargest(1, "n").iloc[0]  # a layer whose vectors are all one has a single one
        known = f"{int(most['n']):,} vectors of {int(most['n_texts']):,} texts."
        text.append(section(heading, known, markdown_table(wide, digits)))
    text.append(section("Not converged", _NOT_CONVERGED, markdown_table(_moving(as_is), digits)))
    shown = curves[(curves["space"] == "token")] if len(curves) else curves
    if len(shown):
        last = shown[shown["layer"] == shown["layer"].max()]
        table = last.drop(columns=["space", "change", "layer"])
        table = table.assign(measure=table["measure"].str.replace("_", " "))
        heading = "Tokens of the last layer, by how many texts are read"
        text.append(section(heading, "Over draws of the texts.", markdown_table(table, digits)))
    return "\n".join(text)


_NOT_CONVERGED = (
    "In how many layers half of the texts give another value than all, by more than the tolerance "
    "and more than by chance: there the number says as much of the sample's size as of the model."
)


def _moving(as_is: pd.DataFrame) -> pd.DataFrame:
    judged = as_is[as_is["of_half"].notna()]
    counts = judged.assign(moving=judged["converged"].astype(str) != "True")
    found = counts.groupby(["corpus", "space", "measure"], sort=False)["moving"].agg(
        not_converged="sum", layers="size"
    )
    found = found[found["not_converged"] > 0].reset_index()
    return found.assign(measure=found["measure"].str.replace("_", " "))


DRAWINGS = {family: Drawing(draw_profiles, RESULTS, (family,)) for family in WORDS}
