from pathlib import Path

import pytest

from benchmarks import practice


@pytest.mark.parametrize("name", ["threshold", "hubs", "csls"])
def test_a_question_has_a_cost(name: str):
    seconds, processor_seconds, grown = practice.run_one(name, 300)
    assert seconds > 0 and processor_seconds > 0 and grown >= 0


def test_the_page_has_a_row_a_question_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cost = {"seconds": 1.5}
    monkeypatch.setattr(
        practice, "cost_of", lambda name, n: {"question": name, "vectors": n, **cost}
    )
    monkeypatch.setattr(practice, "PAGE", tmp_path / "practice.md")
    practice.run_practice([300, 500])
    text = (tmp_path / "practice.md").read_text()
    assert text.startswith("# Questions on 384-dimensional vectors")
    rows = [line for line in text.splitlines() if "1.5" in line]
    assert len(rows) == 2 * len(practice.CONTESTANTS)
