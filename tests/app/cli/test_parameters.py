"""The commands `read` and `lookup` give their arguments on and say what is wrong with them."""

from pathlib import Path
from typing import Any

import pytest

from embspace.app.queries.read import Found, Reading, ReadOptions
from tests.app.cli.call import call


@pytest.fixture(autouse=True)
def there(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_read_gives_on_what_is_asked(monkeypatch: pytest.MonkeyPatch):
    passed_on: list[Any] = []

    def reading(*given: Any) -> Reading:
        passed_on.append(given)
        return Reading("minilm, layer 3", [("sea", 1.5)], [("land", 0.5)])

    monkeypatch.setattr("embspace.app.queries.read.read_vector", reading)
    said = call("read", "minilm", "--layer", "3", "--value", "0", "--top", "1")
    assert said.exit_code == 0
    assert said.stdout.splitlines()[-1] == "   1.500 sea  land  0.500"
    assert passed_on == [("minilm", 3, "value", 0, None, ReadOptions(n_words=1))]
    call("read", "minilm", "--layer", "3", "--query", "2", "--head", "4", "--masked-head")
    assert passed_on[1] == ("minilm", 3, "query", 2, 4, ReadOptions(masked_head=True))


@pytest.mark.parametrize(
    ("options", "named"), [((), "none"), (("--key", "1", "--value", "1"), "--value, --key")]
)
def test_read_takes_one_vector(options: tuple[str, ...], named: str):
    said = call("read", "minilm", "--layer", "3", *options)
    assert said.exit_code == 1
    assert f"a vector: found {named}, allowed: one of --value, --key" in said.output


def test_lookup_lists_values_and_keys(monkeypatch: pytest.MonkeyPatch):
    nearest = Found(2, "feed_forward_value", 7, 0.25, ["sea", "ship"])
    monkeypatch.setattr(
        "embspace.app.queries.read.look_up", lambda *given: {"feed_forward_value": [nearest]}
    )
    said = call("lookup", "minilm", "sea", "boat")
    assert said.stderr == ""
    assert said.stdout.splitlines() == [
        "values",
        "     dot  vector                    nearest words",
        "   0.250  layer 2  value 7          sea ship",
    ]


def test_lookup_takes_words_without_a_model_as_before(monkeypatch: pytest.MonkeyPatch):
    passed_on: list[Any] = []
    look_up = lambda words, model, top: passed_on.append((words, model)) or {}  # noqa: E731
    monkeypatch.setattr("embspace.app.queries.read.look_up", look_up)
    line = "the model comes first: embspace lookup minilm sea boat\n"
    assert call("lookup", "sea", "boat").stderr == line
    assert call("lookup", "sea", "boat", "--model", "minilm").stderr == line
    assert call("lookup", "minilm", "sea", "boat").stderr == ""
    assert passed_on == [(["sea", "boat"], "minilm")] * 3
    assert "lookup minilm minilm" in call("lookup", "minilm").stderr  # a word by itself
