import json
from pathlib import Path

import pytest

from benchmarks import docstrings as module
from benchmarks.docstrings import docstrings, save_corpora


def test_docstrings_are_drawn_once_and_have_their_module():
    packages = ("jaxtyping", "typer")
    first, second = docstrings(6, packages), docstrings(6, packages)
    assert first == second and len({row["id"] for row in first}) == 6
    assert [row["document"].split("/")[0] for row in first] == ["jaxtyping"] * 3 + ["typer"] * 3
    assert all(80 < len(row["text"]) <= 500 for row in first)


def test_corpora_are_halves_of_one_and_a_third_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rows = [{"id": f"t{row}", "text": "a text", "document": "d"} for row in range(4)]
    monkeypatch.setattr(module, "docstrings", lambda n, packages=(): rows[:n])
    save_corpora(tmp_path, 4)
    read = {
        name: [json.loads(line)["id"] for line in (tmp_path / f"{name}.jsonl").open()]
        for name in module.CORPORA
    }
    assert read["scipy"] + read["sklearn"] == read["docs"] == ["t0", "t1", "t2", "t3"]
    assert read["new"][-1] == "license:4"
