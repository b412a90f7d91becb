import json

import pytest

from embspace.errors import InputError
from embspace.files.remote import Limits
from embspace.prepare.sources import media_wiki
from embspace.prepare.sources.media_wiki import ask, complaint
from tests.loopback import Answer, serving
from tests.wikipedia_server import corpus


def test_a_busy_wiki_is_asked_three_times_and_its_last_word_given(monkeypatch: pytest.MonkeyPatch):
    rested: list[float] = []
    monkeypatch.setattr(media_wiki.time, "sleep", rested.append)
    busy = {"error": {"code": "maxlag", "info": "9 seconds lagged"}}
    with serving(lambda request: Answer(json.dumps(busy).encode())) as server:
        answer = ask({"action": "query"}, corpus(server.address), offline="")
    assert answer == busy
    assert rested == [5.0, 10.0]
    assert len(server.requests) == 3
    assert server.requests[0].query == {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "maxlag": "5",
    }


@pytest.mark.parametrize("body", [b"<html></html>", b"[]", b""])
def test_what_is_no_json_object_is_named(body: bytes):
    with (
        serving(lambda request: Answer(body)) as server,
        pytest.raises(InputError, match=r"api\.php: answers with no JSON; expected the address of"),
    ):
        ask({}, corpus(server.address), offline="")


def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(media_wiki, "ANSWER", Limits(10**6, 60.0))
    with (
        serving(lambda request: Answer(b"[" * 2**16, endless=True)) as server,
        pytest.raises(InputError, match=r"api\.php.*: sent [\d,]+ bytes and goes on, allowed: 1,0"),
    ):
        ask({}, corpus(server.address), offline="")


def test_a_complaint_has_its_code():
    assert complaint({"error": {"code": "x", "info": "No."}}) == "No. (x)"
    assert complaint({"other": 1}) == "{'other': 1} (no code)"
