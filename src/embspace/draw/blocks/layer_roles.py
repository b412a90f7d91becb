"""Tells how blocks change the input, by depth, from `measure_layer_roles`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import count, counted, sentence_case
from embspace.draw.page.looks import corpus_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.own_texts import TEXTS_OF
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import numeral

STAGE = "measure_layer_roles"
DRAWN_IN = "information_stream"
PANELS = {
    "row_entropy": "Row entropy / ln n",
    "value_entropy": "Entropy of values",
    "cosine_with_input": "Cosine with the input",
    "attention_added_over_stream": "Attention adds / stream",
    "mlp_added_over_stream": "MLP adds / stream",
    "self_mass": "Attention to itself",
    "cone_changed": "Cone index / n, change",
}
FEW = 4  # blocks, whose orders are too few for a p of 0.05
SIGNS = {"+": "rises", "-": "falls", "either": "either"}
CLAIM = "lower layers choose and upper ones carry forward"  # of BERT, as a clause of a title
SPEAKS = {"matches": "for", "differs": "against"}  # by verdict
SHOWN = {
    "statistic": "statistic",
    "expected_sign": "expected",
    "value": "correlation",
    "low": "correlation_low",
    "high": "correlation_high",
    "p_value": "p",
    "random_weights_smallest": "least at random weights",
    "random_weights_largest": "largest at random weights",
    "verdict": "verdict",
}


def draw_layer_roles(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how many statistics bear out a claim, and tables of them and of all layers."""
    layers, claims = results["csv"], results["claims"]
    title, finding = f"Roles of the layers of {label}", _finding(claims, label)
    if layers.empty:
        reason = f"{label}: the blocks of its architecture cannot be rebuilt, or it read no text"
        return finding, tables_page(title, STAGE, f"{reason}.\n")
    return finding, tables_page(title, STAGE, *_tables(layers, claims, digits))


def _finding(claims: pd.DataFrame, label: str) -> str:
    """Return how many statistics bear out the claim, or the only one that says something of it."""
    if claims.empty:
        return f"What the layers of {label} do was not measured"
    n_blocks, least = int(claims["n_blocks"].iloc[0]), claims["p_value"].min()
    if n_blocks <= FEW:
        few = f"{counted(n_blocks, 'layer')} {'is' if n_blocks == 1 else 'are'} too few"
        bound = "" if pd.isna(least) else f": no p below {least:.2g}"
        return f"{few} to decide whether {CLAIM}{bound}"
    decided = claims[claims["verdict"].isin(SPEAKS)]
    if decided.empty:
        return f"No statistic of {len(claims)} decides whether {CLAIM}"
    others = len(claims) - len(decided)
    if len(decided) > 1:
        n = {verdict: int((decided["verdict"] == verdict).sum()) for verdict in SPEAKS}
        counts = f"{n['matches']} for it, {n['differs']} against it, {others} undecided"
        return f"Of {len(claims)} statistics on whether {CLAIM}: {counts}"
    [row] = decided.to_dict("records")
    name = sentence_case(row["statistic"]) + "," * ("," in row["statistic"])
    way = "rises" if row["value"] > 0 else "falls"
    low, high = (float(row[f"random_weights_{end}"]) for end in ("smallest", "largest"))
    value, lowest, highest = (numeral(number, 2, plus=True) for number in (row["value"], low, high))
    beside = f"; random weights {lowest} to {highest}" if low == low else ""
    side = f"{SPEAKS[row['verdict']]} the claim that {CLAIM}"
    return (
        f"{name} {way} with the layer ({value}{beside}), {side}; "
        f"{counted(others, 'other')} undecided"
    )


def _tables(layers: pd.DataFrame, claims: pd.DataFrame, digits: int) -> list[str]:
    judged = claims.assign(expected_sign=claims["expected_sign"].map(SIGNS))
    judgments = section(
        "The claims",
        "From the abstract of The geometry of BERT (arXiv 2502.12033); which statistics speak for "
        "them, and when, is ours: conf/measure/blocks/layer_roles.yaml. Spearman's correlation "
        "with the number of the layer, and p of layers in random order. " + _said(layers),
        markdown_table(judged[[*SHOWN]].rename(columns=SHOWN), digits),
    )
    named = layers.assign(statistic=layers["statistic"].map(PANELS))
    wide = [
        section(words, note, markdown_table(_wide(named, column), digits))
        for column, words, note in (
            ("value", "By layer", "Mean over texts."),
            ("random_weights_mean", "By layer, random weights", "Mean of the models."),
        )
    ]
    return [judgments, *wide]


def _said(layers: pd.DataFrame) -> str:
    first = layers.iloc[0]
    corpus = corpus_looks([first["corpus"]])[first["corpus"]].name.removeprefix(TEXTS_OF)
    return (
        f"Of the first windows of {count(first['n_texts'])} documents of {corpus}, "
        f"{count(first['n_tokens'])} tokens; means of a window's tokens and heads."
    )


def _wide(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    wide = rows.pivot_table(column, ["statistic"], "layer", sort=False).reset_index()
    wide.columns = [name if isinstance(name, str) else f"layer {name}" for name in wide.columns]
    return wide
