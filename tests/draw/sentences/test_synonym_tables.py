import pandas as pd
import pytest

from embspace.draw.sentences.synonym_tables import frame_of, last_layer, synonym_tables
from embspace.measure.sentences.synonyms import SYNONYMS
from tests.analyses import as_drawn
from tests.draw.sentences.test_synonyms import results


@pytest.fixture(scope="module")
def text() -> str:
    return synonym_tables(as_drawn(SYNONYMS, results()), "a model", 3)


def section(text: str, title: str) -> list[list[str]]:
    """The cells of a section's table, without its heading."""
    body = text.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_last_layer_is_that_of_each_pooling():
    table = pd.DataFrame({"pooling": ["cls", "bag", "cls"], "layer": [0, 0, 2]})
    assert last_layer(table).index.tolist() == [1, 2]


def test_the_mean_of_frames_where_there_are_several():
    assert frame_of(pd.DataFrame({"group": ["one", "one", "all"]})) == "all"
    assert frame_of(pd.DataFrame({"group": ["one"]})) == "one"


@pytest.mark.parametrize(
    ("title", "n_rows"),
    [
        ("Groups", 3 * 4),
        ("Meaning or wording", 4 * 4),
        ("Words changed for synonyms", 2 * 4),
        ("Groups and each other", 2),
    ],
)
def test_each_table_is_of_the_last_layer_only(text: str, title: str, n_rows: int):
    assert len(section(text, title)) == n_rows


def test_numbers_are_those_of_the_results(text: str):
    groups = results()["groups"]
    row = groups.query("sentences == 'meanings' and pooling == 'cls' and layer == 2").iloc[0]
    cells = next(
        cells for cells in section(text, "Groups") if cells[:3] == ["meanings", "first token", "2"]
    )
    assert cells[4:7] == [
        f"{row[name]:.3f}" for name in ("within_cosine", "between_cosine", "silhouette")
    ]
    changed = {cells[2] for cells in section(text, "Words changed for synonyms")}
    assert changed == {"1", "2"}


def test_it_says_what_purity_is_worth(text: str):
    groups = results()["groups"]
    bag = groups[groups["pooling"] == "bag_of_words"].set_index("sentences")["purity"]
    assert f"purity {bag['groups']:.2f} in the groups" in text
    assert f"and {bag['meanings']:.2f} in meanings" in text
