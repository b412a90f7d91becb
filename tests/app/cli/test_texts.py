from typing import Any

import pytest

from tests.app.cli.call import call


def test_a_sample_is_drawn_as_asked_and_told(monkeypatch: pytest.MonkeyPatch):
    asked: dict[str, Any] = {}

    def sample_pages(corpus: str, **options: Any) -> list[str]:
        asked.update(options, corpus=corpus)
        return ["drawing", "written"]

    monkeypatch.setattr("embspace.app.sample.sample_pages", sample_pages)
    said = call("sample", "wikipedia", "--n-pages", "3", "--seed", "4")
    assert (said.exit_code, said.stdout) == (0, "drawing\nwritten\n")
    assert asked == {"corpus": "wikipedia", "n_pages": 3, "seed": 4, "largest_id": None}
    assert call("sample", "wikipedia", "--n-pages", "0", "--seed", "4").exit_code == 2
