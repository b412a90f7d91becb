import pandas as pd

from embspace.draw.page.nulls import NULLS, nulls_table
from embspace.geometry.positional import smooth_nulls


def test_every_null_has_words():
    assert NULLS.keys() == smooth_nulls.NULLS.keys()


def test_a_row_has_its_measure_null_and_numbers():
    row = {"measure": "n_turns", "null": "random_walk", "n_draws": 9, "value": 3.25}
    against = {"null_value": 1.0, "null_value_low": 0.5, "null_value_high": 2.0, "p_value": 0.1}
    lines = nulls_table(pd.DataFrame([row | against]), 2).splitlines()
    assert [cell.strip() for cell in lines[0].strip("| ").split("|")][:3] == [
        "measure",
        "value",
        "null",
    ]
    cells = [cell.strip() for cell in lines[2].strip("| ").split("|")]
    assert cells[0] == "n turns"
    assert cells[2] == "random walks of the same steps"
    assert [float(cells[1]), *map(float, cells[3:])] == [3.25, 1.0, 0.5, 2.0, 0.1]
