"""Who may reach the app. What it shows is looked at in tests/browser/test_app.py."""

import os

import pytest

from embspace.app.live import server
from embspace.errors import InputError


@pytest.mark.parametrize("host", server.LOOPBACK)
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
