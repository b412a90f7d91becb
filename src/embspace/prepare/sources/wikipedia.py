"""Articles of Wikipedia at fixed revisions, through the API of MediaWiki."""

import logging
import time
from html.parser import HTMLParser
from typing import Any

import pandas as pd
from tqdm import tqdm

from embspace.errors import InputError, within
from embspace.files.remote import local_path
from embspace.files.texts import load_texts
from embspace.prepare.sources.media_wiki import ask, complaint
from embspace.settings.corpus import WikipediaCorpus

# action=parse gives the HTML of the revision that `oldid` names. The API's own plain text
# (prop=extracts) always is of the latest revision, and rvprop=content is wikitext, whose templates
# only MediaWiki can fill in. https://www.mediawiki.org/wiki/API:Parsing_wikitext
QUERY = {
    "action": "parse",
    "prop": "text|revid",
    "disableeditsection": "1",
    "disabletoc": "1",
}
OFFLINE = (
    "without a network, run this stage where there is one and take its "
    "data/prepared/texts/<corpus>.parquet as a corpus with `source: file`"
)

# What is no running text of an article, wherever it stands.
DROPPED_TAGS = {"table", "style", "script", "figure", "math"}
DROPPED_CLASSES = {
    *("reference", "references", "reflist", "mw-cite-backlink", "error", "mw-ext-cite-error"),
    *("mw-editsection", "toc", "noprint", "metadata", "hatnote", "navbox", "redirectMsg"),
    *("infobox", "thumb", "gallery", "mwe-math-element", "shortdescription"),
}
VOID_TAGS = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"),
    *("track", "wbr"),
}


def load_wikipedia(corpus: WikipediaCorpus) -> pd.DataFrame:
    """The paragraphs of every page: `id` (the title), `text`, and an empty `subject`.

    `corpus.pages` is a CSV file with the columns `title` and `revision`; an empty `revision` means
    the latest, named in a warning. A text is MediaWiki's paragraphs, joined by empty lines: no
    headings, lists, tables, captions, formulas, references or edit links. Templates are filled in
    as of today, also in an old revision: a pinned text may still change in this respect.

    Requests one page at a time, with `seconds_between_requests` in between, and waits when the
    server is busy (https://www.mediawiki.org/wiki/API:Etiquette).

    Raises:
        InputError: naming the file of pages, for a missing column or a revision that is no number;
            naming the page, if the page or revision does not exist, the revision belongs to a
            different page, or no paragraph is left; naming the address, if the wiki cannot be
            reached.
    """
    pages = read_pages(corpus)
    rows: list[dict[str, str]] = []
    for title, revision in tqdm(pages, desc="Wikipedia", unit="page", disable=None):
        if rows:
            time.sleep(corpus.seconds_between_requests)
        rows.append({"id": title, "text": _article(title, revision, corpus), "subject": ""})
    return pd.DataFrame(rows)


def read_pages(corpus: WikipediaCorpus) -> list[tuple[str, str]]:
    """Return title and revision of the pages that a user wants; "" for the latest revision.

    Raises:
        InputError: naming the file of pages and, unless the file is missing, the line or page.
    """
    with within("key 'pages'"):
        return _pages(corpus.pages)


def read_page(title: str, revision: str, corpus: WikipediaCorpus) -> dict[str, Any]:
    """Return the `title`, `revid` and HTML `text` of a page at a revision; "" is the latest.

    Raises:
        InputError: naming the page, if page or revision does not exist; naming the address, if it
            cannot be reached.
    """
    which = {"oldid": revision} if revision else {"page": title, "redirects": "1"}
    answer = ask({**QUERY, **which}, corpus, offline=OFFLINE)
    if "parse" not in answer:
        raise InputError(f"{_named(title, revision, corpus)}: {complaint(answer)}")
    return dict(answer["parse"])


def plain_text(html: str) -> str:
    """The paragraphs of a page's HTML, joined by empty lines.

    `<p>It has <b>two</b> ends.<sup class="reference">[1]</sup></p>` gives `It has two ends.`
    """
    parser = _Paragraphs()
    parser.feed(html)
    parser.close()
    paragraphs = (" ".join(paragraph.split()) for paragraph in parser.paragraphs)
    return "\n\n".join(filter(None, paragraphs))


class _Paragraphs(HTMLParser):
    """Collects the content of <p>, without the dropped elements."""

    def __init__(self) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self._inside = False
        self._dropped: list[str] = []  # the dropped element that is open, and those open in it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID_TAGS:
            self.handle_data(" " if tag == "br" else "")
        elif self._dropped or tag in DROPPED_TAGS or DROPPED_CLASSES & _classes(attrs):
            self._dropped.append(tag)
        elif tag == "p":
            self._inside = True
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._dropped:
            while self._dropped.pop() != tag:
                pass  # an element within that was never closed
        elif tag == "p" and not self._dropped:
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside and not self._dropped:
            self.paragraphs[-1] += data


def _classes(attrs: list[tuple[str, str | None]]) -> set[str]:
    return set((dict(attrs).get("class") or "").split())


def _pages(path: str) -> list[tuple[str, str]]:
    if not local_path(path).is_file():
        raise InputError(
            f"{path}: not found; write it: a CSV file with the columns title and revision, a row a "
            "page; leave a revision empty for the latest; or let `embspace sample` draw pages"
        )
    table = load_texts(path, text_column="title", id_column="title")
    if "revision" not in table:
        raise InputError(f"{path}: no column 'revision'; expected the columns title and revision")
    revisions = table["revision"].astype(str).str.strip()
    pages = list(zip(table["title"].astype(str), revisions, strict=True))
    for title, revision in pages:
        if revision and not revision.isdecimal():
            raise InputError(
                f"{path}, page '{title}': column 'revision': found '{revision}', allowed: its "
                "number, or nothing for the latest"
            )
    return pages


def _article(title: str, revision: str, corpus: WikipediaCorpus) -> str:
    page = read_page(title, revision, corpus)
    if not revision:
        logging.getLogger(__name__).warning(
            "page '%s': took revision %s, the latest of '%s'; write that there to keep it",
            title,
            page["revid"],
            page["title"],
        )
    elif _normal(page["title"]) != _normal(title):
        raise InputError(
            f"{_named(title, revision, corpus)}: this revision is of the page '{page['title']}'"
        )
    text = plain_text(page["text"])
    if not text:
        raise InputError(
            f"{_named(title, revision, corpus)}: holds no paragraph; is it a redirect or a list?"
        )
    return text


def _named(title: str, revision: str, corpus: WikipediaCorpus) -> str:
    return f"{corpus.api}, page '{title}', revision {revision or '(latest)'}"


def _normal(title: str) -> str:
    """A title as MediaWiki writes it: "carbon_dioxide" is "Carbon dioxide"."""
    title = " ".join(title.replace("_", " ").split())
    return title[:1].upper() + title[1:]
