import time
from collections.abc import Callable, Iterator

import pytest

from embspace.errors import InputError
from embspace.files import remote
from embspace.files.remote import (
    FILE,
    TRIES,
    Limits,
    Pace,
    fetch,
    local_path,
    read_file_or_address,
)
from tests.loopback import Answer, Request, closed_address, serving

PAUSE = 0.02


def in_turn(*answers: Answer) -> Callable[[Request], Answer]:
    """Each answer once."""
    waiting: Iterator[Answer] = iter(answers)
    return lambda request: next(waiting)


def test_the_bytes_at_an_address_come_with_the_query_and_a_name():
    with serving(lambda request: Answer(b"\x00\xff" * 1000)) as server:
        content = fetch(f"{server.address}/a", query={"title": "Ä & b"}, contact="me@example.org")
    assert content == b"\x00\xff" * 1000
    (request,) = server.requests
    assert (request.path, request.query) == ("/a", {"title": "Ä & b"})
    assert request.headers["user-agent"] == "embspace/0.1 (me@example.org)"


def test_a_busy_server_is_asked_again_after_longer_and_longer_pauses():
    with serving(in_turn(Answer(status=503), Answer(status=429), Answer(b"now"))) as server:
        assert fetch(server.address, pause=PAUSE) == b"now"
    first, second, third = (request.time for request in server.requests)
    assert second - first >= PAUSE
    assert third - second >= 2 * PAUSE


def test_a_cut_connection_is_no_answer():
    with serving(in_turn(Answer(b"whole text", cut=5), Answer(b"whole text"))) as server:
        assert fetch(server.address, pause=PAUSE) == b"whole text"
    with (
        serving(lambda request: Answer(b"whole text", cut=5)) as server,
        pytest.raises(InputError, match="cannot be read: IncompleteRead"),
    ):
        fetch(server.address, pause=PAUSE)
    assert len(server.requests) == TRIES


def test_the_wait_that_a_server_asks_for_is_kept():
    with serving(in_turn(Answer(status=503, headers={"Retry-After": "1"}), Answer(b"now"))) as s:
        assert fetch(s.address, pause=PAUSE) == b"now"
    assert s.requests[1].time - s.requests[0].time >= 1


def test_a_wait_beyond_patience_ends_at_once():
    with (
        serving(lambda request: Answer(status=429, headers={"Retry-After": "3600"})) as server,
        pytest.raises(InputError, match="429 .*it asks to wait for 3600 seconds"),
    ):
        fetch(server.address, pause=PAUSE)
    assert len(server.requests) == 1


def test_a_date_to_retry_after_is_left_alone():
    headers = {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}
    with serving(in_turn(Answer(status=503, headers=headers), Answer(b"now"))) as server:
        assert fetch(server.address, pause=PAUSE) == b"now"


def test_what_is_not_there_is_not_asked_for_again():
    with (
        serving(lambda request: Answer(status=404)) as server,
        pytest.raises(InputError, match=r"/none\.json: cannot be read: 404 Not Found; without a"),
    ):
        fetch(f"{server.address}/none.json", pause=PAUSE)
    assert len(server.requests) == 1


def test_a_server_that_stays_busy_is_named():
    with (
        serving(lambda request: Answer(status=503)) as server,
        pytest.raises(InputError, match="503 Service Unavailable"),
    ):
        fetch(server.address, pause=PAUSE)
    assert len(server.requests) == TRIES


def test_an_address_where_nobody_listens_is_named_with_what_else_to_do():
    address = closed_address()
    with pytest.raises(InputError, match=f"{address}: cannot be read: .*refused; take the train"):
        fetch(address, pause=PAUSE, offline="take the train")


@pytest.mark.parametrize("address", ["http://127.0.0.1:port/", "http://127.0.0.1:1/ü", "http://"])
def test_what_is_no_address_is_named(address: str):
    with pytest.raises(InputError, match=f"{address}: cannot be read"):
        fetch(address, pause=PAUSE)


def test_a_path_is_read_as_a_file(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b"\xff")
    assert read_file_or_address(str(path)) == b"\xff"
    with pytest.raises(InputError, match=r"none\.json: cannot be read: No such file"):
        read_file_or_address(str(tmp_path / "none.json"))


def test_a_path_from_home_is_read_as_a_file(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "x.json").write_bytes(b"{}")
    assert local_path("~/x.json") == tmp_path / "x.json"
    assert read_file_or_address("~/x.json") == b"{}"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", r"'a\\x00b': found a NUL character, which no path may hold"),
        ("~nobody-of-this-name/x", "found no home folder for ~nobody-of-this-name"),
    ],
)
def test_what_can_be_no_path_is_named(path: str, message: str):
    with pytest.raises(InputError, match=message):
        read_file_or_address(path)


def test_an_address_is_read_from_the_network():
    with serving(lambda request: Answer(b"[]")) as server:
        assert read_file_or_address(f"{server.address}/pairs.json") == b"[]"


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch):
    with serving(lambda request: Answer(b"by proxy")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.address)
        monkeypatch.setattr("urllib.request._opener", None)  # it has read the environment before
        assert fetch("http://texts.invalid/a", pause=PAUSE) == b"by proxy"
    assert proxy.requests[0].headers["host"] == "texts.invalid"


def test_no_time_is_lost_after_the_last_try():
    with serving(lambda request: Answer(status=503)) as server:
        start = time.monotonic()
        with pytest.raises(InputError):
            fetch(server.address, pause=0.1)
        assert time.monotonic() - start < 0.1 + 0.2 + 0.2


def test_a_server_that_sends_almost_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(remote, "LONG", 0.0)
    with serving(lambda request: Answer(b"x" * 100)) as server:
        monkeypatch.setattr(remote, "SLOWEST", 1e12)
        with pytest.raises(InputError, match=f"{server.address}: sent 100 bytes in 0 seconds; try"):
            fetch(server.address)
        assert len(server.requests) == 1
        monkeypatch.setattr(remote, "SLOWEST", 1e-3)
        assert fetch(server.address) == b"x" * 100


def test_a_slow_beginning_is_forgiven(monkeypatch: pytest.MonkeyPatch):
    now = iter([0.0, 59.0, 61.0, 121.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    pace = Pace("an address", FILE)
    pace.count(1)
    pace.count(100_000)
    with pytest.raises(InputError, match="an address: sent 100,002 bytes in 121 seconds"):
        pace.count(1)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(10**6, 60.0), r": sent 1,\d+,\d+ bytes and goes on, allowed: 1,000,000; look at"),
        (Limits(10**12, 0.0), r": sent [\d,]+ bytes in 0 seconds; try again when the server"),
    ],
)
def test_a_server_that_sends_without_end_is_given_up(limits: Limits, message: str):
    with serving(lambda request: Answer(b"x" * 2**16, endless=True)) as server:
        with pytest.raises(InputError, match=server.address + message):
            fetch(server.address, limits=limits)
        assert len(server.requests) == 1
