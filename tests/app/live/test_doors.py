"""Names that are allowed, and bodies that are none; whole requests are in test_server.py."""

import json
import re
from typing import Any

import pytest

from embspace.app.live import doors
from embspace.app.live.doors import flaw_of_body
from embspace.errors import InputError


@pytest.mark.parametrize(
    ("hosts", "origins", "message"),
    [
        (["name:80"], [], "--allow-host: found 'name:80', allowed: a name without port"),
        (["a/b"], [], "--allow-host: found 'a/b'"),
        ([], ["name:80"], "--allow-origin: found 'name:80', allowed: such as http://name:8000"),
        ([], ["*"], "--allow-origin: found '*'"),
        ([], ["http://a/b"], "--allow-origin: found 'http://a/b'"),
    ],
)
def test_what_is_no_name_is_told(hosts: list[str], origins: list[str], message: str):
    with pytest.raises(InputError, match=re.escape(message)):
        doors.guests_of("127.0.0.1", hosts, origins, [])


def test_an_address_of_all_is_no_name():
    assert "0.0.0.0" not in doors.guests_of("0.0.0.0", [], [], []).hosts
    assert "192.168.0.2" in doors.guests_of("192.168.0.2", [], [], []).hosts
    assert "fe80::1" in doors.guests_of("::", ["fe80::1"], [], []).hosts


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"data": ["a", 1, None, [["b"]]], "event_data": {"position": 3}}, ""),
        ({"data": [{"path": "http://a/b", "meta": {}}]}, "found an object"),
        ({"data": [[[{}]]]}, "found an object"),
        ({"text": {"path": "a"}}, "found an object"),
        (["a"], "found no object of keys"),
    ],
)
def test_objects_among_texts_are_told(content: Any, reason: str):
    flaw = flaw_of_body(json.dumps(content).encode())
    assert reason in flaw and bool(reason) == bool(flaw)


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_told(body: bytes):
    assert flaw_of_body(body)
