"""Answers equal the library's numbers, and whatever is sent gets one."""

from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.app.live.answers import Answers
from embspace.app.live.limits import RateLimit
from embspace.app.queries.cosine import compare_texts
from embspace.app.queries.search import search
from embspace.app.queries.track import TrackOptions, track_tokens
from tests.app.queries.extracted import write_extracted

TEXTS = pd.DataFrame(
    {
        "id": ["sea", "bakery", "<script>alert(1)</script>", "d"],
        "text": ["the boat and the tide", "salt and bread", "rain on the mat", "the salt"],
    }
)
TEXTS["document"] = TEXTS["id"]
TEXT = "the boat and the tide"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_extracted(tmp_path_factory.mktemp("answers"), TEXTS)


@pytest.fixture(autouse=True)
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)


@pytest.fixture
def answers() -> Answers:
    return Answers(RateLimit(1000, 1))


def track(answers: Answers, text: Any = TEXT, model: Any = "tiny", **given: Any) -> str:
    options = {"positions": "none", "point": "output", "nearness": "cosine"}
    options |= given
    return answers.track("v", text, model, **options)


@pytest.mark.parametrize("positions", ["none", "own", "first"])
def test_ranks_and_cosines_are_those_of_embspace_track(answers: Answers, positions: str):
    options = TrackOptions(positions=positions)  # type: ignore[arg-type]
    expected = track_tokens(
        TEXT, "tiny", layer=None, token="boat", occurrence=None, options=options
    )
    html = unescape(track(answers, positions=positions))
    table = html[html.index("boat</bdi> at position 2") :].partition("</table>")[0]
    for row in expected.rows:
        assert row.position == 2
        assert f"<td>{row.layer}</td><td>{row.rank:,g}</td><td>{row.value:.3f}</td>" in table


def test_pairs_and_hits_are_those_of_the_commands(answers: Answers):
    at: dict[str, Any] = {"layer": -1, "pooling": "mean"}
    pair = answers.pair("v", "tiny", "one", ("salt", "bread"), -1, "mean")
    assert "input vectors" in pair  # of single tokens
    pair = answers.pair("v", "tiny", "one", ("the salt", "the boat"), -1, "mean")
    assert str(compare_texts("tiny", "one", "the salt", "the boat", **at)) in unescape(pair)
    hits = answers.search("v", "tiny", "one", "rain", -1, "mean")
    for hit in search("tiny", "one", "rain", **at, n_hits=10):
        assert f"<td>{hit.cosine:.3f}</td>" in hits
    assert "<script" not in hits and "alert(1)" in hits


def test_directions_are_answered(answers: Answers):
    html = answers.directions("v", "tiny", "salt | bread", "boat | tide", -1, "mean")
    assert "cosine of the mean differences" in html


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": ""}, "the text is empty"),
        ({"text": "a" * 1_000_000}, "found 1,000,000 characters, allowed: 2,000"),
        ({"model": "<script>alert(1)</script>"}, "found '<script>alert(1)</script>'"),
        ({"model": "../../etc/passwd"}, "found '../../etc/passwd'"),
        ({"model": "m" * 5000}, "model: found 5,000 characters"),
        ({"model": None}, "model: found None, allowed: a text"),
        ({"text": ["a"]}, "text: found ['a'], allowed: a text"),
        ({"point": "attention"}, "point: found"),
        ({"positions": "all"}, "positions: found"),
        ({"text": "\ud800"}, "not UTF-8"),
    ],
)
def test_what_does_not_fit_is_answered_by_a_message(
    answers: Answers, given: dict[str, Any], message: str
):
    html = track(answers, **given)
    assert html.startswith('<p class="embspace-message" role="alert">')
    assert message in unescape(html) and "<script" not in html


def test_a_folder_is_no_model_of_a_visitor(answers: Answers, tree: Path):
    html = track(answers, model=str(tree / "models/tiny"))
    assert "model (conf/model/): found" in unescape(html)
    html = answers.directions("v", "models/tiny", "a | b", "c | d", -1, "mean")
    assert "model (conf/model/): found" in unescape(html)


@pytest.mark.parametrize("text", ["the boat שלום 😀", "<script>alert(1)</script> the boat"])
def test_hostile_and_foreign_texts_are_tracked(answers: Answers, text: str):
    html = track(answers, text)
    assert "embspace-token" in html and "<script" not in html


def test_a_layer_that_is_no_number_is_answered(answers: Answers):
    for layer in (None, "1", "nan", [], True, 99, 1.5, float("nan"), {"a": 1}):
        shown = layer if layer == 99 else repr(layer)
        expected = f"layer: found {shown}, allowed: 0 to 2, or -1 for the last"
        assert expected in unescape(answers.search("v", "tiny", "one", "salt", layer, "mean"))
        texts = ("the salt", "the boat")
        assert expected in unescape(answers.pair("v", "tiny", "one", texts, layer, "mean"))
    lists = ("salt | bread", "boat | tide")
    html = answers.directions("v", "tiny", *lists, "1", "mean")
    assert "layer: found '1', allowed: 0 to 2, or -1 for the last" in unescape(html)
    one = answers.search("v", "tiny", "one", "salt", 1, "mean")
    assert answers.search("v", "tiny", "one", "salt", 1.0, "mean") == one


def test_an_unknown_corpus_is_answered(answers: Answers):
    html = answers.search("v", "tiny", "<b>", "salt", -1, "mean")
    assert "corpus: found" in html and "<b>" not in html


def test_a_crash_ends_with_its_request(
    answers: Answers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    with monkeypatch.context() as broken:
        broken.setattr("embspace.app.live.answers.track_tokens", lambda *_, **settings: 1 / 0)
        html = track(answers)
    assert "this request failed" in html and "division" not in html
    assert "ZeroDivisionError" in caplog.text
    assert "embspace-token" in track(answers)


def test_ten_requests_at_once_are_all_answered_alike(answers: Answers):
    texts = [f"the boat and {word}" for word in ("salt", "bread", "rain", "mat", "tide")] * 2
    with ThreadPoolExecutor(1) as pool:  # the main thread may differ in the last digit
        one_by_one = list(pool.map(lambda text: track(answers, text), texts))
    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(lambda text: track(answers, text), texts)) == one_by_one


def test_too_many_requests_are_refused():
    answers = Answers(RateLimit(1, 60))
    track(answers)
    assert "more than 1 requests in 60 seconds" in track(answers)


@pytest.mark.parametrize("corpus", ["{folder}/secret.csv", "../secret.csv", "enwik8", "articles"])
def test_no_visitor_has_a_file_read_or_a_corpus_fetched(
    answers: Answers, tmp_path: Path, corpus: str
):
    (tmp_path / "secret.csv").write_text("text\nthe password is a boat\n")
    asked_for = corpus.format(folder=tmp_path)
    html = answers.search("v", "tiny", asked_for, "password", -1, "mean")
    assert 'role="alert"' in html and "allowed: one" in html and "boat" not in html
    html = answers.pair("v", "tiny", asked_for, ("a cat", "a dog"), -1, "mean")
    assert 'role="alert"' in html and "allowed: one" in html


def test_no_visitor_has_a_folder_loaded(answers: Answers, tmp_path: Path):
    html = answers.search("v", str(tmp_path), "one", "rain", -1, "mean")
    assert 'role="alert"' in html and "model: found" in html
