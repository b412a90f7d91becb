"""Run in processes of their own: the library reads HF_ENDPOINT and the like when it is imported."""

import json
import logging
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants, get_session, set_client_factory
from huggingface_hub.utils._http import default_client_factory

from embspace.errors import InputError
from embspace.prepare.sources.hub import _without_warnings, load_hub_texts
from embspace.settings.corpus import HubCorpus
from tests.loopback import closed_address, serving
from tests.prepare.sources.fake_hub import NEW, OLD, REPOSITORY, hub

POSTS = {
    "label": "posts",
    "license": "CC0-1.0",
    "language": "English",
    "source": "hub",
    "repository": REPOSITORY,
    "revision": OLD,
    "subset": "posts",
    "split": "train",
}
ONLINE: dict[str, dict[str, Any]] = {
    "pinned": {},
    "test": {"split": "test"},
    "first": {"n_texts": 2},
    "part": {"split": "train[1:]"},
    "columns": {"subset": "keyed", "text_column": "Tweet", "id_column": "key"},
    "own ids": {"subset": "keyed", "text_column": "Tweet"},
    "newest": {"revision": None},  # after "pinned": the cache then holds both
    "no repository": {"repository": "someone/else"},
    "no revision": {"revision": "c" * 40},
    "no subset": {"subset": "comments"},
    "which subset": {"subset": None},
    "no split": {"split": "dev"},
    "no text column": {"text_column": "content"},
    "no id column": {"id_column": "key"},
    "too many": {"n_texts": 4},
    "empty text": {"subset": "gaps"},
    "number for text": {"text_column": "label"},
    "ids twice": {"subset": "twins"},
    "nul": {"subset": "torn"},
    "no id": {"subset": "nameless"},
}
OFFLINE: dict[str, dict[str, Any]] = {
    "same revision": {"revision": NEW},
    "newest": {"revision": None},
    "other revision": {"revision": OLD},
    "not downloaded": {"repository": "someone/else"},
}
# Waits between tries are the library's own, and long.
SCRIPT = """
import io, json, logging, sys, time
from embspace.settings.corpus import HubCorpus
from embspace.errors import InputError
from embspace.prepare.sources.hub import load_hub_texts
time.sleep = lambda seconds: None
log = io.StringIO()
logging.getLogger("embspace").addHandler(logging.StreamHandler(log))
answers = {}
for name, given in json.load(sys.stdin).items():
    log.seek(0), log.truncate()
    try:
        answer = load_hub_texts(HubCorpus(**given)).to_dict(orient="list")
    except InputError as error:
        answer = str(error)
    answers[name] = [answer, log.getvalue()]
print(json.dumps(answers))
"""
Answers = dict[str, tuple[Any, str]]  # a table or the message of an error, and the log


def asking(cases: dict[str, dict[str, Any]], **variables: str) -> Answers:
    """What comes for each case, with these variables in the environment."""
    process = run(cases, **variables)
    return {name: tuple(answer) for name, answer in json.loads(process.stdout).items()}


def run(cases: dict[str, dict[str, Any]], **variables: str) -> subprocess.CompletedProcess[str]:
    known = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps({name: {**POSTS, **given} for name, given in cases.items()}),
        env={**known, "PYTHONPATH": "src", **variables},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hub") / "home"


@pytest.fixture(scope="module")
def online(home: Path) -> Answers:
    with serving(hub) as server:
        return asking(ONLINE, HF_ENDPOINT=server.address, HF_HOME=str(home))


@pytest.fixture(scope="module")
def offline(online: Answers, home: Path) -> Answers:
    copied = home.with_name("copied")
    shutil.copytree(home, copied)
    return asking(OFFLINE, HF_HUB_OFFLINE="1", HF_HOME=str(copied))


def test_a_split_comes_at_the_revision_that_is_pinned(online: Answers):
    table, log = online["pinned"]
    assert table == {"id": ["1", "2", "3"], "text": ["A, old", "B", "C"]}
    assert not log


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("test", {"id": ["1"], "text": ["T"]}),
        ("first", {"id": ["1", "2"], "text": ["A, old", "B"]}),
        ("part", {"id": ["1", "2"], "text": ["B", "C"]}),
        ("columns", {"id": ["k9", "k7"], "text": ["X", "Y"], "domain": ["d", "e"]}),
        ("own ids", {"id": ["1", "2"], "text": ["X", "Y"], "domain": ["d", "e"]}),
    ],
)
def test_rows_and_columns_are_those_that_are_asked_for(online: Answers, name: str, table: Any):
    assert online[name][0] == table


def test_without_a_revision_the_newest_comes_and_is_named(online: Answers):
    table, log = online["newest"]
    assert table["text"] == ["A, new", "B", "C"]
    assert f"`revision` pins nothing, took {NEW}; write that there to keep it" in log


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        ("no repository", ["data set someone/else, subset 'posts': ", "doesn't exist on the Hub"]),
        ("no revision", [f"Revision '{'c' * 40}' doesn't exist for dataset '{REPOSITORY}'"]),
        ("no subset", ["key 'subset': ", "'comments' not found. Available: ['posts', 'keyed', 'g"]),
        ("which subset", ["key 'subset': ", "pick one among the available configs: ['posts', "]),
        (
            "no split",
            ["key 'split': ", "Unknown split \"dev\". Should be one of ['train', 'test']"],
        ),
        ("no text column", ["key 'text_column': no column 'content', found text, label"]),
        ("no id column", ["key 'id_column': no column 'key', found text, label"]),
        ("too many", ["key 'n_texts': found 4, the split 'train' holds 3"]),
        ("empty text", ["row 2 of the split 'train', column 'text': found ' ', not a text"]),
        ("number for text", ["row 1 of the split 'train', column 'label': found 0, not a text"]),
        ("nul", ["row 2 of the split 'train': the text '2' holds a NUL character (U+0000) at 1"]),
        ("no id", ["row 2 of the split 'train', column 'id': found ", ", not a name"]),
        ("ids twice", ["row 3: the id 'a' is that of an earlier row"]),
    ],
)
def test_what_does_not_fit_is_named_with_what_there_is(
    online: Answers, name: str, messages: list[str]
):
    message = online[name][0]
    assert message.startswith("data set someone/")
    assert "\n" not in message
    for part in messages:
        assert part in message


def test_a_copied_cache_serves_without_a_network(offline: Answers):
    assert offline["same revision"][0]["text"] == ["A, new", "B", "C"]
    table, log = offline["newest"]
    assert table["text"] == ["A, new", "B", "C"]
    assert f"took {NEW}" in log


def test_another_revision_in_the_cache_is_never_taken_for_the_pinned_one(offline: Answers):
    message = offline["other revision"][0]
    assert f"the cache last got the revision {NEW}, not {OLD}; without a network" in message


@pytest.mark.parametrize("unreachable", ["offline", "closed"])
def test_a_hub_out_of_reach_is_named_with_the_way_without_a_network(
    unreachable: str, tmp_path: Path, request: pytest.FixtureRequest
):
    if unreachable == "closed":
        variables = {"HF_ENDPOINT": closed_address(), "HF_HOME": str(tmp_path)}
        message = asking({"closed": {}}, **variables)["closed"][0]
    else:
        message = request.getfixturevalue("offline")["not downloaded"][0]
    assert "cannot be had: ConnectionError" in message
    for way in ("HF_HOME", "HF_HUB_OFFLINE=1", "`source: file`"):
        assert way in message


def test_a_hub_that_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    request.addfinalizer(lambda: set_client_factory(default_client_factory))
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.1)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # which earlier tests may have set
    with socket.create_server(("127.0.0.1", 0)) as silent:  # connects, and never says a word
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setattr(
            # As the library asks for some of its answers.
            "datasets.load_dataset_builder",
            lambda *given, **named: get_session().get(address, timeout=None),
        )
        with pytest.raises(InputError, match="cannot be had: ReadTimeout: .*HF_HUB_OFFLINE=1"):
            load_hub_texts(HubCorpus(**POSTS))


def test_of_its_tries_to_reach_the_hub_the_library_says_nothing(tmp_path: Path):
    process = run({"closed": {}}, HF_ENDPOINT=closed_address(), HF_HOME=str(tmp_path))
    assert "cannot be had: ConnectionError" in process.stdout
    assert process.stderr == ""


def test_the_library_speaks_again_afterwards():
    before = logging.getLogger("huggingface_hub").level
    with _without_warnings():
        assert not logging.getLogger("huggingface_hub.any").isEnabledFor(logging.WARNING)
    assert logging.getLogger("huggingface_hub").level == before


def test_without_the_library_it_is_told_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=r"pip install 'embspace\[hub\]'"):
        load_hub_texts(HubCorpus(**POSTS))
