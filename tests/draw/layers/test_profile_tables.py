"""Holds the sentence and the pages of measures over layers to the tables."""

from typing import Any

import pandas as pd

from embspace.clouds.layers import SPACES as KNOWN_SPACES
from embspace.clouds.layers import Change
from embspace.draw.layers.direction import draw_direction
from embspace.draw.layers.profile_tables import CHANGES
from embspace.draw.page.looks import LAYER_SPACES, NULLS
from embspace.draw.page.saving import Results
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.measure.layers.random_weights import KINDS
from tests.draw.layer_tables import (
    LAYERS,
    empty_tables,
    profile_tables,
    squeezed,
    without_values,
)

NULL = "isotropic_gaussian"
SHOWN = ["mean_cosine", "n_outlier_dimensions"]
TABLES = profile_tables([*SHOWN, "top_dimension_share"])
SETTINGS: dict[str, Any] = {"corpus": "articles", "digits": 3}


def drawn(tables: Any = TABLES, **change: Any) -> tuple[str, str]:
    settings = SETTINGS | {"measures": SHOWN, "nulls": [NULL]} | change
    return draw_direction(Results(tables, {}), "a model", **settings)


def test_the_sentence_says_where_the_measure_is_extreme_and_what_stands_beside_it() -> None:
    assert drawn()[0] == (
        "Tokens of articles point most alike at the last layer: mean cosine 2.11 "
        "(isotropic Gaussian -1.00)"
    )
    table = TABLES["profiles"].copy()
    table["value"] = -table["value"]
    assert drawn({**TABLES, "profiles": table}, corpus="posts")[0] == (
        "Tokens of posts point most alike at layer 0 of 2: mean cosine -0.21 "
        "(isotropic Gaussian -1.00, last layer -2.21)"
    )
    table.loc[table["layer"] == 1, "value"] = 12.3
    said = drawn({**TABLES, "profiles": table}, corpus="essays")[0]
    assert "Tokens of articles point most alike at layer 1 of 2: mean cosine 12 (" in said
    assert "not converged" in said
    nowhere = without_values(TABLES, "mean_cosine")
    assert drawn(nowhere)[0] == "Mean cosine of tokens is undefined in all layers"


def test_of_layers_with_one_number_none_is_the_extreme_one() -> None:
    table = TABLES["profiles"].copy()
    table.loc[table["measure"] == "mean_cosine", "value"] = 0.5
    table.loc[table["layer"] == 1, "value"] += 0.001
    assert drawn({**TABLES, "profiles": table})[0].startswith(
        "Mean cosine of tokens of articles does not surely differ between layers: 0.50 "
        "(isotropic Gaussian -1.00)"
    )


def stretched(layers: list[int], extreme: list[int]) -> str:
    """The title of a model with a value of 1 at the extreme layers, 0 elsewhere."""
    rows = TABLES["profiles"].query("layer == 0")
    table = pd.concat([rows.assign(layer=layer, value=float(layer in extreme)) for layer in layers])
    table = table.assign(low=table["value"] - 0.1, high=table["value"] + 0.1, converged=True)
    return drawn({**TABLES, "profiles": table}, nulls=[])[0].partition(":")[0].partition(" at ")[2]


def test_alike_layers_are_named_and_layers_counted_if_some_were_not_measured() -> None:
    third = [*range(0, 31, 3)]
    assert stretched([*range(31)], [27]) == "layer 27 of 30"
    assert stretched(third, [27]) == "layer 27 of 30, of 11 layers measured"
    assert stretched(third, [30]) == "the last layer, of 11 layers measured"
    assert stretched(third, [0, 6]) == "layers 0 and 6, of 11 layers measured"
    assert stretched(third, [18, 21, 24, 27]) == "layers 18 to 27, of 11 layers measured"
    assert stretched([*range(9)], [1, 3, 4, 7]) == "4 of the layers 1 to 7"


def test_of_alike_layers_of_which_most_have_not_converged_the_title_counts_the_others() -> None:
    profiles, nulls = TABLES["profiles"].copy(), TABLES["nulls"].copy()
    profiles.loc[profiles["measure"] == "mean_cosine", ["value", "low", "high"]] = 0.5, 0.1, 0.9
    nulls["null_mean"] = nulls["layer"] + 5.06
    few = profiles.assign(converged=profiles["layer"] == 0)
    for rows, said in ((few, "converged in 1 of 3 layers only"), (profiles, "does not surely")):
        title = drawn({**TABLES, "profiles": rows, "nulls": nulls})[0]
        assert title.startswith(f"Mean cosine of tokens of articles {said}")
        assert title.endswith(": 0.50 (isotropic Gaussian 5.06 to 7.06)")


def test_the_strongest_null_is_named_first() -> None:
    said = drawn(nulls=["random_initialization", NULL])[0]
    assert said.endswith("(random weights -1.00)")


def test_all_that_may_come_has_a_name_and_a_look() -> None:
    from typing import get_args

    assert set(LAYER_SPACES) == set(KNOWN_SPACES)
    assert set(CHANGES) == set(get_args(Change)) - {"as_is"}
    family_nulls = {null for names in NULLS_OF_FAMILY.values() for null in names}
    assert set(NULLS) >= family_nulls | {"exchanged_between_texts", *KINDS}


def test_the_text_has_every_table() -> None:
    text = squeezed(drawn()[1])
    assert text.startswith("# Direction of a model\n")
    assert "Stage `measure_direction`" in text
    for corpus in ("articles", "posts"):
        for space in [look.name for look in LAYER_SPACES.values()]:
            assert f"## {corpus}, {space}" in text
    assert "1,234 vectors of 56 documents." in text
    assert "| measure | layer 0 | layer 1 | layer 2 |" in text
    # All measures, not only those that are drawn.
    assert "| top dimension's share |" in text
    not_converged = text.partition("## Not converged")[2].partition("\n## ")[0]
    assert "| mean cosine | 1 | 3 |" in not_converged
    assert "outlier dimensions" not in not_converged
    curves = text.partition("## Tokens of the last layer")[2]
    assert curves.count("| mean cosine |") == 2 * 2


def test_the_text_counts_the_vectors_of_layers_that_have_them() -> None:
    profiles = TABLES["profiles"].copy()
    profiles.loc[profiles["layer"] == 0, "n"] = 1  # all first tokens are one vector there
    text = drawn({**TABLES, "profiles": profiles})[1]
    assert "1,234 vectors of 56 documents." in text
    assert "\n1 vectors" not in text


def test_a_model_without_large_corpora_says_so() -> None:
    sentence, text = drawn(empty_tables())
    assert sentence == "Mean cosine of tokens is undefined in all layers"
    assert text.startswith("# Direction of a model\n")


def test_what_the_final_norm_makes_stands_in_the_tables_alone() -> None:
    after = {
        name: table[table["layer"] == table["layer"].max()].assign(
            space="final_norm_" + table["space"]
        )
        for name, table in TABLES.items()
    }
    both = {name: pd.concat([table, after[name]]) for name, table in TABLES.items()}
    (_, text), (_, plain) = drawn(both), drawn()
    assert "articles, tokens, after the final norm" in text
    assert "after the final norm" not in plain
    section = text[text.index("articles, tokens, after the final norm") :]
    assert f"layer {LAYERS - 1}" in section and "layer 0" not in section[: section.index("#")]
