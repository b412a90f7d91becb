"""Draws articles of a Wikipedia by chance, and pins them by their revisions."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from embspace.errors import InputError, counted
from embspace.prepare.sources.media_wiki import ask, complaint
from embspace.prepare.sources.wikipedia import plain_text, read_page
from embspace.settings.corpus import WikipediaCorpus

BATCH = 50  # pages that the API tells about in one answer
OFFLINE = "without a network, no page can be drawn"
GONE = ("missingtitle", "nosuchrevid")  # the API's codes for a page or revision that is deleted
COLUMNS = ["title", "page_id", "revision"]


def draw_pages(
    corpus: WikipediaCorpus, *, n_pages: int, seed: int, largest_id: int
) -> pd.DataFrame:
    """Return articles drawn by chance, each equally likely: `title`, `page_id`, `revision`.

    Page ids from 1 to `largest_id` are drawn by the seed. The API's own random pages know no seed.
    An id counts if it is of a page in the main namespace that is no redirect and whose latest
    revision has a paragraph; without one, `load_wikipedia` would refuse it. One that is deleted
    between two requests does not count either. In their order, the
    first articles of a larger sample are those of a smaller one. The wiki moves on: what was
    deleted or made into a redirect since gives its place to the next article.

    Raises:
        InputError: naming the address, if it cannot be reached, answers with an error, or has
            fewer articles among these ids.
    """
    rows: list[tuple[str, int, int]] = []
    with tqdm(total=n_pages, desc="Wikipedia", unit="page", disable=None) as progress:
        for page in _articles(corpus, seed, largest_id):
            _rest(corpus)
            read = _read(page, corpus)
            if read is None or not plain_text(read["text"]):
                continue
            rows.append((read["title"], page["pageid"], page["lastrevid"]))
            progress.update()
            if len(rows) == n_pages:
                return pd.DataFrame(rows, columns=COLUMNS)
    raise InputError(
        f"{corpus.api}: found {counted(len(rows), 'article')} among all page ids up to "
        f"{largest_id}, allowed: to draw as many, not {n_pages}"
    )


def _read(page: dict[str, Any], corpus: WikipediaCorpus) -> dict[str, Any] | None:
    """Return the page as it is read; None if it was deleted since the API named it."""
    try:
        return read_page(page["title"], str(page["lastrevid"]), corpus)
    except InputError as error:
        if any(f"({code})" in str(error) for code in GONE):
            return None
        raise


def find_largest_id(corpus: WikipediaCorpus) -> int:
    """Return the id of the page that was made last; ids rise with time.

    Raises:
        InputError: naming the address, if it cannot be reached or names no such page.
    """
    query = {"list": "recentchanges", "rctype": "new", "rcprop": "ids", "rclimit": "1"}
    changes = _asked(query, corpus).get("recentchanges", [])
    if not changes:
        raise InputError(
            f"{corpus.api}: names no page that was made lately, expected the newest; give the "
            "largest page id yourself"
        )
    return int(changes[0]["pageid"])


def drawn_ids(largest_id: int, seed: int) -> Iterator[list[int]]:
    """Yield all ids from 1 to the largest, each once, in an order by chance, some at a time."""
    generator = np.random.default_rng(seed)
    seen: set[int] = set()
    while len(seen) < largest_id:
        drawn = generator.integers(1, largest_id, BATCH, endpoint=True).tolist()
        new = [each for each in dict.fromkeys(drawn) if each not in seen]
        seen.update(new)
        if new:
            yield new


def _articles(corpus: WikipediaCorpus, seed: int, largest_id: int) -> Iterator[dict[str, Any]]:
    """Yield what the API says of each drawn page that is an article, in the order of the draw."""
    for ids in drawn_ids(largest_id, seed):
        _rest(corpus)
        query = {"prop": "info", "pageids": "|".join(map(str, ids))}
        pages = {page["pageid"]: page for page in _asked(query, corpus).get("pages", [])}
        for each in ids:
            page = pages.get(each, {"missing": True})
            if not page.get("missing") and not page.get("redirect") and page["ns"] == 0:
                yield page


def _asked(query: dict[str, str], corpus: WikipediaCorpus) -> dict[str, Any]:
    answer = ask({"action": "query", **query}, corpus, offline=OFFLINE)
    if "query" not in answer:
        raise InputError(f"{corpus.api}: {complaint(answer)}")
    return dict(answer["query"])


def _rest(corpus: WikipediaCorpus) -> None:
    time.sleep(corpus.seconds_between_requests)
