"""Pieces of enwik8, the first 10^8 bytes of a dump of English Wikipedia (2006).

http://mattmahoney.net/dc/textdata.html
"""

import codecs
import hashlib
import html
import io
import logging
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import unescape

import pandas as pd

from embspace.errors import InputError, counted, within
from embspace.files.atomic import writing
from embspace.files.remote import fetch, is_address, read_file_or_address
from embspace.settings.corpus import Enwik8Corpus

DOWNLOADS = Path(".cache/downloads")
# Elements whose content is code, a formula, a note or pictures.
CODE = "math|nowiki|pre|code|source|syntaxhighlight|timeline|hiero|gallery|imagemap|ref"
# The prefix of a link that shows nothing in its place. Codes of languages are in small letters.
UNSEEN = re.compile(
    r"\s*(?:(?i:image|file|media|category)\s*:|(?:[a-z]{2,3}|simple|[a-z]{2,3}-[a-z-]+):)"
)


def load_enwik8(corpus: Enwik8Corpus) -> pd.DataFrame:
    """Return `n_texts` pieces of `characters` characters: `id`, the offset of a piece, and `text`.

    The offsets are 0, s, 2s, … for s = length // n_texts: equal distances over the whole, no
    chance. They count characters of the text that is cut: with `cleaned`, the cleaned text (see
    `clean_dump`), else the file as it is, with markup. A piece may begin and end in mid-word.

    A download is kept in .cache/downloads, and fetched again only if its `sha256` differs; without
    a `sha256`, delete the file to fetch it again. If a source prints the number of different
    characters, `printed_characters`, a warning compares.

    Raises:
        InputError: naming the address or file, if it cannot be read, differs from the `sha256`, is
            no whole zip of a single file or no UTF-8, or is too short for `n_texts` pieces.
    """
    whole = _text(corpus)
    text = clean_dump(whole) if corpus.cleaned else whole
    if corpus.printed_characters is not None:
        _compare_characters(corpus, whole, text)
    step = len(text) // corpus.n_texts
    if step < corpus.characters:
        raise InputError(
            f"{corpus.url}: found {counted(len(text), 'character')}"
            f"{' after cleaning' * corpus.cleaned}, too few for {counted(corpus.n_texts, 'text')} "
            f"(n_texts) of {corpus.characters:,} (characters)"
        )
    offsets = range(0, step * corpus.n_texts, step)
    pieces = [text[offset : offset + corpus.characters] for offset in offsets]
    return pd.DataFrame({"id": [str(offset) for offset in offsets], "text": pieces})


def _compare_characters(corpus: Enwik8Corpus, whole: str, text: str) -> None:
    """Tell how many different characters and bytes there are beside how many were printed."""
    logging.getLogger(__name__).warning(
        "%s: found %s%s and %s in the file, printed: %s",
        corpus.url,
        counted(len(set(text)), "different character"),
        " after cleaning" * corpus.cleaned,
        counted(len(set(whole.encode())), "different byte"),
        counted(corpus.printed_characters or 0, "character"),
    )


def clean_dump(dump: str) -> str:
    """The running text of a dump, without code, media, HTML and wiki markup.

    The steps, in this order:

    1. Only the text in <text> of a page stays; redirects are left out. Without any <text>, the
       whole is one page. XML's &lt; &gt; &quot; &amp; become characters.
    2. Comments go; elements of code, formulas, notes and pictures (`CODE`) go with the content; all
       remaining tags go, a <br> leaves a blank.
    3. Templates {{…}} go, nested ones included; then tables {|…|}, likewise.
    4. Links to addresses: [http://… label] becomes the label, bare addresses go.
    5. Links to pages, innermost first: [[page|label]] becomes the label, [[page]] the name; images
       and files with captions, categories and links to other languages go.
    6. HTML's &nbsp; and similar marks become characters; ''' and '', signs of headings, lists,
       indents and rules, and words such as __NOTOC__ go.
    7. Adjacent blanks become one, empty lines too; an empty line stands between pages.

    Unclosed markup stays. Case, digits and punctuation stay.
    """
    # Within XML's <text> there is no other "<". The last page is cut, and has no </text>.
    pages = re.findall(r"<text\b[^<>]*>([^<]*)", dump) or [dump]
    texts = (unescape(page, {"&quot;": '"'}) for page in pages)
    articles = (text for text in texts if not re.match(r"\s*#redirect", text, re.IGNORECASE))
    return "\n\n".join(filter(None, map(_clean_page, articles)))


def _clean_page(text: str) -> str:
    for step in (_without_html, _without_templates, _without_links, _without_signs):
        text = step(text)
    text = re.sub(r"[^\S\n]+", " ", text)
    return re.sub(r" ?\n[ \n]*", lambda gap: "\n" * min(gap[0].count("\n"), 2), text).strip()


def _without_html(text: str) -> str:
    flags = re.DOTALL | re.IGNORECASE
    text = re.sub(r"<!--.*?-->", "", text, flags=flags)
    # First what closes itself: <ref/> must not be taken for the beginning of <ref>…</ref>.
    text = re.sub(r"<(?:br\b[^<>]*|\w[^<>]*/)>", " ", text, flags=flags)
    text = re.sub(rf"<({CODE})\b[^<>]*>.*?</\1\s*>", "", text, flags=flags)
    return re.sub(r"</?[a-z][^<>]*>", "", text, flags=flags)


def _without_templates(text: str) -> str:
    text = _innermost_first(r"\{\{[^{}]*\}\}", "", text)
    return _innermost_first(r"\{\|(?:(?!\{\||\|\}).)*\|\}", "", text)


def _without_links(text: str) -> str:
    text = re.sub(r"\[(?:https?|ftp)://[^\s\[\]]*\s*([^\[\]]*)\]", r"\1", text)
    text = re.sub(r"\b(?:https?|ftp)://[^\s\[\]<>|]+", "", text)
    return _innermost_first(r"\[\[([^\[\]]*)\]\]", _label, text)


def _without_signs(text: str) -> str:
    text = html.unescape(text)
    text = re.sub(r"'{2,5}|__[A-Z]+__", "", text)
    text = re.sub(r"^(=+) *(.*?) *\1 *$", r"\2", text, flags=re.MULTILINE)
    return re.sub(r"^(?:[*#:;]+|-{4,})", "", text, flags=re.MULTILINE)


def _innermost_first(pattern: str, by: str | Callable[[re.Match[str]], str], text: str) -> str:
    """Return `text` with the innermost matches of the pattern replaced, until there are none."""
    n_replaced = 1
    while n_replaced:
        text, n_replaced = re.subn(pattern, by, text, flags=re.DOTALL)
    return text


def _label(link: re.Match[str]) -> str:
    target, _, label = link[1].rpartition("|")
    return "" if UNSEEN.match(target or label) else label.removeprefix(":")


def _text(corpus: Enwik8Corpus) -> str:
    """Return the text at `url`; a download is checked before being kept."""
    url = corpus.url
    if not is_address(url):
        with within("key 'url'"):
            content = read_file_or_address(url)
        return _checked_text(content, corpus)
    # Part of its hash, for other addresses may end in the same name.
    name = Path(urlsplit(url).path).name
    kept = DOWNLOADS / f"{hashlib.sha256(url.encode()).hexdigest()[:12]}-{name}"
    if kept.is_file():
        content = kept.read_bytes()
        if corpus.sha256 in (None, _sha256(content)):
            return _checked_text(content, corpus)
    with within("key 'url'"):
        content = fetch(url)
    text = _checked_text(content, corpus)
    with writing(kept) as partial:
        partial.write_bytes(content)
    return text


def _checked_text(content: bytes, corpus: Enwik8Corpus) -> str:
    if corpus.sha256 not in (None, _sha256(content)):
        raise InputError(
            f"{corpus.url}: key 'sha256': found a file with {_sha256(content)}, "
            f"expected {corpus.sha256}"
        )
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # a zip, or an empty one
        content = _unpacked(content, corpus.url)
    try:
        # Not final: the 10^8th byte may stand in the middle of a character.
        return codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError as error:
        raise InputError(f"{corpus.url}: is not UTF-8: {error}") from None


def _unpacked(content: bytes, url: str) -> bytes:
    """Return the only member of a zip; reading checks the CRC."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [name for name in archive.namelist() if not name.endswith("/")]
            if len(members) == 1:
                return archive.read(members[0])
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise InputError(f"{url}: is no whole zip: {error}") from None
    raise InputError(f"{url}: expected a zip of one file, found {', '.join(members) or 'none'}")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
