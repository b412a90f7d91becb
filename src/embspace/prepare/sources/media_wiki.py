"""Asks the API of a MediaWiki, and waits where it is busy."""

import json
import time
from typing import Any

from embspace.errors import InputError
from embspace.files.remote import ANSWER, TRIES, fetch
from embspace.settings.corpus import WikipediaCorpus

ALWAYS = {
    "format": "json",
    "formatversion": "2",
    # Five seconds is what https://www.mediawiki.org/wiki/Manual:Maxlag_parameter asks of programs.
    "maxlag": "5",
}
BUSY = {"maxlag", "ratelimited", "readonly"}
LAG_SECONDS = 5.0


def ask(query: dict[str, str], corpus: WikipediaCorpus, *, offline: str) -> dict[str, Any]:
    """Return the answer to a query, possibly the API's own error message.

    `offline` tells a user what to do without a network.

    Raises:
        InputError: naming the address, if it cannot be reached, or answers endlessly or with no
            JSON.
    """
    for attempt in range(TRIES):
        if attempt:
            time.sleep(LAG_SECONDS * attempt)
        content = fetch(
            corpus.api,
            query={**ALWAYS, **query},
            contact=corpus.contact,
            pause=corpus.seconds_between_requests,
            offline=offline,
            limits=ANSWER,
        )
        answer = _json(content, corpus)
        # That it is busy, MediaWiki says with status 200: https://phabricator.wikimedia.org/T33156
        if answer.get("error", {}).get("code") not in BUSY:
            break
    return answer


def complaint(answer: dict[str, Any]) -> str:
    """Return the error in an answer, with its code, or the whole answer if it names none."""
    error = answer.get("error", {})
    return f"{error.get('info', answer)} ({error.get('code', 'no code')})"


def _json(content: bytes, corpus: WikipediaCorpus) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise InputError(f"{corpus.api}: answers with no JSON; expected the address of an api.php")
    return answer
