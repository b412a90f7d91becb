"""Draws articles of a Wikipedia by chance, and pins the articles by revision."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from embspace.errors import InputError, counted
from embspace.files.tables import load_table, save_table
from embspace.prepare.sources.media_wiki import ask, complaint
from embspace.prepare.sources.wikipedia import plain_text, read_page
from embspace.settings.corpus import WikipediaCorpus

BATCH = 50  # pages that the API tells about in one answer
OFFLINE = "without a network, no page can be drawn"
GONE = ("missingtitle", "nosuchrevid")  # the API's codes for a page or revision that is deleted
COLUMNS = ["title", "page_id", "revision"]


def draw_pages(
    corpus: WikipediaCorpus, *, n_pages: int, seed: int, largest_id: int, begun: Path
) -> pd.DataFrame:
    """Return randomly drawn articles, all equally likely: `title`, `page_id`, `revision`.

    Page ids from 1 to `largest_id` are drawn by the seed; the API's random pages know no seed. An
    id counts if the page is in the main namespace, is no redirect, and has a paragraph in the
    latest revision, as `load_wikipedia` demands. A page deleted between two requests does not
    count. In order, a larger sample begins with the articles of a smaller sample. The wiki moves
    on: deleted articles and new redirects give place to the next article.

    Draws before an interrupt or an error are kept in the table `begun`; the next draw continues
    from the table, and removes the table at the end.

    Raises:
        InputError: naming the address, if the wiki cannot be reached, answers with an error or
            unlike a MediaWiki, or has too few articles among these ids.
    """
    table = load_table(str(begun)) if begun.is_file() else pd.DataFrame(columns=COLUMNS)
    rows: list[list[Any]] = table.to_numpy(dtype=object).tolist()[:n_pages]
    try:
        _add_pages(rows, corpus, n_pages, seed, largest_id)
    except BaseException:
        if rows:
            save_table(pd.DataFrame(rows, columns=COLUMNS), str(begun))
        raise
    if len(table) <= n_pages:  # else there is more in it for a larger sample
        begun.unlink(missing_ok=True)
    return pd.DataFrame(rows, columns=COLUMNS)


def _add_pages(
    rows: list[list[Any]], corpus: WikipediaCorpus, n_pages: int, seed: int, largest_id: int
) -> None:
    """Add articles up to `n_pages` rows."""
    if len(rows) == n_pages:
        return
    last_id = rows[-1][1] if rows else None
    bar = tqdm(initial=len(rows), total=n_pages, desc="Wikipedia", unit="page", disable=None)
    with bar as progress, _understood(corpus):
        for page in _articles(corpus, seed, largest_id, last_id):
            _rest(corpus)
            read = _read(page, corpus)
            if read is None or not plain_text(read["text"]):
                continue
            rows.append([str(read["title"]), int(page["pageid"]), int(page["lastrevid"])])
            progress.update()
            if len(rows) == n_pages:
                return
    raise InputError(
        f"{corpus.api}: found {counted(len(rows), 'article')} among all page ids up to "
        f"{largest_id}, allowed: to draw as many, not {n_pages}"
    )


@contextmanager
def _understood(corpus: WikipediaCorpus) -> Iterator[None]:
    """Report an answer that is JSON, but not as a MediaWiki answers."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{corpus.api}: answers with JSON that is no MediaWiki's: {type(error).__name__}: "
            f"{error}"
        ) from error


def _read(page: dict[str, Any], corpus: WikipediaCorpus) -> dict[str, Any] | None:
    """Return the page as it is read; None if it was deleted since the API named it."""
    try:
        return read_page(page["title"], str(page["lastrevid"]), corpus)
    except InputError as error:
        if any(f"({code})" in str(error) for code in GONE):
            return None
        raise


def find_largest_id(corpus: WikipediaCorpus) -> int:
    """Return the id of the latest page; ids rise with time.

    Raises:
        InputError: naming the address, if it cannot be reached or names no such page.
    """
    query = {"list": "recentchanges", "rctype": "new", "rcprop": "ids", "rclimit": "1"}
    with _understood(corpus):
        changes = _query(query, corpus).get("recentchanges", [])
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
        new = [page_id for page_id in dict.fromkeys(drawn) if page_id not in seen]
        seen.update(new)
        if new:
            yield new


def _articles(
    corpus: WikipediaCorpus, seed: int, largest_id: int, last_id: int | None
) -> Iterator[dict[str, Any]]:
    """Yield what the API says of each drawn page that is an article, in the order of the draw.

    Pages up to `last_id` are passed over; None passes over none.
    """
    batches = drawn_ids(largest_id, seed)
    if last_id is not None:
        rest = next((ids[ids.index(last_id) + 1 :] for ids in batches if last_id in ids), [])
        batches = chain(filter(None, [rest]), batches)
    for ids in batches:
        _rest(corpus)
        query = {"prop": "info", "pageids": "|".join(map(str, ids))}
        pages = {page["pageid"]: page for page in _query(query, corpus).get("pages", [])}
        for page_id in ids:
            page = pages.get(page_id, {"missing": True})
            if not page.get("missing") and not page.get("redirect") and page["ns"] == 0:
                yield page


def _query(query: dict[str, str], corpus: WikipediaCorpus) -> dict[str, Any]:
    answer = ask({"action": "query", **query}, corpus, offline=OFFLINE)
    if "query" not in answer:
        raise InputError(f"{corpus.api}: {complaint(answer)}")
    return dict(answer["query"])


def _rest(corpus: WikipediaCorpus) -> None:
    time.sleep(corpus.seconds_between_requests)
