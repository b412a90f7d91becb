"""A small Wikipedia on this machine: 200 page ids, of which 40 are articles with a paragraph."""

import json
from typing import Any

from embspace.settings.corpus import WikipediaCorpus
from tests.loopback import Answer, Request

LARGEST = 200
ARTICLES = [number for number in range(1, LARGEST + 1) if number % 4 == 2 and number % 20 != 2]


def corpus(address: str) -> WikipediaCorpus:
    """Return the description of a sample from the Wikipedia at an address."""
    return WikipediaCorpus(
        label="Wikipedia",
        license="CC-BY-SA-4.0",
        language="English",
        source="wikipedia",
        api=f"{address}/w/api.php",
        pages="pages.csv",
        contact="me@example.org",
    )


def page(number: int) -> dict[str, Any]:
    """What the API says of a page id."""
    kind = number % 4
    if kind == 3 or number > LARGEST:
        return {"pageid": number, "missing": True}
    answer: dict[str, Any] = {"pageid": number, "ns": int(kind == 1), "title": title(number)}
    answer |= {"lastrevid": 1000 + number, "length": 9}
    return answer | {"redirect": True} if kind == 0 else answer


def title(number: int) -> str:
    """One with what CSV sets in quotes."""
    return f'Page {number}, "so called"'


def wikipedia(request: Request) -> Answer:
    """As api.php answers: always with status 200, pages in the order of their ids."""
    query = request.query
    if query["action"] == "parse":
        number = int(query["oldid"]) - 1000
        html = "<ul><li>alone</li></ul>" if number % 20 == 2 else f"<p>Text {number}.</p>"
        parse = {"title": title(number), "pageid": number, "revid": 1000 + number, "text": html}
        return _json({"parse": parse})
    if query.get("list") == "recentchanges":
        newest = {"type": "new", "ns": 1, "title": "x", "pageid": LARGEST, "revid": 9}
        return _json({"batchcomplete": True, "query": {"recentchanges": [newest]}})
    numbers = sorted(int(number) for number in query["pageids"].split("|"))
    return _json({"batchcomplete": True, "query": {"pages": [page(number) for number in numbers]}})


def _json(content: dict[str, Any]) -> Answer:
    return Answer(json.dumps(content).encode())
