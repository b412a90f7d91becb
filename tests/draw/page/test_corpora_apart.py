"""Which pair a title names, and how it says words alone."""

import pandas as pd

from embspace.draw.page.corpora_apart import (
    NONE,
    apart_finding,
    named_layer,
    pair_beyond_words,
    pair_called,
    sizes_said,
    tables_by_pair,
)


def table(words: float = 0.7, words_high: float = 0.75, p_value: float = 0.01) -> pd.DataFrame:
    """Return ships against ports, AUC 0.8 and 0.9, and ships against seas, 0.6 and 0.9."""
    rows = []
    for other, least in (("ports", 0.8), ("seas", 0.6)):
        pair = {"corpus": "ships", "other_corpus": other, "distance": 0.1}
        sizes = {"n_documents": 20, "n_other_documents": 1}
        for layer, auc in ((0, 0.9), (1, least)):
            bounds = {"auc": auc, "auc_low": auc - 0.02, "auc_high": auc + 0.02}
            chance = {"p_value": p_value, "p_value_of_layers": p_value}
            rows.append(pair | sizes | bounds | chance | {"embedding": "mean", "layer": layer})
        alone = {"embedding": "tf_idf", "auc": words, "auc_high": words_high}
        rows.append(pair | sizes | alone)
    return pd.DataFrame(rows)


def test_a_pair_is_taken_by_its_least_layer_less_words():
    pairs = tables_by_pair(table())
    assert pair_beyond_words(pairs) == ("ships", "ports")
    assert pair_called(("ships", "ports")) == "ships and ports"
    assert sizes_said(pairs) == "ships: 20 documents, ports: 1 document, seas: 1 document"
    same = table().assign(n_other_documents=20)
    assert sizes_said(tables_by_pair(same)) == "20 documents a corpus"
    more = table()
    more.loc[(more["other_corpus"] == "ports") & more["layer"].isna(), "auc"] = 0.95
    assert pair_beyond_words(tables_by_pair(more)) == ("ships", "seas")


def test_the_title_says_where_words_are_not_surely_less():
    said = "Ships and ports are told apart at every layer: AUC 0.80 or more, words alone 0.70"
    assert apart_finding(tables_by_pair(table())) == said
    with_panel = said.replace(": AUC", " (a): AUC")
    assert apart_finding(tables_by_pair(table()), panel="a") == with_panel
    assert apart_finding(tables_by_pair(table(words_high=0.78))) == f"{said}, not surely less"


def test_layers_that_chance_may_part_are_not_among_those_apart():
    none = apart_finding(tables_by_pair(table(p_value=0.2)))
    assert none == "Ships and ports are not clearly apart in any layer: AUC 0.90, words alone 0.70"
    some = table()
    some.loc[some["layer"] == 1, "p_value"] = 0.2
    assert "told apart, best at layer 0: AUC 0.90" in apart_finding(tables_by_pair(some))
    layers = {p: named_layer(table(p_value=p).head(3))["auc"] for p in (0.01, 0.2)}
    assert layers == {0.01: 0.8, 0.2: 0.9}
    assert apart_finding({}) == NONE
