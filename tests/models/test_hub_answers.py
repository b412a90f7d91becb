from collections.abc import Callable

import pytest
from huggingface_hub import constants
from huggingface_hub.errors import HfHubHTTPError

from embspace.errors import InputError
from embspace.files.remote import Limits
from embspace.models import hub_answers
from embspace.models.hub_answers import ask_hub
from tests.hub_server import json_answer
from tests.loopback import Answer, Request, serving


def json_from_hub(answer: Callable[[Request], Answer], monkeypatch: pytest.MonkeyPatch) -> object:
    def only(request: Request) -> Answer:
        # The library asks for more, and would keep what it gets for all that run on this machine.
        return answer(request) if request.path == "/api/models/a/b" else Answer(status=404)

    with serving(only) as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.address)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # another test may have set it
        return ask_hub("models/a/b", {"blobs": "true"})


def test_the_answer_is_read_as_json(monkeypatch: pytest.MonkeyPatch):
    def echo(request: Request) -> Answer:
        return json_answer([request.path, request.query, request.headers["accept-encoding"]])

    assert json_from_hub(echo, monkeypatch) == ["/api/models/a/b", {"blobs": "true"}, "identity"]


def test_a_refusal_has_the_words_of_the_hub(monkeypatch: pytest.MonkeyPatch):
    refusal = Answer(b'{"error": "out of tea"}', status=418)
    with pytest.raises(HfHubHTTPError, match="out of tea"):
        json_from_hub(lambda request: refusal, monkeypatch)


def test_what_is_no_json_is_told(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ValueError, match="Expecting value"):
        json_from_hub(lambda request: Answer(b"<html>"), monkeypatch)


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch, status: int):
    monkeypatch.setattr(hub_answers, "ANSWER", Limits(10**6, 60.0))
    endless = Answer(b"[" * 2**16, status=status, endless=True)
    with pytest.raises(InputError, match=r"models/a/b\?blobs=true: sent 1,\d+,\d+ bytes and goes"):
        json_from_hub(lambda request: endless, monkeypatch)
