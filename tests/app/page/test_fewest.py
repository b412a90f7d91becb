"""Why an analysis is empty: how many texts it needs, and has."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from embspace.app.page.fewest import why_few

LONG = "One thing is here. Another one is there. A third one is not. That is all."


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for noun in ("search", "label_overlap", "layer_choice", "two_corpora", "text_clouds"):
        file = tmp_path / f"conf/measure/texts/{noun}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("fewest_documents: 4\n")
    (tmp_path / "conf/corpus").mkdir()
    (tmp_path / "data/prepared/texts").mkdir(parents=True)
    return tmp_path


def write(tree: Path, **corpora: list[tuple[str, str]]) -> None:
    """Write corpora of texts with labels."""
    (tree / "params.yaml").write_text(yaml.safe_dump({"corpora": [*corpora]}))
    for name, rows in corpora.items():
        own = "label: mine.csv\nlicense: unknown\nlanguage: unknown\n"
        (tree / f"conf/corpus/{name}.yaml").write_text(own)
        table = pd.DataFrame(rows, columns=["text", "subject"])
        ids = [str(number) for number in range(len(table))]
        table = table.assign(id=ids, document=ids, copy_of=ids, domain="")
        table.to_parquet(tree / f"data/prepared/texts/{name}.parquet")


def test_few_texts_are_counted_beside_what_is_needed(tree: Path):
    write(tree, mine=[("A text.", "")] * 3)
    assert why_few(tree, "text_clouds") == "needs 4 documents or more, found 3"
    write(tree, mine=[("A text.", "")] * 4)
    assert why_few(tree, "text_clouds") == ""
    assert why_few(tree, "similarity") == ""


def test_search_needs_texts_that_can_be_halved(tree: Path):
    write(tree, mine=[("A text.", "")] * 9 + [(LONG, "")] * 3)
    assert why_few(tree, "search") == "needs 4 documents of 4 sentences or more, found 3"
    write(tree, mine=[(LONG, "")] * 4)
    assert why_few(tree, "search") == "" == why_few(tree, "layer_choice")


def test_labels_need_texts_each(tree: Path):
    write(tree, mine=[("A text.", "a")] * 5 + [("A text.", "b")] * 3)
    for noun in ("label_overlap", "layer_choice"):
        assert why_few(tree, noun) == "needs two labels of 4 documents each or more, found 1 such"
    write(tree, mine=[("A text.", "a")] * 5 + [("A text.", "b")] * 4)
    assert why_few(tree, "label_overlap") == ""


def test_two_corpora_are_two(tree: Path):
    write(tree, mine=[("A text.", "")] * 5)
    assert why_few(tree, "two_corpora") == "needs two corpora of 4 documents or more, found 1 such"
    write(tree, mine=[("A text.", "")] * 5, yours=[("A text.", "")] * 4)
    assert why_few(tree, "two_corpora") == ""
