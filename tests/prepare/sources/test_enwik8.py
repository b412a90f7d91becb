import hashlib
import io
import random
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from embspace.errors import InputError
from embspace.prepare.sources.enwik8 import DOWNLOADS, clean_dump, load_enwik8
from embspace.settings.corpus import Enwik8Corpus
from tests.loopback import Answer, closed_address, serving

# Fifty words that each stand once, so that a piece tells where it was cut.
TEXT = " ".join(f"word{number:02d}" for number in range(50))


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def corpus(url: str, *, n_texts: int = 5, characters: int = 10, **given: object) -> Enwik8Corpus:
    return Enwik8Corpus(
        label="enwik8",
        license="GFDL-1.2-or-later",
        language="English",
        source="enwik8",
        url=url,
        n_texts=n_texts,
        characters=characters,
        **{"cleaned": False, **given},
    )


def zipped(**members: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def damaged(content: bytes) -> bytes:
    """With other bytes amid those of the member, which begin after 30 + 6 bytes of header."""
    return content[:60] + bytes(10) + content[70:]


def dump(*pages: str) -> str:
    """Pages as the dump holds them; the last is cut, as the 10^8th byte cuts it."""
    elements = (
        f'  <page>\n    <title>T</title>\n    <text xml:space="preserve">{escape(page)}</text>\n'
        for page in pages
    )
    return f'<mediawiki xml:lang="en">\n{"".join(elements).removesuffix("</text>" + chr(10))}'


# What is cut.


def test_pieces_lie_at_equal_distances_and_are_named_by_their_offset():
    Path("enwik8").write_text(TEXT)
    table = load_enwik8(corpus("enwik8", n_texts=4))
    step = len(TEXT) // 4
    assert table["id"].tolist() == [str(step * number) for number in range(4)]
    assert table["text"].tolist() == [TEXT[step * n : step * n + 10] for n in range(4)]


def test_pieces_may_touch_and_then_are_the_whole():
    Path("enwik8").write_text(TEXT)
    table = load_enwik8(corpus("enwik8", n_texts=len(TEXT), characters=1))
    assert "".join(table["text"]) == TEXT


def test_a_text_too_short_for_so_many_pieces_is_refused():
    Path("enwik8").write_text("x" * 99)
    assert len(load_enwik8(corpus("enwik8", n_texts=9, characters=11))) == 9
    with pytest.raises(InputError, match="found 99 characters, too few for 10 texts .* of 10 "):
        load_enwik8(corpus("enwik8", n_texts=10))


def test_a_piece_is_cut_after_cleaning():
    Path("enwik8").write_text(dump("'''" + "<br>" * 100 + "abcdefghij'''"))
    assert load_enwik8(corpus("enwik8", n_texts=1, cleaned=True))["text"].tolist() == ["abcdefghij"]
    assert load_enwik8(corpus("enwik8", n_texts=1))["text"].tolist() == ["<mediawiki"]
    with pytest.raises(InputError, match="10 characters after cleaning, too few"):
        load_enwik8(corpus("enwik8", n_texts=1, characters=11, cleaned=True))


@pytest.mark.parametrize(
    ("cleaned", "said"),
    [
        # b, é; of the file also < / > e t x, and two bytes of é.
        (True, "2 different characters after cleaning and 9 different bytes in the file"),
        (False, "8 different characters and 9 different bytes in the file"),
    ],
)
def test_characters_are_counted_beside_those_that_a_source_prints(
    caplog: pytest.LogCaptureFixture, cleaned: bool, said: str
):
    Path("enwik8").write_text("<text>bébé</text>")
    load_enwik8(corpus("enwik8", n_texts=1, characters=4, cleaned=cleaned))
    assert not caplog.messages
    load_enwik8(corpus("enwik8", n_texts=1, characters=4, cleaned=cleaned, printed_characters=205))
    assert caplog.messages == [f"enwik8: found {said}, printed: 205 characters"]


def test_a_last_character_that_is_cut_in_two_is_left_out_and_one_in_the_middle_refused():
    Path("enwik8").write_bytes("aä".encode()[:-1])
    text = load_enwik8(corpus("enwik8", n_texts=1, characters=1))["text"]
    assert text.tolist() == ["a"]
    Path("enwik8").write_bytes("aä".encode()[:-1] + b"b")
    with pytest.raises(InputError, match="enwik8: is not UTF-8: .* position 1"):
        load_enwik8(corpus("enwik8", n_texts=1, characters=1))


# Where it comes from.


@pytest.mark.parametrize("content", [TEXT.encode(), zipped(enwik8=TEXT)], ids=["plain", "zip"])
def test_a_file_is_read_plain_or_zipped_from_disk_or_network(content: bytes):
    Path("file").write_bytes(content)
    expected = load_enwik8(corpus("file"))["text"].tolist()
    assert expected[0] == TEXT[:10]
    with serving(lambda request: Answer(content)) as server:
        assert load_enwik8(corpus(f"{server.address}/file"))["text"].tolist() == expected


def test_a_download_is_kept_and_asked_for_once():
    with serving(lambda request: Answer(zipped(enwik8=TEXT))) as server:
        first = load_enwik8(corpus(f"{server.address}/enwik8.zip"))
        second = load_enwik8(corpus(f"{server.address}/enwik8.zip"))
        assert len(server.requests) == 1
        load_enwik8(corpus(f"{server.address}/other/enwik8.zip"))
        assert len(server.requests) == 2
    assert first.equals(second)
    assert len(list(DOWNLOADS.glob("*-enwik8.zip"))) == 2


def test_a_kept_download_of_another_sha256_is_fetched_again():
    contents = iter([b"an older file of this name", TEXT.encode()])
    with serving(lambda request: Answer(next(contents))) as server:
        load_enwik8(corpus(f"{server.address}/enwik8", n_texts=1))
        sha256 = hashlib.sha256(TEXT.encode()).hexdigest()
        table = load_enwik8(corpus(f"{server.address}/enwik8", n_texts=1, sha256=sha256))
    assert table["text"].tolist() == [TEXT[:10]]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(zipped(enwik8=TEXT), cut=100), "IncompleteRead"),
        (Answer(zipped(enwik8=TEXT)[:-30]), "is no whole zip"),
        (Answer(damaged(zipped(enwik8=TEXT))), "is no whole zip"),
        (Answer(zipped(a=TEXT, b="x")), "expected a zip of one file, found a, b"),
        (Answer(zipped()), "expected a zip of one file, found none"),
        (Answer(status=404), "404 Not Found; without a network, download it elsewhere"),
    ],
    ids=["cut", "cut unnoticed", "damaged", "two members", "no member", "not there"],
)
def test_what_is_no_whole_file_is_refused_and_not_kept(answer: Answer, message: str, monkeypatch):
    monkeypatch.setattr("embspace.files.remote.time.sleep", lambda seconds: None)
    with serving(lambda request: answer) as server, pytest.raises(InputError, match=message):
        load_enwik8(corpus(f"{server.address}/enwik8.zip"))
    assert not list(DOWNLOADS.glob("*"))


@pytest.mark.parametrize("by_network", [True, False])
def test_a_wrong_sha256_is_named_with_the_one_found(by_network: bool):
    Path("enwik8").write_text(TEXT)
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    message = f"key 'sha256': found a file with {digest}, expected {'0' * 64}"
    with serving(lambda request: Answer(TEXT.encode())) as server:
        url = f"{server.address}/enwik8" if by_network else "enwik8"
        with pytest.raises(InputError, match=message):
            load_enwik8(corpus(url, sha256="0" * 64))
        assert len(load_enwik8(corpus(url, sha256=digest))) == 5


def test_an_address_out_of_reach_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("embspace.files.remote.time.sleep", lambda seconds: None)
    with pytest.raises(InputError, match="refused; without a network, download it elsewhere and"):
        load_enwik8(corpus(closed_address()))


def test_a_missing_file_is_named():
    with pytest.raises(InputError, match="none: cannot be read: No such file"):
        load_enwik8(corpus("none"))


# The steps of cleaning, by their numbers in the docstring.


def test_only_what_stands_in_pages_is_text_and_no_redirect():
    pages = ["A & <i>B</i>", "#REDIRECT [[A]]", "#redirect[[B]]", "", "last"]
    assert clean_dump(dump(*pages)) == "A & B\n\nlast"
    assert clean_dump('<text xml:space="preserve" /><text>A</text>') == "A"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        # 1: a text without <text> is one page, whose XML is undone.
        ("1 &lt; 2 &amp;amp; 3", "1 < 2 & 3"),
        # 2
        ("a<!-- b\n[[c]] -->d", "ad"),
        ("a<math>x^2</math> b<ref name=x>[http://c]</ref> c", "a b c"),
        ('a<ref name="x"/> b<ref>c</ref> d', "a b d"),
        ("a<PRE\nclass=x>\n{{b\n</pre>c", "ac"),
        ("<div align=right>a <b>b</b></div>c<br>d<br />e", "a bc d e"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        # 3
        ("a{{b|c={{d|[[e]]}}|f}} g", "a g"),
        ("a\n{| class=x\n| b || c\n|-\n| {| d |} e\n|}\nf", "a\n\nf"),
        ("{| {{b|}} c |}d", "d"),
        # 4
        ("[http://a.org/b?c=d the label], https://e.org f", "the label, f"),
        ("[http://a.org]", ""),
        # 5
        ("[[a]]s, [[b (c)|d]] and [[:Category:e]]", "as, d and Category:e"),
        ("[[Image:a.png|thumb|[[b]] by [http://c d] [[e|f]]]]g", "g"),
        ("[[file:a.ogg]][[Media:b.ogg|b]] [[Category:c|d]]e", "e"),
        ("a\n[[de:b]]\n[[zh-min-nan:c]]\n[[simple:d]]", "a"),
        ("[[UN: a history]] [[Star Trek: b|c]]", "UN: a history c"),
        # 6
        ("'''a''' is ''b''; c's", "a is b; c's"),
        ("== a ==\nb\n===c===\nd = e", "a\nb\nc\nd = e"),
        ("* a\n*# b\n: c\n----\nd - e", "a\nb\nc\n\nd - e"),
        ("__NOTOC__a&amp;nbsp;b &amp;mdash; c &amp;lt;br&amp;gt;", "a b — c <br>"),
        # 7
        ("a  b\t c \n\n \n\n d", "a b c\n\nd"),
        # Never closed.
        ("a {{b [[c", "a {{b [[c"),
        # What stays.
        ("Ä B, 1,234.5 (c)!", "Ä B, 1,234.5 (c)!"),
    ],
)
def test_each_step_of_cleaning(markup: str, text: str):
    assert clean_dump(markup) == text


def test_cleaning_ends_whatever_is_opened_and_closed():
    parts = ["{{", "}}", "[[", "]]", "{|", "|}", "<ref>", "</ref>", "|", "'''", "a ", "\n", "=="]
    chance = random.Random(0)
    for _ in range(300):
        assert "'''" not in clean_dump("".join(chance.choices(parts, k=40)))
