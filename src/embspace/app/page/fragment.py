"""A part of a page that brings its own style, scripts and data."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Fragment:
    """A part of a page, made by embspace itself: its HTML is not escaped again."""

    html: str
    """The visible part; any text of a user in it is escaped already."""
    style: str
    """CSS, without the element `style`."""
    scripts: list[str]
    """The text of every inline script, without the element `script`."""
    data: str
    """Inert elements for the scripts to read, such as `<script type="application/json">`."""


def policy_of(scripts: Iterable[str]) -> str:
    """Return the content policy of a page: load nothing, and run these scripts alone.

    A script is allowed by the SHA-256 of the text, as in CSP Level 3 (w3.org/TR/CSP3).
    """
    hashes = " ".join(map(_hash_of, scripts)) or "'none'"
    return (
        "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; "
        f"script-src {hashes}; base-uri 'none'; form-action 'none'"
    )


def _hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
