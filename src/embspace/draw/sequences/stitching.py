"""Tells how accurate stitched models are, from `measure_stitching`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted
from embspace.draw.page.markdown import for_readers, interval, markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.sequences.sequence_looks import first_run, rows_of_run
from embspace.files.tables import Tables

STAGE = "measure_stitching"
DRAWN_IN = "attribution"
RULES = (
    "Of the layer of the upper half where the stitch through the vocabulary is most accurate. "
    "Above random: its interval is above chance and above every random stitch of all pairs, each "
    "at its own best layer of these. Most: its interval is above half of what the classifier has "
    "above chance. Both rules were fixed before the results; after them this was added: a pair "
    "differs from random only if its interval reaches no higher than the mean of its own random "
    "stitches or chance. A seed above itself, or above its base, is a control."
)
SHOWN = [
    *("accuracy", "accuracy_low", "accuracy_high", "chance", "null_accuracy_largest"),
    *("trained_accuracy", "above_random"),
]


def draw_stitching(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how many pairs stitch better than at random, of the first run; tables of all runs."""
    tables = {name: _with_below(results[name]) for name in ("layers", "pairs", "claims")}
    pairs = tables["pairs"]
    finding = _finding(_first_of(pairs, "lower_seed"), _first_of(pairs, "lower_model"))
    shown = _tables(tables, digits) if len(pairs) else ["None.\n"]
    return finding, tables_page("Stitching", STAGE, *shown)


def _with_below(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the lower model as one word: a seed of the run, or a model's name."""
    if "lower_seed" not in table:
        return table
    models = table["lower_model"].astype("string")
    seeds = "seed " + table["lower_seed"].astype("Int64").astype("string")
    return table.assign(below=models.fillna(seeds))


def _first_of(pairs: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the pairs of the first run whose lower models are named in this column."""
    if column not in pairs:
        return pd.DataFrame(columns=["upper_seed", "lower_seed", "lower_model", "is_control"])
    rows = pairs[pairs[column].notna()]
    return rows_of_run(rows, first_run(rows))


def _finding(seed_pairs: pd.DataFrame, model_pairs: pd.DataFrame) -> str:
    if seed_pairs.empty and model_pairs.empty:
        return "No run classifies sequences after another phase"
    kinds = {"seeds": seed_pairs, "a run and another model": model_pairs}
    others = {kind: pairs[~pairs["is_control"].astype(bool)] for kind, pairs in kinds.items()}
    parts = [_kind_words(kind, pairs) for kind, pairs in others.items() if len(pairs)]
    if not parts:
        return "One seed alone is stitched to no other"
    return f"Through the vocabulary, {', '.join(parts)}"


def _kind_words(kind: str, pairs: pd.DataFrame) -> str:
    n_above = int((pairs["above_random"] == "matches").sum())
    return (
        f"{n_above} of {counted(len(pairs), 'pair')} of {kind} stitch better than at random "
        f"({_range(pairs['accuracy'])}; states as they are {_range(pairs['identity_accuracy'])})"
    )


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


def _tables(results: Tables, digits: int) -> list[str]:
    run = {"run": "run"} if "run" in results["pairs"] else {}
    keys = {**run, "upper_seed": "seed above", "below": "below"}
    columns = {
        **keys,
        "n_documents": "documents",
        **interval("unstitched_accuracy", "classifier itself"),
        "chance": "chance",
        "best_layer": "best layer",
        **interval("accuracy", "accuracy"),
        "null_accuracy": "random stitches",
        "null_accuracy_largest": "largest of these",
        "null_accuracy_largest_of_all_pairs": "largest of all pairs",
        "trained_accuracy": "trained stitch, at its own best layer",
        "identity_accuracy": "as they are, at their own best layer",
        **interval("recovered", "recovered"),
        "above_random": "above random",
        "recovers_most": "most",
        "explained_share": "share of embeddings explained",
        "shuffled_explained_share": "of shuffled tokens",
        **interval("frequent_accuracy", "through frequent tokens"),
    }
    pairs = markdown_table(for_readers(results["pairs"], columns), digits)
    claims = {**run, "claim": "claim", "seed": "seed above", "n_pairs": "pairs"}
    claims |= {"n_matching": "matching", "n_differing": "differing"}
    claims |= {"holds_if": "a pair matches if", "verdict": "verdict"}
    claim_table = markdown_table(for_readers(results["claims"], claims), digits)
    layers = {**keys, "layer": "layer", "stitch": "stitch", "n": "sequences"}
    layers |= interval("accuracy", "accuracy")
    layers |= interval("less_vocabulary", "less that through the vocabulary")
    layer_table = markdown_table(for_readers(results["layers"], layers), digits)
    words = "Of random stitches, turned and of shuffled tokens, mean and range of the draws."
    short = {name: columns[name] for name in (*keys, *SHOWN)}
    first = markdown_table(for_readers(results["pairs"], short), digits)
    return [
        section("Pairs", RULES, first),
        section("Claims", "Of a seed above, over its pairs.", claim_table),
        section("Ordered pairs", "", pairs),
        section("Layers", words, layer_table),
    ]
