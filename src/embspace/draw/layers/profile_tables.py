"""Says where a measure is extreme among the layers of a model, with tables of all measures."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pandas as pd

from embspace.draw.page.canvas import count, sentence_case
from embspace.draw.page.looks import LAYER_SPACES, NULLS, corpus_looks
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import listed

MOST_NAMED = 3  # layers
AFTER = "final_norm_"  # begins the names of spaces after the final norm
CHANGES = {
    "ordinary_tokens": "without special tokens and position 0",
    "standardized": "standardized",
    "no_outlier_dimensions": "without outlier dimensions",
    "all_but_the_top": "all but the top directions",
    "whitened": "whitened",
}


class Finding(NamedTuple):
    """The measure whose extreme layer gives the title of an analysis, and words for the title."""

    stage: str
    measure: str
    extreme: Literal["largest", "smallest"]
    claim: str
    """Says what is true of the extreme layer; `{vectors}` stands for the tokens of a corpus."""
    within_null: str = ""
    """Says it where the first null is as extreme; by default the same."""


def profile_page(
    results: Results,
    label: str,
    finding: Finding,
    *,
    measures: list[str],
    nulls: list[str],
    corpus: str,
    digits: int,
) -> tuple[str, str]:
    """Return a sentence on the extreme layer of a measure, and tables, first those of `measures`.

    The sentence is about `corpus`, or about the first profiled corpus if `corpus` was not
    profiled, and names the first of the `nulls` that was measured.
    """
    as_is = results["profiles"].query("change == 'as_is'")
    sentence = _title(as_is, results["nulls"], finding, corpus, nulls)
    return sentence, _text(results, label, finding.stage, measures, digits)


def profiled_corpus(rows: pd.DataFrame, corpus: str) -> str:
    """Return the corpus if it has rows, else the first corpus with rows; empty without any."""
    return corpus if corpus in set(rows["corpus"]) else next(map(str, rows["corpus"]), "")


def _of(table: pd.DataFrame, space: str, measure: str) -> pd.DataFrame:
    return table[(table["space"] == space) & (table["measure"] == measure)]


def _named(corpus: str) -> str:
    return corpus_looks([corpus])[corpus].name


def _title(
    as_is: pd.DataFrame, nulls: pd.DataFrame, finding: Finding, corpus: str, shown: Sequence[str]
) -> str:
    """Return the extreme layer of a measure with value and null, and the last layer."""
    measure = finding.measure
    space, name = next(iter(LAYER_SPACES)), name_of(measure).partition(" (")[0]
    rows = _of(as_is, space, measure).dropna(subset="value")
    if rows.empty:
        return f"{sentence_case(name)} of tokens is undefined in all layers"
    corpus = profiled_corpus(rows, corpus)
    corpus_rows = rows[rows["corpus"] == corpus]
    values = {
        int(at): float(x) for at, x in zip(corpus_rows["layer"], corpus_rows["value"], strict=True)
    }
    moving = {*corpus_rows.loc[corpus_rows["converged"].astype(str) != "True", "layer"]}
    vectors = f"tokens of {_named(corpus)}"
    if len(moving) == len(values) > 1:
        return f"{sentence_case(name)} of {vectors} cannot be told at any layer: not converged"
    pick = max if finding.extreme == "largest" else min
    last, layer = max(values), pick(values, key=values.__getitem__)
    null, null_means = _null(_of(nulls, space, measure).query("corpus == @corpus"), layer, shown)
    alike = _as_extreme(corpus_rows, layer)
    if len(alike) == len(values) > 1:
        said = "does not surely differ between layers"
        if len(moving) > len(values) / 2:
            said = f"converged in {len(values) - len(moving)} of {len(values)} layers only"
        beside_all = f" ({null} {_ends(null_means)})" if null else ""
        return f"{sentence_case(name)} of {vectors} {said}: {_ends(values)}{beside_all}"
    beside = [f"{null} {_short(null_means[layer])}"] if null else []
    beside += [f"last layer {_short(values[last])}"] if last not in alike else []
    beside += ["not converged"] if layer in moving else []
    where = _where(alike, sorted(values), as_is.loc[as_is["corpus"] == corpus, "layer"])
    is_within = bool(null) and pick(values[layer], null_means[layer]) == null_means[layer]
    claim = finding.within_null if is_within and finding.within_null else finding.claim
    value = (
        f"{sentence_case(claim.format(vectors=vectors))} at {where}: {name} {_short(values[layer])}"
    )
    return f"{value} ({', '.join(beside)})" if beside else value


def _where(layers: list[int], known: list[int], measured: pd.Series) -> str:
    """Return layers, of those with a known value, and how many were measured if not all were."""
    last, n_measured = known[-1], measured.nunique()
    is_run = layers == [layer for layer in known if layers[0] <= layer <= layers[-1]]
    if layers == [last]:
        where = "the last layer"
    elif len(layers) == 1:
        where = f"layer {layers[0]} of {last}"
    elif len(layers) <= MOST_NAMED:
        where = f"layers {listed([str(layer) for layer in layers])}"
    elif is_run:
        where = f"layers {layers[0]} to {layers[-1]}"
    else:
        where = f"{len(layers)} of the layers {layers[0]} to {layers[-1]}"
    return where if n_measured > measured.max() else f"{where}, of {n_measured} layers measured"


def _null(nulls: pd.DataFrame, layer: int, shown: Sequence[str]) -> tuple[str, dict[int, float]]:
    """Return the first of the nulls `shown` that a layer has: the name, and the means by layer."""
    known = nulls.dropna(subset="null_mean")
    for null in shown:
        rows = known[known["null"] == null]
        means = dict(zip(map(int, rows["layer"]), map(float, rows["null_mean"]), strict=True))
        if layer in means:
            return NULLS[null].name, means
    return "", {}


def _ends(values: Mapping[int, float]) -> str:
    """Return the range of values by layer, a single number if its ends are printed alike."""
    ends = min(values.values()), max(values.values())
    return " to ".join(dict.fromkeys(map(_short, ends)))


def _as_extreme(rows: pd.DataFrame, layer: int) -> list[int]:
    """Return the layers with values in an extreme layer's interval, or with the same digits."""
    extreme = rows[rows["layer"] == layer].iloc[0]
    is_alike = rows["value"].between(extreme["low"], extreme["high"])
    is_alike |= rows["value"].map(_short) == _short(extreme["value"])
    return sorted(map(int, rows.loc[is_alike, "layer"]))


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:z.2f}"


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
                "As the corpora were read.",
                by_layer(lead, ["corpus"], digits),
            ),
            folded(
                "\n".join([*_all_tables(profiles, digits), *_curves(results["curves"], digits)])
            ),
        ]
    )


def by_layer(rows: pd.DataFrame, keys: list[str], digits: int) -> str:
    """Return a table of measures, with key columns and then a column per layer."""
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
        known = f"{count(most['n'])} vectors of {count(most['n_texts'])} documents."
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
    moving = counts.groupby(["corpus", "space", "measure"], sort=False)["moving"].agg(
        not_converged="sum", layers="size"
    )
    moving = moving[moving["not_converged"] > 0].reset_index()
    spaces = [
        LAYER_SPACES[space.removeprefix(AFTER)].name + ", final norm" * space.startswith(AFTER)
        for space in moving["space"]
    ]
    return moving.assign(space=spaces, measure=moving["measure"].map(name_of))
