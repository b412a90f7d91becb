from embspace.draw.blocks.query_key_form_tables import tables_of
from tests.draw.blocks.test_query_key_form import results
from tests.draw.layer_tables import squeezed


def test_tables_have_layers_what_is_printed_and_heads():
    text = squeezed(tables_of(results(), "a model", 3))
    assert text.startswith("# Queries and keys of a model")
    assert "| 1 | symmetry | 0.750 | [0.450, 0.550] | [0.450, 0.550] |" in text
    assert "| median | symmetry | 0.750 |" in text
    assert "| symmetry | 0.500 | 0.500 | 0.500 | 0.500 |" in text  # as printed, 2 s - 1
    assert "| 1 | overlap of row spaces | random weights | 0.600 | 0.500 |" in text
    assert "| 3 | 4 |" in text


def test_what_is_not_defined_has_no_row_of_its_own():
    given = results()
    missing = given["nulls"]["measure"] == "key_only_share"
    given["nulls"].loc[missing, "median"] = float("nan")
    assert "share of the key-only term" not in tables_of(given, "a model", 3)
