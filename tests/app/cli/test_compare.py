"""`embspace compare` gives on what is asked, and says what is no pair."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.cli.call import call


def test_it_gives_on_models_texts_and_options(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    passed_on: dict[str, Any] = {}
    pairs = "embspace.app.reporting.pairs"

    def describe(*given: Any, **options: Any) -> str:
        passed_on.update(given=given[:3], **options)
        return "a pair"

    def write(*given: Any, **options: Any) -> Path:
        passed_on.update(options, pair=given[0])
        return Path("reports/a--b/index.html")

    monkeypatch.setattr(f"{pairs}.describe_pair", describe)
    monkeypatch.setattr(f"{pairs}.write_comparison", write)
    monkeypatch.chdir(root)
    own = tmp_path / "my.csv"
    own.write_text("text\na cat\n")
    files = ("--corpus", str(own), "--corpus", "posts", "--text-column", "body")
    said = call("compare", "a", "b", *files, "--no-measures", "--jobs", "2", "--no-open")
    assert said.stdout.splitlines()[-1] == "reports/a--b/index.html"
    assert passed_on["given"] == ("a", "b", [str(own), "posts"])
    assert passed_on["reading"] == {"text_column": "body"} and passed_on["pair"] == "a pair"
    assert passed_on["with_measures"] is False and passed_on["jobs"] == 2


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
