"""Says how profiles of encoders and decoders go."""

import pandas as pd
import pytest

from embspace.draw.layers.encoders_decoders import draw_encoders_decoders
from embspace.measure.layers.encoders_decoders import ENCODERS_DECODERS
from tests.draw.layer_tables import squeezed

NAMES = {"own": "encoder", "an_encoder": "encoder", "a_decoder": "decoder"}

TABLES = ENCODERS_DECODERS.tables
CLAIMS = TABLES["claims"].of([{"claim": "flat over layers", "claimed_of": "encoder"}])


def table() -> pd.DataFrame:
    rows = [
        {"name": name, "label": name.replace("_", " "), "kind": kind, "seed": seed}
        | {"measure": measure, "layer": layer, "corpus": "articles" if name == "own" else ""}
        | {"depth": layer / 4, "value": 1.0 + layer + (seed or 0), "n": 9}
        for name, kind in NAMES.items()
        for seed in ((None,) if name == "own" else (0, 1))
        for measure in ("top_variance_share", "two_nn")
        for layer in range(5)
    ]
    table = TABLES["csv"].of(rows)
    is_own = table["name"] == "own"
    low = (table["value"] - 0.5).where(is_own)
    return table.assign(low=low, high=(table["value"] + 0.5).where(is_own))


def drawn(rows: pd.DataFrame, claims: pd.DataFrame = CLAIMS) -> tuple[str, str]:
    return draw_encoders_decoders({"csv": rows, "claims": claims}, "My Model", digits=3)


def test_each_model_and_seed_has_a_row_of_its_layers() -> None:
    _, text = drawn(table())
    assert text.startswith("# My Model among encoders and decoders")
    assert "## TwoNN dimension" in text
    lines = squeezed(text).splitlines()
    assert "| encoder | own | | 1 | 2 | 3 | 4 | 5 |" in lines
    assert "| decoder | a decoder | 1 | 2 | 3 | 4 | 5 | 6 |" in lines


def test_layers_that_only_some_models_have_stand_in_their_place() -> None:
    rows = table()
    rows["layer"] = rows["layer"].where(rows["name"] != "own", 3 * rows["layer"])
    _, text = drawn(rows)
    heads = [line for line in squeezed(text).splitlines() if line.startswith("| kind | name |")]
    layers = " | ".join(f"layer {number}" for number in (0, 1, 2, 3, 4, 6, 9, 12))
    assert heads == [f"| kind | name | seed | {layers} |"] * 2


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("matches", "is"),
        ("differs", "is not"),
        ("undecided", "may or may not be"),
        ("depends on the rule", "is, by some tokens alone,"),
    ],
)
def test_the_finding_has_the_verdicts(verdict: str, said: str) -> None:
    claim = f"My Model {said} flat over layers (claimed of encoders)"
    assert drawn(table(), CLAIMS.assign(verdict=verdict))[0] == f"The top variance share of {claim}"
    assert drawn(table(), CLAIMS[:0])[0].startswith("No published claim can be held to My Model")


def test_with_nothing_to_show_it_says_so() -> None:
    assert "None. My Model: its corpus of comparison" in drawn(table()[:0])[1]
