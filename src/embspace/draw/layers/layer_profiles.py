"""Draws a figure and tables of measures over the layers of a model."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles_reference import (
    LINE as KNOWN,
)
from embspace.draw.layers.layer_profiles_reference import (
    draw_beside,
    known_profiles,
    legend_words,
    name_beside,
    profiles_beside,
)
from embspace.draw.page.canvas import count, new_figure, say_instead, sentence_case
from embspace.draw.page.looks import GRAY, LAYER_SPACES, NULLS, Look, corpus_looks
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results

AFTER = "final_norm_"  # begins the names of spaces that the figure leaves to the tables
CHANGES = {
    "ordinary_tokens": "without special tokens and position 0",
    "standardized": "standardized",
    "no_outlier_dimensions": "without outlier dimensions",
    "all_but_the_top": "all but the top directions",
    "whitened": "whitened",
}


class Finding(NamedTuple):
    """The measure of an analysis whose extreme layer gives the title, and the words for it."""

    stage: str
    measure: str
    extreme: Literal["largest", "smallest"]
    claim: str
    """Says what is true of the extreme layer; `{vectors}` stands for the tokens of a corpus."""
    within_null: str = ""
    """Says it where the first null is as extreme; by default the same."""


WIDE = 10.0  # times the smallest value, from which on an axis is logarithmic
ONE_SPACE_COLUMNS = 2  # of panels, where an analysis has one space alone
HOLLOW = "hollow: not converged"


def draw_profiles(
    results: Results,
    label: str,
    finding: Finding,
    *,
    measures: list[str],
    nulls: list[str],
    corpus: str,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row per measure and a column per space; for a single space, a panel per measure.

    Lines are corpora, with intervals over texts and, thin and in the same color, the corpus's
    nulls. Points that depend on the number of texts are hollow. The title is about `corpus`, or
    about the first profiled corpus if `corpus` was not profiled.
    """
    as_is = _spread_out(results["profiles"].query("change == 'as_is'"))
    spaces = [space for space in LAYER_SPACES if space in set(as_is["space"])] or ["token"]
    n_columns = len(spaces) if len(spaces) > 1 else min(len(measures), ONE_SPACE_COLUMNS)
    n_rows = -(-len(measures) * len(spaces) // n_columns)
    figure, axes = new_figure(
        n_rows,
        n_columns,
        height_mm=row_height_mm * n_rows + 32,
        title=_title(as_is, results["nulls"], finding, corpus, nulls),
        subtitle=" · ".join([label, *_sizes(as_is), "bands: 95 % intervals over texts"]),
        stage=finding.stage,
    )
    if as_is.empty:
        say_instead(axes, f"{label}: no corpus has enough documents")
        return figure, _text(results, label, finding.stage, measures, digits)
    shown = results["nulls"][results["nulls"]["null"].isin(nulls)]
    known = profiles_beside(as_is, label, known_profiles())
    for row, measure in enumerate(measures):
        in_row = axes[row * len(spaces) :][: len(spaces)]
        for ax, space in zip(in_row, spaces, strict=True):
            name = LAYER_SPACES[space].name
            draw_layers(ax, _of(as_is, space, measure), _of(shown, space, measure))
            if ax.lines:
                draw_beside(ax, known, space, measure)
            ax.set_title(sentence_case(name) if row == 0 and len(spaces) > 1 else "")
            ax.set_xlabel("layer" if row * len(spaces) // n_columns == n_rows - 1 else "")
        in_row[0].set_ylabel(name_of(measure))
        share_scale(in_row)
        name_beside(in_row)
    for ax in axes[len(measures) * len(spaces) :]:
        ax.set_axis_off()
    _legend(figure, as_is, shown[shown["measure"].isin(measures)], measures, known)
    return figure, _text(results, label, finding.stage, measures, digits)


def _spread_out(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of layers whose vectors are not all one, as first tokens are at layer 0."""
    keys = ["corpus", "space", "layer"]
    is_one = (rows["measure"] == "mean_cosine") & (rows["value"] == 1)
    kept = ~rows.set_index(keys).index.isin(rows[is_one].set_index(keys).index)
    return rows[kept]


def _of(table: pd.DataFrame, space: str, measure: str) -> pd.DataFrame:
    return table[(table["space"] == space) & (table["measure"] == measure)]


def _sizes(as_is: pd.DataFrame) -> list[str]:
    """Return the number of vectors by corpus, the largest of all layers."""
    n = as_is.assign(kind=(as_is["space"] == "token")).groupby(["corpus", "kind"])["n"].max()
    words = {True: "tokens", False: "pooled"}
    return [
        f"{_named(corpus)}: "
        + ", ".join(
            f"{count(n[corpus, kind])} {words[kind]}" for kind in words if (corpus, kind) in n
        )
        for corpus in n.index.unique("corpus")
    ]


def _named(corpus: str) -> str:
    return corpus_looks([corpus])[corpus].name


def _title(
    as_is: pd.DataFrame, nulls: pd.DataFrame, finding: Finding, corpus: str, shown: Sequence[str]
) -> str:
    """Return the extreme layer of a measure, with its value there, its null and the last layer."""
    measure = finding.measure
    space, name = next(iter(LAYER_SPACES)), name_of(measure).partition(" (")[0]
    rows = _of(as_is, space, measure).dropna(subset="value")
    if rows.empty:
        return f"{sentence_case(name)} of tokens is undefined in all layers"
    corpus = corpus if corpus in set(rows["corpus"]) else rows["corpus"].iloc[0]
    of_corpus = rows[rows["corpus"] == corpus]
    values = {
        int(at): float(x) for at, x in zip(of_corpus["layer"], of_corpus["value"], strict=True)
    }
    moving = {*of_corpus.loc[of_corpus["converged"].astype(str) != "True", "layer"]}
    pick = max if finding.extreme == "largest" else min
    last, layer = max(values), pick(values, key=values.__getitem__)
    if _short(values[layer]) == _short(values[last]):  # no winner among equals
        layer = last
    drawn = _of(nulls, space, measure).query("corpus == @corpus and layer == @layer")
    drawn = drawn.dropna(subset="null_mean")
    of_null = dict(zip(drawn["null"], map(float, drawn["null_mean"]), strict=True))
    beside = [f"{NULLS[null].name} {_short(of_null[null])}" for null in shown if null in of_null][
        :1
    ]
    beside += [f"last layer {_short(values[last])}"] if layer != last else []
    beside += ["not converged"] if layer in moving else []
    where = "the last layer" if layer == last else f"layer {layer} of {last}"
    nulls_shown = [of_null[null] for null in shown if null in of_null][:1]
    is_within = any(pick(values[layer], null) == null for null in nulls_shown)
    claim = finding.within_null if is_within and finding.within_null else finding.claim
    claimed = sentence_case(claim.format(vectors=f"tokens of {_named(corpus)}"))
    value = f"{claimed} at {where}: {name} {_short(values[layer])}"
    return f"{value} ({', '.join(beside)})" if beside else value


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:z.2f}"


def draw_layers(ax: Axes, rows: pd.DataFrame, nulls: pd.DataFrame) -> None:
    """Draw a measure by layer: a line a corpus, its interval and its nulls in its color.

    A value without an interval is not drawn.
    """
    looks = corpus_looks(sorted(set(rows["corpus"])))
    for (corpus, null), of_null in nulls.groupby(["corpus", "null"], sort=False):
        if corpus in looks:
            line: dict[str, Any] = {
                "linestyle": NULLS[str(null)].line,
                "linewidth": 0.8,
                "label": f"{null}",
            }
            ax.plot(of_null["layer"], of_null["null_mean"], color=looks[corpus].color, **line)
    for corpus, look in looks.items():
        of_corpus = rows[rows["corpus"] == corpus]
        _line(ax, of_corpus.where(of_corpus["low"].notna()).assign(layer=of_corpus["layer"]), look)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _line(ax: Axes, rows: pd.DataFrame, look: Look) -> None:
    if rows["value"].isna().all():
        return
    x, color = rows["layer"], look.color
    style: dict[str, Any] = {"ls": look.line, "marker": look.marker, "ms": 3.5, "label": look.name}
    ax.plot(x, rows["value"], color=color, **style)
    hollow = rows[rows["converged"].astype(str) != "True"]
    ax.plot(hollow["layer"], hollow["value"], look.marker, color=color, ms=3.5, mfc="white")
    ax.fill_between(x, rows["low"], rows["high"], color=color, alpha=0.2, linewidth=0)


def share_scale(axes: Sequence[Axes]) -> None:
    """Give panels one y axis that holds all lines, logarithmic where the model's differ tenfold.

    A null near zero alone stretches no axis. Intervals may leave it: those of few texts can be a
    hundred times as high as all values.
    """
    lines = [line for ax in axes for line in ax.lines]
    values = _values_of(lines)
    own = _values_of([line for line in lines if line.get_marker() not in ("", "None", None)])
    low, high = values.min(), values.max()
    for ax in axes:
        if values.notna().any() and low > 0 and own.max() > WIDE * own.min():
            ax.set(yscale="log", ylim=(low / 1.25, high * 1.25))
            ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=9))
            ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            ax.yaxis.set_minor_formatter(NullFormatter())
        elif values.notna().any():
            margin = 0.1 * (high - low) or 0.5
            ax.set_ylim(low - margin, high + margin)
        if not ax.lines:
            ax.text(0.5, 0.5, "undefined", transform=ax.transAxes, ha="center", color=GRAY)


def _values_of(lines: Sequence[Line2D]) -> pd.Series:
    """Return the heights of all points of lines: nulls have no markers, the model's lines do."""
    drawn = [pd.Series(line.get_ydata(), dtype=float) for line in lines]
    return pd.concat(drawn or [pd.Series(dtype=float)])


def _legend(
    figure: Figure,
    as_is: pd.DataFrame,
    nulls: pd.DataFrame,
    measures: Sequence[str],
    known: pd.DataFrame,
) -> None:
    """Name corpora, nulls, known models and hollow points, if there are any, below all panels."""
    handles = [
        Line2D([], [], color=look.color, marker=look.marker, linestyle=look.line, label=look.name)
        for look in corpus_looks(sorted(set(as_is["corpus"]))).values()
    ]
    having = nulls.dropna(subset="null_mean")
    for null in dict.fromkeys(having["null"]):
        corpora = sorted(set(having.loc[having["null"] == null, "corpus"]))
        some = (
            f" ({', '.join(map(_named, corpora))})" if set(corpora) != set(as_is["corpus"]) else ""
        )
        words = f"thin: null, {NULLS[null].name}{some}"
        handles.append(Line2D([], [], color=GRAY, ls=NULLS[null].line, lw=0.8, label=words))
    drawn = as_is[as_is["measure"].isin(measures) & as_is["low"].notna()]
    if (drawn["converged"].astype(str) != "True").any():
        handles.append(Line2D([], [], color=GRAY, marker="o", ls="", mfc="white", label=HOLLOW))
    if not known[known["measure"].isin(measures)].empty:
        handles.append(Line2D([], [], label=legend_words(known), **KNOWN))
    figure.legend(handles=handles, loc="outside lower left", ncols=3)


def _text(results: Results, label: str, stage: str, measures: list[str], digits: int) -> str:
    """Return the tables: first of what the figure shows, of tokens; all the rest is folded."""
    profiles = results["profiles"]
    as_is = profiles[profiles["change"] == "as_is"]
    lead = as_is[(as_is["space"] == "token") & as_is["measure"].isin(measures)]
    return "\n".join(
        [
            f"# {stage.removeprefix('measure_').replace('_', ' ').capitalize()} of {label}\n",
            f"Stage `{stage}`. `embspace define` says what each measure is.\n",
            section(
                "Tokens by layer",
                "As in the figure, without the gray known models.",
                by_layer(lead, ["corpus"], digits),
            ),
            folded(
                "\n".join([*_all_tables(profiles, digits), *_curves(results["curves"], digits)])
            ),
        ]
    )


def by_layer(rows: pd.DataFrame, keys: list[str], digits: int) -> str:
    """Return a table of measures with a column for each layer, after those of other keys."""
    wide = rows.pivot_table("value", [*keys, "measure"], "layer", sort=False).reset_index()
    wide = wide.assign(measure=wide["measure"].map(name_of))
    wide.columns = [name if isinstance(name, str) else f"layer {name}" for name in wide.columns]
    return markdown_table(wide, digits)


def _all_tables(profiles: pd.DataFrame, digits: int) -> list[str]:
    as_is, text = profiles[profiles["change"] == "as_is"], []
    for (corpus, space), rows in as_is.groupby(["corpus", "space"], sort=False):
        kind = str(space).removeprefix(AFTER)
        heading = f"{_named(str(corpus))}, {LAYER_SPACES[kind].name}"
        most = rows.nlargest(1, "n").iloc[0]  # a layer whose vectors are all one has a single one
        known = f"{count(most['n'])} vectors of {count(most['n_texts'])} texts."
        after = ", after the final norm" * (kind != space)
        text.append(section(f"{heading}{after}", known, by_layer(rows, [], digits)))
    changed = profiles[(profiles["space"] == "token") & profiles["change"].isin(CHANGES)]
    changed = changed.assign(change=changed["change"].map(CHANGES))
    table = by_layer(changed, ["corpus", "change"], digits)
    text.append(section("Tokens after a change", "All vectors are changed alike.", table))
    text.append(section("Not converged", _NOT_CONVERGED, markdown_table(_moving(as_is), digits)))
    return text


def _curves(curves: pd.DataFrame, digits: int) -> list[str]:
    shown: Any = curves[curves["space"] == "token"]
    if shown.empty:
        return []
    last = shown[shown["layer"] == shown["layer"].max()].drop(columns=["space", "change", "layer"])
    table = markdown_table(last.assign(measure=last["measure"].map(name_of)), digits)
    heading = "Tokens of the last layer, by how many texts are read"
    return [section(heading, "Over draws of the texts.", table)]


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
    spaces = [
        LAYER_SPACES[space.removeprefix(AFTER)].name + ", final norm" * space.startswith(AFTER)
        for space in found["space"]
    ]
    return found.assign(space=spaces, measure=found["measure"].map(name_of))
