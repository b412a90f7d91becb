"""Settings and results of analyses, for tests of their functions."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from embspace.analysis import Analysis
from embspace.draw.page.saving import Results
from embspace.settings.schema import read_yaml
from embspace.settings.stage import FROM_PARAMS, checked_settings, settings_file

ROOT = Path(__file__).parents[1]


def settings_of(function: Callable[..., Any], **change: Any) -> dict[str, Any]:
    """Return the settings in conf/ of a function `<verb>_<noun>`, with some of them changed."""
    file = settings_file(function, ROOT)
    params = {
        "seed": 0,
        "device": "cpu",
        "roles": {},
        **{key: change.pop(key) for key in FROM_PARAMS if key in change},
    }
    return checked_settings(function, read_yaml(file) | change, params, str(file))


def as_drawn(analysis: Analysis, outcome: Mapping[str, Any], **beside: Any) -> Results:
    """Return what a function made as its drawing takes it, with results of other analyses."""
    # As `load_results` has it.
    names = (
        {"parquet": f"data/measured/{analysis.noun}.parquet"} if analysis.verb == "measure" else {}
    )
    named = {names.get(name, name): result for name, result in outcome.items()}
    return Results({**named, **beside}, analysis.headings)
