import pytest

from embspace.draw.page.markdown import number
from embspace.draw.words.evolution_tables import path_tables, shared_tables, step_tables
from embspace.measure.words.evolution import EVOLUTION
from tests.analyses import as_drawn
from tests.measure.words.test_evolution import measured
from tests.measure.words.test_evolution import module as module  # a fixture


@pytest.fixture(scope="module")
def results(module):
    return measured(module)


def path_text(results) -> str:
    return path_tables(as_drawn(EVOLUTION, results), "a model", 3)


def steps_text(results) -> str:
    return step_tables(results["steps"], results["layers"], "a model", 3)


def shared_text(results) -> str:
    named = {f"evolution/{name}": results[name] for name in ("shared_steps", "views")}
    return shared_tables(named, "a model", 3)


def rows_of(text: str, title: str) -> list[list[str]]:
    """The cells of the rows under a heading, without the names of the columns."""
    part = text.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_means_by_layer_stand_beside_those_at_random_weights(results):
    rows = rows_of(steps_text(results), "Each layer")
    assert [row[0] for row in rows[::4]] == [
        "a",
        "a, random weights",
        "b",
        "b, random weights",
        "some",
    ]
    assert [row[1] for row in rows[:4]] == ["0", "1", "2", "3"]
    layers = results["layers"].set_index(["tokens", "quantity", "layer"])
    assert rows[2][2] == f"{layers.loc[('a', 'norm', 2), 'mean']:.3f}"
    assert rows[6][5] == f"{layers.loc[('a', 'cosine', 2), 'random_weights_mean']:.3f}"
    assert {row[3] for row in rows} == {"4"}
    assert rows[0][4] == "–"


def test_shared_energy_and_drift_at_the_last_layer(results):
    shared = rows_of(shared_text(results), "From layer to layer")
    single = rows_of(shared_text(results), "Each step")
    assert len(shared) + len(single) == len(results["shared_steps"])
    assert single[0][3] == f"{results['shared_steps']['shared_energy'][0]:.3f}"
    text = path_text(results)
    drift = rows_of(text, "Drift")
    assert [row[2] for row in drift] == ["`[CLS]`", "`the`", "`mouse`", "`.`", "`the`", "`[SEP]`"]
    last = results["drift"][results["drift"]["layer"] == 3]
    assert [row[4] for row in drift] == [number(x, 3) for x in last["euclidean_distance"]]


def test_what_is_not_defined_has_no_row_among_the_views(results):
    rows = rows_of(path_text(results), "Two components")
    rows += rows_of(shared_text(results), "Two components")
    assert len(rows) == results["views"]["value"].notna().sum()
    assert not any(row[0] == "mouse" and row[2] == "shared energy" for row in rows)


def test_changes_of_norms_within_rounding_have_no_sign(results):
    layers = results["layers"].copy()
    layers.loc[layers["quantity"] == "norm_change", "mean"] = -1e-9
    text = steps_text(results | {"layers": layers})
    assert all(row[-1] in ("0.000", "0", "–") for row in rows_of(text, "Each layer")[:4])


def test_one_text_alone_has_no_drift(results):
    text = path_text(results | {"drift": results["drift"][:0]})
    assert "None." in text.split("## Drift")[1]


def test_without_tokens_there_is_nothing(results):
    empty = {name: table[:0] for name, table in results.items()}
    texts = (path_text(empty), steps_text(empty), shared_text(empty))
    assert all("No tokenizer" in text for text in texts)
