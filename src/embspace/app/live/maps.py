"""The explorer of a model's maps: a page that cannot reach the app's page around it."""

from functools import lru_cache
from glob import escape as escaped
from html import escape
from importlib.resources import files
from pathlib import Path

from embspace.app.explorer.fragment_of import explorer_of
from embspace.app.live.views import TEMPLATE_MARKS
from embspace.app.page.fragment import Fragment, policy_of
from embspace.app.queries.reported import why_not_there
from embspace.errors import InputError
from embspace.settings.find_description import described_in
from embspace.settings.params import CONF

KEPT = 4  # pages, of some megabytes each
# Folders that the explorer reads, of a model and of all texts.
MADE = ("data/extracted", "data/projected", "data/measured", "results")
TEXTS = "data/prepared/texts"
# The ground of gradio's own page.
STYLE = (
    "body { margin: 4px; } @media (prefers-color-scheme: dark) "
    "{ body { background: #0f0f11; --ground: #0f0f11; } }"
)

Stamp = tuple[tuple[str, int], ...]
"""The files of a model that the explorer reads, and when each was written."""


def map_view(model: str) -> str:
    """Return the frame with the explorer of a model, as HTML for a template.

    The frame is sandboxed, with an origin of its own, and may run its scripts and save files.

    Raises:
        InputError: if the model is unknown, or has no computed map here.
    """
    described_in(CONF / "model", model)
    return _frame(model, files_of(model))


def files_of(model: str) -> Stamp:
    """Return the computed files of which a model's page is made, and when each was written."""
    name = escaped(model)
    patterns = (f"*/{name}.*", f"*/*/{name}.*", f"*/{name}/*")
    computed = [
        file for folder in MADE for pattern in patterns for file in Path(folder).glob(pattern)
    ]
    computed += Path(TEXTS).glob("*.parquet") if computed else ()
    return tuple(sorted((str(file), file.stat().st_mtime_ns) for file in computed))


@lru_cache(maxsize=KEPT)
def _frame(model: str, stamp: Stamp) -> str:
    """Return the frame; `stamp` differs for different files."""
    fragment = explorer_of(Path(), model) if stamp else None
    if fragment is None:
        raise InputError(
            f"no map of '{model}' is computed here; "
            + (why_not_there(model) or f"compute them with\n  embspace run learned --model {model}")
        )
    page = escape(explorer_page(fragment, model), quote=True).translate(TEMPLATE_MARKS)
    return (
        '<iframe class="embspace-map" title="Explorer of maps" sandbox="allow-scripts '
        f'allow-downloads" srcdoc="{page}"></iframe>'
    )


def explorer_page(fragment: Fragment, model: str) -> str:
    """Return a page with only the explorer; the content policy forbids all loading.

    The page reports the height to the page around, and searches on request.
    """
    own = files("embspace.app.live").joinpath("framed.js").read_text(encoding="utf-8")
    scripts = [*fragment.scripts, own]
    tags = "".join(f"<script>{script}</script>" for script in scripts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy_of(scripts))}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Maps of {escape(model)}</title>"
        f"<style>{STYLE} {fragment.style}</style></head>"
        f"<body>{fragment.html}{fragment.data}{tags}</body></html>"
    )
