import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.prepare.sources.wikipedia import load_wikipedia, plain_text
from embspace.settings.corpus import WikipediaCorpus
from tests.loopback import Answer, Request, Server, closed_address, serving

PAUSE = 0.1
# Made up, with the elements and classes that MediaWiki writes.
SALT = """<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">
<div role="note" class="hatnote"><p>Not the film.</p></div>
<style data-mw-deduplicate="x">.infobox{border:0}</style>
<table class="infobox"><tbody><tr><td><p>NaCl</p><table><tr><td>x</td></tr></table></td></tr>
</tbody></table>
<figure typeof="mw:File/Thumb"><img src="a.png"><figcaption><p>A heap</p></figcaption></figure>
<p class="mw-empty-elt">
</p>
<p><b>Salt</b> is a&#160;mineral,<sup id="r1" class="reference"><a href="#n1">&#91;1&#93;</a></sup>
mined &amp; boiled.<br />It <i>dissolves</i><span class="noprint"> (when?)</span>.</p>
<div class="mw-heading mw-heading2"><h2 id="Use">Use</h2><span class="mw-editsection">[<a>edit</a>]
</span></div>
<ul><li>in soup</li></ul>
<blockquote><p>Pass the 5 &lt; 6 salts: <span class="mwe-math-element"><math><mi>x</mi></math>
<img src="x"></span>now.</p></blockquote>
<ol class="references"><li><span class="mw-cite-backlink">^</span><p>A book</p></li></ol>
<div class="navbox" role="navigation"><p>Minerals</p></div>
</div>"""
SALT_TEXT = "Salt is a mineral, mined & boiled. It dissolves.\n\nPass the 5 < 6 salts: now."
PAGES = {
    "101": ("Salt", SALT),
    "102": ("Salt", "<p>Salt, later.</p>"),
    "201": ("Carbon dioxide", "<p>A gas.</p>"),
    "301": ("Salz", '<div class="redirectMsg"><p>Redirect to:</p></div>'),
}


def error(code: str, info: str = "") -> Answer:
    return Answer(json.dumps({"error": {"code": code, "info": info}}).encode())


def media_wiki(request: Request) -> Answer:
    """As api.php answers: always with status 200."""
    query = request.query
    latest = {title: revision for revision, (title, _) in PAGES.items()}
    revision = query.get("oldid") or latest.get(query["page"], "")
    if revision not in PAGES:
        if "oldid" in query:
            return error("nosuchrevid", f"There is no revision with ID {revision}.")
        return error("missingtitle", "The page you specified doesn't exist.")
    title, html = PAGES[revision]
    parse = {"title": title, "pageid": 1, "revid": int(revision), "text": html}
    return Answer(json.dumps({"parse": parse}).encode())


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(media_wiki) as server:
        yield server


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("embspace.prepare.sources.media_wiki.LAG_SECONDS", PAUSE)


def corpus(address: str, pages: str, **given: object) -> WikipediaCorpus:
    """A corpus of the pages in the lines of a CSV file."""
    Path("pages.csv").write_text(pages, encoding="utf-8")
    return WikipediaCorpus(
        label="articles",
        license="CC-BY-SA-4.0",
        language="English",
        source="wikipedia",
        api=f"{address}/w/api.php",
        pages="pages.csv",
        seconds_between_requests=PAUSE,
        **given,
    )


def test_each_page_comes_at_its_revision(server: Server):
    table = load_wikipedia(corpus(server.address, "title,revision\nSalt,101\ncarbon_dioxide,201\n"))
    assert table.to_dict(orient="records") == [
        {"id": "Salt", "text": SALT_TEXT, "subject": ""},
        {"id": "carbon_dioxide", "text": "A gas.", "subject": ""},
    ]


def test_without_a_revision_the_latest_comes_and_a_warning_names_it(server: Server, caplog):
    table = load_wikipedia(corpus(server.address, "title,revision\nSalt,\n"))
    assert table["text"].tolist() == ["Salt, later."]
    assert "page 'Salt': took revision 102, the latest of 'Salt'" in caplog.text


def test_it_asks_as_media_wiki_wants_to_be_asked(server: Server):
    load_wikipedia(corpus(server.address, "title,revision\nSalt,101\n", contact="me@example.org"))
    (request,) = server.requests
    assert request.path == "/w/api.php"
    assert request.query["maxlag"] == "5"
    assert request.query["oldid"] == "101"
    assert request.headers["user-agent"] == "embspace/0.1 (me@example.org)"


def test_one_page_at_a_time_with_a_rest_in_between(server: Server):
    pages = "title,revision\nSalt,101\nCarbon dioxide,201\n"
    load_wikipedia(corpus(server.address, pages))
    times = [request.time for request in server.requests]
    assert len(times) == 2
    assert all(after - before >= PAUSE for before, after in pairwise(times))


def busy_once(answer: Answer) -> Callable[[Request], Answer]:
    waiting = iter([answer])
    return lambda request: next(waiting, None) or media_wiki(request)


@pytest.mark.parametrize("answer", [Answer(status=503), error("maxlag", "5.2 seconds lagged")])
def test_a_busy_server_is_asked_again_later(answer: Answer):
    with serving(busy_once(answer)) as server:
        table = load_wikipedia(corpus(server.address, "title,revision\nSalt,101\n"))
    assert table["text"].tolist() == [SALT_TEXT]
    first, second = (request.time for request in server.requests)
    assert second - first >= PAUSE


def test_a_server_that_lags_for_long_is_given_up():
    with (
        serving(lambda request: error("maxlag", "Waiting for db1: 9 seconds lagged")) as server,
        pytest.raises(InputError, match="page 'Salt', .*9 seconds lagged .maxlag."),
    ):
        load_wikipedia(corpus(server.address, "title,revision\nSalt,101\n"))
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Pepper,", r"api\.php, page 'Pepper', revision \(latest\): The page you .*missingtitle"),
        ("Salt,999", "page 'Salt', revision 999: There is no revision with ID 999"),
        ("Salt,201", "page 'Salt', revision 201: this revision is of the page 'Carbon dioxide'"),
        ("Salz,301", "page 'Salz', revision 301: holds no paragraph; is it a redirect"),
    ],
)
def test_a_page_that_cannot_be_had_is_named(server: Server, row: str, message: str):
    with pytest.raises(InputError, match=message):
        load_wikipedia(corpus(server.address, f"title,revision\nCarbon dioxide,201\n{row}\n"))


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ("title\nSalt\n", r"pages\.csv: no column 'revision'; expected the columns title and rev"),
        ("page,revision\nSalt,101\n", r"pages\.csv, line 2: no column 'title'"),
        ("title,revision\nSalt,101\nSalt,102\n", "line 3: the id 'Salt' is that of line 2"),
        ("title,revision\nSalt,today\n", "page 'Salt': column 'revision': found 'today', allowed"),
        ("title,revision\n", "holds no text"),
    ],
)
def test_a_bad_file_of_pages_is_named_before_anything_is_asked(
    server: Server, pages: str, message: str
):
    with pytest.raises(InputError, match=message):
        load_wikipedia(corpus(server.address, pages))
    assert not server.requests


def test_a_missing_file_of_pages_is_named_with_what_to_write(server: Server):
    missing = corpus(server.address, "").model_copy(update={"pages": "none.csv"})
    with pytest.raises(
        InputError, match=r"none\.csv: not found; write it: a CSV file with the col"
    ):
        load_wikipedia(missing)


def test_an_address_that_is_no_api_is_named():
    with (
        serving(lambda request: Answer(b"<html></html>")) as server,
        pytest.raises(InputError, match=r"api\.php: answers with no JSON; expected the address of"),
    ):
        load_wikipedia(corpus(server.address, "title,revision\nSalt,101\n"))


def test_an_api_out_of_reach_is_named_with_the_way_without_a_network():
    with pytest.raises(
        InputError, match="oldid=101.* cannot be read: .*refused; without a network, run"
    ):
        load_wikipedia(corpus(closed_address(), "title,revision\nSalt,101\n"))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("<ul><li>a</li></ul>b", ""),
        ("<p>a <b>b</b>c</p><p>d</p>", "a bc\n\nd"),
        ("<p>a<sup>2</sup> &eacute; &#8211;</p>", "a2 é –"),
        ("<table><tr><td><p>x<table><td><p>y</table><p>z</table><p>a</p>", "a"),
        ("<div class='thumb'><div><img src=x></div><p>x</p></div><p>a</p>", "a"),
        ("<p>a<span class='noprint'>x<br>y<span>z</span></span> b</p>", "a b"),
    ],
)
def test_plain_text_is_what_stands_in_paragraphs(html: str, text: str):
    assert plain_text(html) == text
