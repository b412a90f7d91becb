"""`embspace compare` gives on what is asked, and says what is no pair."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.cli.call import call


def test_it_gives_on_models_texts_and_options(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    asked: dict[str, Any] = {}
    pairs = "embspace.app.reporting.pairs"

    def describe(*given: Any, **options: Any) -> str:
        asked.update(given=given[:3], **options)
        return "a pair"

    def write(*given: Any, **options: Any) -> Path:
        asked.update(options, pair=given[0])
        return Path("reports/a--b/index.html")

    monkeypatch.setattr(f"{pairs}.describe_pair", describe)
    monkeypatch.setattr(f"{pairs}.write_comparison", write)
    monkeypatch.chdir(root)
    own = tmp_path / "my.csv"
    own.write_text("text\na cat\n")
    files = ("--corpus", str(own), "--corpus", "posts", "--text-column", "body")
    said = call("compare", "a", "b", *files, "--no-measures", "--jobs", "2", "--no-open")
    assert said.stdout.splitlines()[-1] == "reports/a--b/index.html"
    assert asked["given"] == ("a", "b", [str(own), "posts"])
    assert asked["reading"] == {"text_column": "body"} and asked["pair"] == "a pair"
    assert asked["with_measures"] is False and asked["jobs"] == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("minilm", "minilm"), "found minilm and minilm, one model; allowed: two"),
        (("minilm", "minlm"), "did you mean 'minilm'"),
        (("./nothing", "minilm"), "./nothing: no such folder"),
    ],
)
def test_what_is_no_pair_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str], message: str
):
    monkeypatch.chdir(root)
    said = call("compare", *names)
    assert said.exit_code == 1 and message in said.stderr
