"""`embspace app` refuses before it opens anything, and says the address first."""

from typing import Any

import pytest

from embspace.app.live import choices, server
from embspace.errors import InputError
from tests.app.cli.call import call


def test_another_host_needs_a_password():
    said = call("app", "--host", "0.0.0.0")
    assert said.exit_code == 1 and "--password is needed" in said.stderr


def test_a_model_is_looked_for_before_anything_is_opened():
    said = call("app", "minlm")
    assert said.exit_code == 1 and "did you mean 'minilm'" in said.stderr
    said = call("app", "--model", "minlm")
    assert "the model comes first: embspace app minlm" in said.stderr
    assert "--model: found beside MODEL" in call("app", "minilm", "--model", "minilm").stderr


def test_a_model_that_reads_no_text_is_told_before_a_library_is_missed(
    monkeypatch: pytest.MonkeyPatch,
):
    def refuse(name: str | None) -> list[str]:
        raise InputError("no model reads texts")

    monkeypatch.setattr(server, "find_spec", lambda name: None)
    monkeypatch.setattr(choices, "models_to_choose", refuse)
    assert "no model reads texts" in call("app").stderr
    monkeypatch.setattr(choices, "models_to_choose", lambda name: ["minilm"])
    assert "gradio is not installed" in call("app").stderr


def test_the_address_is_the_first_line(monkeypatch: pytest.MonkeyPatch):
    handed: dict[str, Any] = {}

    class Page:
        local_url = "http://127.0.0.1:7870/"

        def block_thread(self) -> None:
            handed["blocked"] = True

    def open_app(models: list[str], corpora: list[str], **given: Any) -> Page:
        handed.update(given, models=models)
        return Page()

    monkeypatch.setattr(server, "check_installed", lambda: None)
    monkeypatch.setattr(server, "open_app", open_app)
    arguments = ("minilm", "--port", "7870", "--password", "long enough")
    said = call("app", *arguments)
    assert said.stdout == "embspace app: http://127.0.0.1:7870/\n"
    assert handed["port"] == 7870 and handed["host"] == "127.0.0.1" and handed["blocked"]
    assert handed["guests"].hosts == {"127.0.0.1", "localhost", "::1"}
    assert handed["password"] == "long enough" and handed["models"][0] == "minilm"
