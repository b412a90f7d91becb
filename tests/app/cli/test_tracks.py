"""`embspace track` hands its options on and shows what comes back."""

from typing import Any

import pytest

from embspace.app.queries.track import TrackOptions
from tests.app.cli.call import call


def test_options_are_handed_on(monkeypatch: pytest.MonkeyPatch):
    handed: dict[str, Any] = {}

    def track_tokens(text: str, model: str, **options: Any) -> str:
        handed.update(text=text, model=model, **options)
        return "tracked"

    monkeypatch.setattr("embspace.app.queries.track.track_tokens", track_tokens)
    options = "--layer 2 --token b --occurrence 1 --positions own --point output"
    options += " --nearness head --top 3 --no-causal-mask"
    assert call("track", "m", "a b", *options.split()).output == "tracked\n"
    assert handed == {
        "text": "a b",
        "model": "m",
        "layer": 2,
        "token": "b",
        "occurrence": 1,
        "options": TrackOptions("output", "own", "head", 3, is_causal=False),
    }


def test_an_unknown_point_is_refused():
    assert "attention_sum" in call("track", "a", "--point", "attention").stderr
