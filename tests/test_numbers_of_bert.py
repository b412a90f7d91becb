"""Whether each number that is printed of bert-base-cased would be decided by results of it.

The weights are not at hand. The tables of MiniLM get rows with what is printed, in the columns
that the stages write, under the name of a local folder that stands for bert-base-cased.
"""

import csv
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.measure.compare.ledger import measure_ledger
from embspace.published.contents import read_contents
from embspace.published.numbers import check_published, fits, quantity_of
from embspace.published.sources import Entry, read_sources
from embspace.published.subjects import read_subject
from tests.verify.tree import put

BERT = "google-bert/bert-base-cased"
NAME = "my_bert"
FOLDER = {
    "label": "my BERT",
    "license": "Apache-2.0",
    "language": "English",
    "source": "path",
    "path": "models/my_bert",
    "stands_for": BERT,
    "matrices": {"input": "x", "positional": "y", "segment": "z"},
}
Row = dict[str, str]


@pytest.fixture
def entries(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    """Make a tree whose model has all that is printed of BERT; the entries that it came from."""
    monkeypatch.chdir(tmp_path)
    put(f"conf/model/{NAME}.yaml", yaml.safe_dump(FOLDER))
    for file in (root / "data/published").glob("*.yaml"):
        put(f"data/published/{file.name}", file.read_text(encoding="utf-8"))
    numbers = [
        entry for source in read_sources() for entry in source.entries if entry.model == BERT
    ]
    for place in dict.fromkeys(place for entry in numbers for place, _, _ in cells_of(entry)):
        plant(root / "tests/baselines", place, numbers)
    return numbers


def cells_of(entry: Entry) -> Iterator[tuple[str, Row, Row]]:
    """Yield each row that an entry asks for: its file, what chooses it, and what it says."""
    chosen = {column: str(value) for column, value in entry.where.items()}
    if entry.pair:
        pair = zip(entry.pair.columns, map(str, entry.pair.values), strict=True)
        chosen |= dict(pair)
    ours = {key: str(Decimal(number) / entry.factor) for key, number in entry.published.items()}
    yield entry.file, chosen, ours
    if entry.given:
        yield entry.given.file, {key: str(value) for key, value in entry.given.where.items()}, {}


def plant(baselines: Path, place: str, entries: list[Entry]) -> None:
    """Write the results of the model: those of MiniLM, with what is printed in their place."""
    baseline = baselines / Path(place.replace("{model}", "minilm")).relative_to("results")
    cells_there = [cells for entry in entries for cells in cells_of(entry) if cells[0] == place]
    file = Path(place.replace("{model}", NAME))
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".json":
        content = json.loads(baseline.read_text(encoding="utf-8"))
        for _, _, ours in cells_there:
            for key, value in ours.items():
                set_leaf(content, key, float(value))
        file.write_text(json.dumps(content), encoding="utf-8")
        return
    contents = read_contents(baseline)
    planted = merged(cells_there)
    kept = [row for row in contents.rows if not any(fits(row, chosen) for chosen, _ in planted)]
    with file.open("w", encoding="utf-8", newline="") as stream:
        # A cell in a column that the stage does not write is an error.
        writer = csv.DictWriter(stream, contents.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        writer.writerows(chosen | ours for chosen, ours in planted)


def merged(cells: list[tuple[str, Row, Row]]) -> list[tuple[Row, Row]]:
    """Return a row for all that is asked of it, each number as exact as it is printed anywhere.

    Two different numbers in one column of what chooses no row are of different rows, as where
    stretches begin.
    """
    rows: list[tuple[Row, Row]] = []
    for _, chosen, ours in cells:
        for before, numbers in rows:
            if before == chosen and all(near(numbers.get(key), ours[key]) for key in ours):
                numbers |= {key: max(numbers.get(key, ""), ours[key], key=len) for key in ours}
                break
        else:
            rows.append((chosen, dict(ours)))
    return rows


def near(one: str | None, other: str) -> bool:
    """Whether two printed numbers may be one, printed to different digits."""
    return one is None or abs(float(one) - float(other)) < 0.01


def set_leaf(content: dict[str, Any], key: str, number: float) -> None:
    *path, last = key.split(".")
    for part in path:
        content = content[part]
    assert last in content, f"no stage writes {key}"
    content[last] = number


def test_all_numbers_of_bert_are_decided_by_results_that_have_them(entries: list[Entry]):
    n = sum(len(entry.published) for entry in entries)
    assert n >= 140
    assert {Path(entry.file).suffix for entry in entries} == {".csv", ".json"}
    model = read_subject(NAME)
    ledger = measure_ledger(read_sources(), model, Path("results"), (), None, roles={})["csv"]
    about = ledger[ledger["kind"] == "number"]
    waiting = about["reason"].fillna("").str.startswith(("is about", "needs", "no "))
    assert not about["reason"].fillna("").str.contains(BERT).any()
    about_bert = about[~waiting]
    wrong = about_bert[about_bert["verdict"] != "matches"]
    assert wrong[["statement", "published", "value"]].to_dict("records") == []
    assert len(about_bert) == n


def test_verify_holds_them_too(entries: list[Entry]):
    printed = [quantity_of(entry, column) for entry in entries for column in entry.published]
    sources = check_published(Path("results"), [read_subject(NAME)], ())
    checks = [check for source in sources for check in source.checks if check.quantity in printed]
    assert {check.quantity for check in checks} == set(printed)
    assert [check for check in checks if check.verdict != "agrees"] == []
