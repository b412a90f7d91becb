"""The frame of the map: it loads nothing, and no name of a model or token leaves it."""

import re
from html import unescape
from pathlib import Path

import pytest
import yaml

from embspace.app.explorer.fragment_of import explorer_of
from embspace.app.live.answers import Answers
from embspace.app.live.maps import explorer_page, files_of, map_view
from embspace.errors import InputError
from tests.app.explorer.trees import HOSTILE, read_data, write_tree


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with maps of `tiny`, and the description of `other`, which has none."""
    write_tree(tmp_path)
    for name in ("tiny", "other", "unlisted"):
        file = tmp_path / f"conf/model/{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    (tmp_path / "params.yaml").write_text(yaml.safe_dump({"models": ["tiny", "other"]}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_frame_holds_the_page_of_the_explorer_and_nothing_of_a_template(tree: Path):
    view = map_view("tiny")
    assert not set("${}`") & set(view) and "<script" not in view
    (page,) = re.findall(r' srcdoc="([^"]*)"></iframe>', view)
    fragment = explorer_of(tree, "tiny")
    assert fragment is not None
    assert unescape(page) == explorer_page(fragment, "tiny")
    content, _ = read_data(
        unescape(page)[unescape(page).index('<script type="application/json"') :]
    )
    assert content["sets"][0]["names"][: len(HOSTILE)] == list(HOSTILE)


def test_the_frame_may_run_scripts_and_save_files_and_nothing_else(tree: Path):
    (allowed,) = re.findall(r'sandbox="([^"]*)"', map_view("tiny"))
    assert allowed == "allow-scripts allow-downloads"
    page = unescape(map_view("tiny"))
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page


def test_a_map_that_was_computed_anew_is_shown(tree: Path):
    first, stamp = map_view("tiny"), files_of("tiny")
    path = tree / "results/evolution/path/tiny.csv"
    path.write_text(path.read_text().replace("cat", "dog"))
    assert files_of("tiny") != stamp
    assert map_view("tiny") != first


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("other", "no map of 'other' is computed here.*embspace run learned --model other"),
        ("unlisted", "no map of 'unlisted' is computed here.*embspace report unlisted"),
        ("../tiny", "not found"),
        ("<script>", "not found"),
    ],
)
def test_without_a_map_it_says_what_makes_one(tree: Path, model: str, message: str):
    with pytest.raises(InputError, match=f"(?s){message}"):
        map_view(model)


def test_the_same_map_is_not_sent_twice(tree: Path):
    answers = Answers()
    view, there = answers.map("v", "tiny", None)
    assert view is not None and view.startswith("<iframe")
    assert answers.map("v", "tiny", there) == (None, there)
    message, none = answers.map("v", "other", there)
    assert message is not None and 'role="alert"' in message and none is None
    assert answers.map("v", ["tiny"], None)[1] is None
