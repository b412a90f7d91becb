import numpy as np
import pandas as pd
import pytest

from embspace.compare.alignment import ALIGNMENT
from embspace.compare.alignment_table import MEASURES, corresponding_layers
from embspace.draw.compare.alignment import draw_alignment
from tests.analyses import as_drawn

SETS = [("articles", "text"), ("articles", "word"), ("posts", "text"), ("stimuli", "text")]


def table(layers: tuple[int, int] = (3, 5)) -> pd.DataFrame:
    rows = []
    for corpus, unit in SETS:
        for measure in MEASURES:
            for layer, other_layer in np.ndindex(layers):
                deep = (layer, other_layer) in corresponding_layers(*layers)
                if measure != "procrustes_similarity" or deep:
                    value = 0.9 - 0.1 * layer - 0.01 * other_layer
                    bounds = [np.nan] * 2 if corpus == "stimuli" else [value, value]
                    keys = [corpus, unit, layer, other_layer, 1200, measure]
                    rows.append([*keys, value, *bounds, 0.02, 0.03, np.nan])
    return pd.DataFrame(rows, columns=[*ALIGNMENT.tables["csv"].columns])


def best_of(rows: pd.DataFrame, null: float = 0.03) -> pd.DataFrame:
    """Return the most similar layers of each set and measure."""
    best = rows.sort_values("value", ascending=False, kind="stable")
    best = best[best["measure"] != "procrustes_similarity"]
    best = best.drop_duplicates(["corpus", "unit", "measure"]).drop(columns=["low", "high"])
    named = best.drop(columns="random_weights_value").assign(null_high=null, p_value=0.01)
    return ALIGNMENT.tables["best"].of(named.assign(is_above_null=best["value"] > null))


def drawn(rows: pd.DataFrame, null: float = 0.03) -> tuple[str, str]:
    curves = ALIGNMENT.tables["positions"].of(
        [{"space": "full", "n": 60, "hausdorff": 0.25, "rms": 0.5, "are_alike": "no"}]
    )
    outcome = {"csv": rows, "best": best_of(rows, null), "positions": curves}
    return draw_alignment(as_drawn(ALIGNMENT, outcome), "one--two", digits=2)


@pytest.mark.parametrize(("null", "how"), [(0.03, "more alike than"), (0.9, "no more alike than")])
def test_the_finding_holds_the_last_layers_against_the_null(null: float, how: str):
    finding, _ = drawn(table().assign(null_high=null))
    assert finding == (
        f"On texts of articles, the last layers of one and two are {how} by chance (CKA 0.66); "
        "most alike: layers 0 and 0 (0.90, above the best two by chance)"
    )


def test_the_finding_says_where_the_best_two_are_no_more_alike_than_by_chance():
    finding, _ = drawn(table(), null=0.95)
    assert finding.endswith("layers 0 and 0 (0.90, not above the best two by chance)")


def test_tables_name_the_last_layers_and_the_most_alike():
    _, text = drawn(table())
    assert text.startswith("# Alignment of one and two\n")
    last, two, best, positions = text.split("## ")[1:]
    assert "| all dimensions |" in positions
    assert two.startswith("The most similar layers of one and two") and "null" in two
    assert "0.660 [0.660, 0.660]" in last
    assert len([line for line in last.splitlines() if line.startswith("|")]) == 2 + 4 * 4
    rows = [line for line in best.splitlines() if line.startswith("| articles | text")]
    assert len(rows) == 3
    assert "|             0 | 0.900 [0.900, 0.900]" in rows[0]


def test_too_few_texts_are_said():
    finding, text = drawn(ALIGNMENT.tables["csv"].of())
    assert finding == "The layers of one and two cannot be compared"
    assert text.count("\n\nNone.") == 3
