"""Holds the sentence and the tables of pairs of heads to what they are drawn from."""

from typing import Any

from embspace.draw.parameters.head_pairs import CATEGORIES, draw_head_pairs
from embspace.measure.parameters.head_pairs import HEAD_PAIRS

SETTINGS: dict[str, Any] = {"n_cards": 2, "n_shown": 3, "digits": 2}
MEASURED = {
    "n_pairs": 50,
    "n_permutations": 199,
    "n_shuffled_heads": 12,
    "least_share": 0.1,
    "significance": 0.05,
}
FACTS = {
    "known": True,
    "architecture": "BertModel",
    "n_layers": 3,
    "n_heads": 4,
    "n_ordinary_tokens": 30_000,
    "n_words": {"gender": 300},
}
PLACES = [(layer, head) for layer in (1, 2, 3) for head in (1, 2, 3, 4)]


SHARES = [*HEAD_PAIRS.tables["shares"].columns]


def results(known: bool = True) -> dict[str, Any]:
    """Head 2.3 writes words of one field; head 1.1 asks for equal tokens; no one has gender."""
    shares, pairs, profiles, keys = [], [], [], []
    for form in ("value_output", "query_key"):
        for layer, head in PLACES:
            place = {"tokens": "all", "form": form, "layer": layer, "head": head}
            for category in CATEGORIES:
                held = (form, category, layer, head) in {
                    ("value_output", "related", 2, 3),
                    ("query_key", "equal", 1, 1),
                }
                share = 0.8 if held else 0.02 * (category != "gender")
                numbers = dict.fromkeys(SHARES[7:], 0.01) | {"above_null": held, "n_pairs": 50}
                shares.append(place | {"category": category, "share": share} | numbers)
            row = {"rank": 1, "row": "ottawa", "column": "`a|b`", "score": 1.0, "categories": ""}
            pairs.append(place | row)
            share = {"key_only_share": 0.1 * head, "mean_query_share": 0.5}
            head_form = {"layer": layer, "head": head, "form": form}
            profiles.append(head_form | (share if form == "query_key" else {}))
            keys.append({"layer": layer, "head": head, "rank": 1, "token": "the", "score": 2.0})
    rows = {"shares": shares, "pairs": pairs, "profiles": profiles, "keys": keys}
    tables = {
        name: table.of(rows[name] if known else ()) for name, table in HEAD_PAIRS.tables.items()
    }
    facts = FACTS if known else {"known": False, "architecture": None}
    return {"json": facts, "conf/measure/parameters/head_pairs.yaml": MEASURED, **tables}


def test_the_finding_and_the_tables_say_what_is_above_chance():
    finding, tables = draw_head_pairs(results(), "MiniLM", **SETTINGS)
    assert finding == (
        "Beyond chance, among 12 heads of MiniLM, values and outputs relate equal tokens in 0, "
        "related words in 1; queries and keys relate equal tokens in 1, related words in 0"
    )
    cells = [[cell.strip() for cell in line.split("|")] for line in tables.splitlines()]
    rows = [line[1:5] for line in cells]
    assert ["of one field", "values and outputs", "2.3", "0.80"] in rows
    assert "`ottawa`" in tables and "`` `a\\|b` ``" in tables
    assert any(line[1:2] == ["3.4"] for line in cells)  # the largest term of the key alone


def test_without_a_head_above_chance_or_a_key_that_tells_nothing_is_counted_or_listed():
    given = results()
    given["shares"] = given["shares"].assign(above_null=False)
    given["profiles"] = given["profiles"].assign(
        key_only_share=given["profiles"]["key_only_share"].where(lambda share: share.isna(), 0.0)
    )
    finding, tables = draw_head_pairs(given, "MiniLM", **SETTINGS)
    assert finding == "No head of MiniLM relates equal tokens or related words beyond chance"
    keys = tables.partition("## The key alone")[2]
    assert "`the`" not in keys and "1.1" in keys
    assert "`the`" in draw_head_pairs(results(), "MiniLM", **SETTINGS)[1]


def test_a_model_that_cannot_be_read_says_so():
    finding, tables = draw_head_pairs(results(known=False), "Vectors", **SETTINGS)
    assert "not known" in finding
    assert "Vectors alone have no heads" in tables
