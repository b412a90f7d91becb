"""Tells how alike layers of two models hold texts and words, which `compare_alignment` measured."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.own_texts import units_of
from embspace.draw.page.saving import Results
from embspace.settings.params import models_of

DRAWN_IN = "measures"
STAGE = "compare_alignment"
SHOWN = "debiased_linear_cka"
MEASURES = {
    "debiased_linear_cka": "debiased linear CKA",
    "procrustes_similarity": "Procrustes similarity",
    "mutual_nearest_neighbors": "mutual nearest neighbors",
}
SPACES = {"full": "all dimensions", "components": "three components"}
UNITS = {"text": "texts", "word": "words"}


def draw_alignment(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how alike the last layers are, and tables of these and of the most similar layers.

    `label` is the name of the pair.
    """
    table, best, (one, other) = results["csv"], results["best"], models_of(label)
    curves = section(
        f"Positions of {one} and {other}",
        "The second curve turned onto the first, both at a root mean square distance of 1 from "
        "the mean. Alike: both distances are smaller than those to all but a twentieth of random "
        "walks of the same steps, and of tables of the same kernel.",
        markdown_table(results.for_readers("positions", space=SPACES), digits),
    )
    return _finding(table, best, one, other), _tables(table, best, one, other, digits, curves)


def _finding(table: pd.DataFrame, best_pairs: pd.DataFrame, one: str, other: str) -> str:
    """Return how alike the last layers are beside the null, and which two layers are most alike."""
    rows = table[table["measure"] == SHOWN].dropna(subset="value")
    if rows.empty:
        return f"The layers of {one} and {other} cannot be compared"
    corpus, unit = rows[["corpus", "unit"]].iloc[0]
    rows = rows[(rows["corpus"] == corpus) & (rows["unit"] == unit)]
    last = rows.sort_values(["layer", "other_layer"]).iloc[-1]
    pairs = best_pairs[(best_pairs["corpus"] == corpus) & (best_pairs["unit"] == unit)]
    best = pairs[pairs["measure"] == SHOWN].iloc[0]
    beside = "above" if best["value"] > best["null_high"] else "not above"
    how = (
        "more alike than by chance"
        if last["value"] > last["null_high"]
        else "no more alike than by chance"
    )
    return (
        f"On {units_of(UNITS[unit], corpus)}, the last layers of {one} and {other} are "
        f"{how} (CKA {last['value']:z.2f}); most alike: layers {best['layer']:.0f} and "
        f"{best['other_layer']:.0f} ({best['value']:z.2f}, {beside} the best two by chance)"
    )


def _tables(
    rows: pd.DataFrame,
    best_pairs: pd.DataFrame,
    one: str,
    other: str,
    digits: int,
    curves: str,
) -> str:
    keys = ["corpus", "unit"]
    values = ["value", "low", "high", "null", "null_high", "random_weights_value", "n"]
    last = rows[rows["layer"] == rows["layer"].max()]
    last = last[last["other_layer"] == rows["other_layer"].max()]
    best = rows[rows["measure"] == SHOWN].sort_values("value", ascending=False, kind="stable")
    best = best.drop_duplicates([*keys, "layer"]).sort_values([*keys, "layer"], kind="stable")
    return tables_page(
        f"Alignment of {one} and {other}",
        STAGE,
        section(
            f"Last layers of {one} and {other}",
            "CKA and Procrustes similarity are 1 for spaces equal up to a rotation and one scale; "
            "mutual nearest neighbors is the share that both have. Points are independent: one "
            "text or word of each document, words among those that are whole in both tokenizers, "
            "so that another pair of models may be on other ones. The null permutes the points of "
            "the other model; its upper bound is one-sided, and Procrustes has none. Intervals are "
            "by half-samples of the points, those of Procrustes with the rotation held fixed; "
            "those of neighbors by the jackknife.",
            markdown_table(_named(last[[*keys, "measure", *values]]), digits),
        ),
        section(
            f"The most similar layers of {one} and {other}",
            "By measure, beside the most similar ones after each order of the points of the other "
            "model: the largest of many values is large by chance, too. The bound is one-sided.",
            markdown_table(_named(best_pairs), digits),
        ),
        section(
            f"The layer of {other} that is most like each of {one}",
            f"By {MEASURES[SHOWN]}, chosen by these very numbers.",
            markdown_table(_named(best[[*keys, "layer", "other_layer", *values]]), digits),
        ),
        curves,
    )


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """Name the measures, and the bounds after the value, for `markdown_table` to join."""
    named = rows.rename(columns={"low": "value_low", "high": "value_high"})
    if "measure" not in named:
        return named
    return named.assign(measure=[_spelled(str(measure)) for measure in named["measure"]])


def _spelled(measure: str) -> str:
    return MEASURES.get(measure, measure.replace("_", " ").replace("cka", "CKA"))
