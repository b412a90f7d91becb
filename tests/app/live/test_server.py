"""Who may reach the app. What it shows is looked at in tests/browser/test_app.py."""

import http.client
import json
import os
from collections.abc import Iterator
from html import unescape
from typing import Any

import pandas as pd
import pytest

from embspace.app.live import doors, server
from embspace.app.live.limits import MOST_REQUESTS
from embspace.errors import InputError
from tests.app.queries.extracted import write_extracted
from tests.stream.trees import free_port


@pytest.mark.parametrize("host", doors.LOOPBACK)
def test_this_machine_needs_no_password(host: str):
    server.check_binding(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "example.org", ""])
def test_other_machines_need_one(host: str):
    with pytest.raises(InputError, match="a --password is needed"):
        server.check_binding(host, None)
    server.check_binding(host, "long enough")


def test_a_short_password_is_refused():
    with pytest.raises(InputError, match="found 0 characters, allowed: 8 or more"):
        server.check_binding("127.0.0.1", "")


def test_without_gradio_it_says_what_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="`make app` installs it"):
        server.check_installed()


def test_libraries_are_told_to_stay_offline(monkeypatch: pytest.MonkeyPatch):
    for name in ("GRADIO_ANALYTICS_ENABLED", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "")
    server.stay_offline()
    assert os.environ["GRADIO_ANALYTICS_ENABLED"] == "False"
    assert os.environ["HF_HUB_OFFLINE"] == "1"


TEXTS = pd.DataFrame(
    {"id": ["a", "b"], "text": ["the boat and the tide", "salt and bread"], "document": ["a", "b"]}
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The app on a port of the loopback address; it needs gradio."""
    pytest.importorskip("gradio")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(write_extracted(tmp_path_factory.mktemp("app"), TEXTS))
        for name in ("GRADIO_ANALYTICS_ENABLED", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
            patch.setenv(name, "")
        patch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
        opened = server.open_app(
            ["tiny"],
            ["one"],
            host="127.0.0.1",
            port=free_port(),
            password=None,
            guests=doors.guests_of("127.0.0.1", ["lab.example"], ["http://localhost:3000"], []),
        )
        yield opened
        opened.close()


def answer_of(app: Any, method: str, path: str, content: Any = None, **headers: str) -> Any:
    """Return status, headers and text of an answer of the app."""
    connection = http.client.HTTPConnection("127.0.0.1", int(app.server_port), timeout=60)
    body = None if content is None else json.dumps(content)
    known = {"content-type": "application/json"} if content is not None else {}
    connection.request(method, path, body, {**known, **headers})
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read().decode(errors="replace")


def endpoint(app: Any, n_inputs: int) -> int:
    """Return the number of the last function that takes so many inputs: of five, the search."""
    return [number for number, function in app.fns.items() if len(function.inputs) == n_inputs][-1]


def posted(app: Any, data: list[Any], **headers: str) -> str:
    """Return what the app answers to a search."""
    number = endpoint(app, len(data))
    session = {"data": data, "fn_index": number, "session_hash": "s", "event_data": None}
    status, _, text = answer_of(app, "POST", "/gradio_api/queue/join", session, **headers)
    if status != 200:
        return f"{status} {text}"
    connection = http.client.HTTPConnection("127.0.0.1", int(app.server_port), timeout=60)
    connection.request("GET", "/gradio_api/queue/data?session_hash=s", headers=headers)
    stream = connection.getresponse()
    lines = [line.decode() for line in iter(stream.readline, b"") if b"process_completed" in line]
    return lines[-1]


SEARCH = ["tiny", "one", "salt", -1, "mean"]


def test_pages_of_visitors_who_have_left_are_not_kept_without_end(app: Any):
    kept = app.app.state_holder
    for number in range(server.MOST_SESSIONS + 20):
        kept[f"visitor {number}"]
    assert len(kept.session_data) == server.MOST_SESSIONS
    assert len(kept.time_last_used) == server.MOST_SESSIONS


def test_answers_are_for_names_that_are_allowed(app: Any):
    for host in ("localhost:1", "127.0.0.1", "[::1]:7860", "LAB.example:80"):
        assert answer_of(app, "GET", "/config", Host=host)[0] == 200
    for host in ("other.example", "127.0.0.1.other.example", "localhost@x", "", "localhost:x"):
        status, _, text = answer_of(app, "GET", "/config", Host=host)
        assert status == 403 and "name it by --allow-host" in text
    assert posted(app, SEARCH, Host="other.example").startswith("403")


def test_pages_of_other_origins_are_refused(app: Any):
    own = f"127.0.0.1:{app.server_port}"
    for origin in (f"http://{own}", "http://localhost:3000"):
        assert "process_completed" in posted(app, SEARCH, Host=own, Origin=origin)
    status, headers, _ = answer_of(app, "GET", "/config", Host=own, Origin="http://localhost:3000")
    assert headers["access-control-allow-origin"] == "http://localhost:3000"
    others = (
        "http://127.0.0.1:1",
        "null",
        "https://other.example",
        "http://localhost:3000.example",
    )
    for origin in others:
        status, headers, text = answer_of(app, "GET", "/config", Host=own, Origin=origin)
        assert status == 403 and "name it by --allow-origin" in text
        assert "access-control-allow-origin" not in headers
        method = {"Access-Control-Request-Method": "POST"}
        status, headers, _ = answer_of(app, "OPTIONS", "/config", Host=own, Origin=origin, **method)
        assert status == 403 and "access-control-allow-origin" not in headers


def test_other_sites_may_not_frame_it(app: Any):
    for path in ("/", "/config", "/none"):
        headers = answer_of(app, "GET", path)[1]
        assert headers["content-security-policy"] == "frame-ancestors 'self'"
        assert headers["x-frame-options"] == "SAMEORIGIN"


FILE = {"path": "http://127.0.0.1:9/big.bin", "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize("place", [FILE, [FILE], {"value": FILE}, [[{"a": 1}]]])
def test_no_file_is_taken_in_place_of_a_text(app: Any, place: Any):
    text = posted(app, ["tiny", "one", place, -1, "mean"])
    assert text.startswith("422") and "found an object, allowed: texts and numbers" in text


def test_addresses_of_files_are_closed(app: Any):
    for path in ("/gradio_api/upload", "/gradio_api/process_recording", "/gradio_api/vibe-edit"):
        assert answer_of(app, "POST", path, {})[0] == 403
    for path in ("/gradio_api/file=/etc/hosts", "/gradio_api/proxy=http://127.0.0.1:9/"):
        assert answer_of(app, "GET", path)[0] == 403
    assert answer_of(app, "POST", "/gradio_api/queue/join", ["a" * 2**22])[0] == 413
    assert answer_of(app, "PUT", "/gradio_api/queue/join")[0] == 405


@pytest.mark.parametrize("layer", ["1", "nan", [], None, True])
def test_a_layer_that_is_none_is_told_with_those_that_there_are(app: Any, layer: Any):
    answer = unescape(
        json.loads(posted(app, [*SEARCH[:3], layer, "mean"])[5:])["output"]["data"][0]
    )
    assert f"layer: found {layer!r}, allowed: 0 to 2, or -1 for the last" in answer


def test_what_gradio_refuses_has_a_message(app: Any):
    number = endpoint(app, 5)
    session = {"data": ["tiny"], "fn_index": number, "session_hash": "t", "event_data": None}
    assert answer_of(app, "POST", "/gradio_api/queue/join", session)[0] == 200
    text = answer_of(app, "GET", "/gradio_api/queue/data?session_hash=t")[2]
    assert "needed" in text or "enough input values" in text


def test_the_limit_is_that_of_the_address_that_connects(app: Any):
    answers = [
        posted(app, SEARCH, **{"X-Forwarded-For": f"10.0.0.{number}"})
        for number in range(MOST_REQUESTS + 2)
    ]
    assert "requests in 60 seconds" in answers[-1]
    assert "requests in 60 seconds" in answers[-2]
