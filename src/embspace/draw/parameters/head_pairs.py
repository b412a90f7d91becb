"""Tells which pairs of tokens the weights of heads relate, from `measure_head_pairs`."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.draw.page.canvas import counted
from embspace.draw.page.markdown import code, markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_head_pairs"
DRAWN_IN = "attention_patterns"
FURTHER_RESULTS = ("conf/measure/parameters/head_pairs.yaml",)
SETTINGS = FURTHER_RESULTS[0]
FORMS = {"value_output": "values and outputs", "query_key": "queries and keys"}
CATEGORIES = {
    "equal": "equal tokens",
    "joined": "join into a word",
    "joined_backwards": "join into a word, second first",
    "inflection": "forms of one verb or adjective",
    "number": "singular and plural",
    "gender": "of one gender",
    "place": "places",
    "country": "of one country",
    "name": "first or family names",
    "person": "names of one person",
    "spelling": "British and American form",
    "dialect": "both British or both American",
    "related": "of one field",
    "part_of_speech": "of one part of speech",
}


def draw_head_pairs(
    results: Results,
    label: str,
    *,
    n_cards: PositiveInt,
    n_shown: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[str, str]:
    """Return how many heads relate words, and tables of heads, pairs and categories."""
    facts = results["json"]
    if not facts["known"]:
        page = tables_page(f"Pairs of heads of {label}", STAGE, f"{_why(facts)}.\n")
        return _finding(results, label), page
    return _finding(results, label), _tables(results, label, n_cards, n_shown, digits)


def _finding(results: Results, label: str) -> str:
    """Return a sentence on the heads that hold a category, equal tokens apart."""
    if not results["json"]["known"]:
        return f"Which tokens heads of {label} relate is not known here"
    rows = results["shares"].query("tokens == 'all'")
    n_heads = len(rows[["layer", "head"]].drop_duplicates())
    above = rows[rows["above_null"]]
    if not len(above):
        return f"No head of {label} relates equal tokens or related words beyond chance"
    parts = []
    for form, name in FORMS.items():
        heads_above = above[above["form"] == form]
        equal = heads_above[heads_above["category"] == "equal"]
        other = heads_above[heads_above["category"] != "equal"][["layer", "head"]].drop_duplicates()
        parts.append(f"{name} relate equal tokens in {len(equal)}, related words in {len(other)}")
    return f"Beyond chance, among {counted(n_heads, 'head')} of {label}, {'; '.join(parts)}"


def _why(facts: dict[str, Any]) -> str:
    if facts["architecture"] is None:
        return "Vectors alone have no heads"
    return f"The parameters of {facts['architecture']} are not read here"


def _tables(results: Results, label: str, n_cards: int, n_shown: int, digits: int) -> str:
    settings = results[SETTINGS]
    shares = results["shares"].query("tokens == 'all'")
    categories = section(
        "Categories",
        f"Means over heads of the share of {settings['n_pairs']} top pairs among all tokens, equal "
        "ones left out but in the category of these; `permuted` with the tokens of rows permuted, "
        "`anew` with the same rows and columns joined at random, `shuffled` of heads "
        "whose entries are in random order. A list has so many words that are "
        "tokens. Heads above chance: over all heads, each category by itself (p ≤ "
        f"{settings['significance']:g}), {100 * settings['least_share']:g} % of the pairs or more, "
        f"and above {settings['n_shuffled_heads']} shuffled heads.",
        markdown_table(_by_category(shares, results["json"]["n_words"]), digits),
    )
    cards = section(
        "Strongest heads",
        "Of each category and form the heads with the largest share among those above chance, with "
        "their top pairs: what is read and what is written for it, or what asks and what is asked. "
        "The p-value is over all heads of the form; `anew p` says whether the single pairs belong "
        "together beyond what their words have in common.",
        markdown_table(_cards(results, shares, n_cards, n_shown), digits),
    )
    keys = section(
        "The key alone",
        "Of each layer the head whose term of the key alone, the bias of its queries times the "
        "keys, has the largest share of the variance of scores over keys, and the tokens it raises "
        "most; none where the share is 0. Every token is a query and a key once, without norm and "
        "position.",
        markdown_table(_keys(results, n_shown), digits),
    )
    return tables_page(f"Pairs of heads of {label}", STAGE, cards, categories, keys)


def _by_category(shares: pd.DataFrame, n_words: dict[str, int]) -> pd.DataFrame:
    rows = []
    for category, name in CATEGORIES.items():
        for form, shown in FORMS.items():
            some = shares.query(f"category == '{category}' and form == '{form}'")
            if some.empty:
                continue
            rows.append(
                {
                    "category": name,
                    "form": shown,
                    "words": n_words.get(category),
                    "share": some["share"].mean(),
                    "permuted": some["permuted_mean"].mean(),
                    "anew": some["paired_anew_mean"].mean(),
                    "shuffled": some["shuffled_mean"].mean(),
                    "largest share": some["share"].max(),
                    "heads above chance": int(some["above_null"].sum()),
                }
            )
    return pd.DataFrame(rows)


def _cards(results: Results, shares: pd.DataFrame, n_cards: int, n_shown: int) -> pd.DataFrame:
    pairs = results["pairs"].query("tokens == 'all'")
    rows = []
    for category, name in CATEGORIES.items():
        for form, shown in FORMS.items():
            heads_above = shares.query(
                f"category == '{category}' and form == '{form}' and above_null"
            )
            order = ["share", "layer", "head"]
            best = heads_above.sort_values(order, ascending=[False, True, True]).head(n_cards)
            for _, row in best.iterrows():
                place = f"form == '{form}' and layer == {row['layer']} and head == {row['head']}"
                listed = pairs.query(place).head(n_shown)
                rows.append(
                    {
                        "category": name,
                        "form": shown,
                        "head": f"{row['layer']}.{row['head']}",
                        "share": row["share"],
                        "p": row["p_value_over_heads"],
                        "anew p": row["paired_anew_p_value"],
                        "top pairs, equal ones left out": ", ".join(
                            f"{code(str(one))} {code(str(other))}"
                            for one, other in zip(listed["row"], listed["column"], strict=True)
                        ),
                    }
                )
    return pd.DataFrame(rows)


def _keys(results: Results, n_shown: int) -> pd.DataFrame:
    profiles = results["profiles"].dropna(subset=["key_only_share"])
    best = profiles.loc[profiles.groupby("layer")["key_only_share"].idxmax()]
    rows = []
    for _, row in best.iterrows():
        place = f"layer == {row['layer']} and head == {row['head']}"
        tokens = results["keys"].query(place)["token"].head(n_shown)
        rows.append(
            {
                "head": f"{row['layer']}.{row['head']}",
                "key-only share": row["key_only_share"],
                "mean-query share": row["mean_query_share"],
                "tokens": " ".join(code(str(token)) for token in tokens)
                if row["key_only_share"] > 0
                else None,
            }
        )
    return pd.DataFrame(rows)
