import json
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.prepare.sources.wikipedia_sample import (
    BATCH,
    COLUMNS,
    draw_pages,
    drawn_ids,
    find_largest_id,
)
from tests.loopback import Answer, Request, Server, closed_address, serving
from tests.wikipedia_server import ARTICLES, LARGEST, corpus, title, wikipedia


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(wikipedia) as server:
        yield server


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def without_rest(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that it would have rested."""
    rested: list[float] = []
    monkeypatch.setattr("embspace.prepare.sources.wikipedia_sample.time.sleep", rested.append)
    return rested


def drawn_table(
    server: Server, n_pages: int, seed: int = 0, begun: Path = Path("nothing.csv")
) -> pd.DataFrame:
    return draw_pages(
        corpus(server.address), n_pages=n_pages, seed=seed, largest_id=LARGEST, begun=begun
    )


def drawn(server: Server, n_pages: int, seed: int = 0) -> list[int]:
    table = drawn_table(server, n_pages, seed)
    assert list(table) == COLUMNS
    return table["page_id"].tolist()


def test_all_articles_of_a_small_wiki_are_drawn_and_nothing_else(server: Server):
    assert sorted(drawn(server, len(ARTICLES))) == ARTICLES


def test_titles_and_revisions_are_those_of_the_pages(server: Server):
    table = drawn_table(server, 5)
    for row in table.itertuples():
        assert (row.title, row.revision) == (title(row.page_id), 1000 + row.page_id)


@pytest.mark.parametrize("code", ["missingtitle", "nosuchrevid"])
def test_a_page_that_is_deleted_meanwhile_gives_its_place_to_the_next(code: str):
    gone = ARTICLES[0]

    def answer(request: Request) -> Answer:
        if request.query.get("oldid") == str(1000 + gone):
            error = {"error": {"code": code, "info": "it is gone"}}
            return Answer(json.dumps(error).encode())
        return wikipedia(request)

    with serving(answer) as server:
        assert sorted(drawn(server, len(ARTICLES) - 1)) == ARTICLES[1:]


def test_the_seed_decides_and_a_larger_sample_begins_with_a_smaller_one(server: Server):
    assert drawn(server, 4) == drawn(server, 9)[:4]
    assert drawn(server, 9, seed=1) != drawn(server, 9)


def test_each_article_is_as_likely_as_the_others(server: Server):
    counts = Counter(
        next(number for ids in drawn_ids(LARGEST, seed) for number in ids if number in ARTICLES)
        for seed in range(2000)
    )
    # 50 of each are expected; by chance one of 40 lies beyond five deviations once in 40,000 runs.
    assert set(counts) == set(ARTICLES)
    assert max(abs(count - 50) for count in counts.values()) < 5 * 50**0.5


def test_every_id_comes_once():
    ids = [number for some in drawn_ids(333, 0) for number in some]
    assert sorted(ids) == list(range(1, 334))
    assert ids != sorted(ids)


def test_more_articles_than_there_are_cannot_be_drawn(server: Server):
    with pytest.raises(
        InputError, match=r"api\.php: found 40 articles among all page ids up to 200, allowed: "
    ):
        drawn(server, 41)


def test_the_newest_page_has_the_largest_id(server: Server):
    assert find_largest_id(corpus(server.address)) == LARGEST
    (request,) = server.requests
    assert (request.query["rctype"], request.query["maxlag"]) == ("new", "5")
    assert request.headers["user-agent"] == "embspace/0.1 (me@example.org)"


def test_it_asks_for_many_ids_at_once_and_rests_before_each_request(
    server: Server, without_rest: list[float]
):
    drawn(server, 3)
    queries = [request.query for request in server.requests]
    ids = [query["pageids"].split("|") for query in queries if "pageids" in query]
    assert all(len(batch) <= BATCH for batch in ids)
    assert without_rest == [1.0] * len(queries)
    assert len(ids) < len(queries)
    times = [request.time for request in server.requests]
    assert all(before <= after for before, after in pairwise(times))


def answering(content: object) -> AbstractContextManager[Server]:
    return serving(lambda request: Answer(json.dumps(content).encode()))


def test_a_wiki_without_a_new_page_says_what_to_give():
    with (
        answering({"query": {"recentchanges": []}}) as server,
        pytest.raises(InputError, match=r"api\.php: names no page .* give the largest page id"),
    ):
        find_largest_id(corpus(server.address))


def test_an_error_of_the_api_is_shown():
    error = {"error": {"code": "readapidenied", "info": "You need read permission."}}
    with (
        answering(error) as server,
        pytest.raises(InputError, match=r"api\.php: You need read permission\. \(readapidenied\)"),
    ):
        drawn(server, 1)


def test_an_address_out_of_reach_is_named():
    with pytest.raises(InputError, match="without a network, no page can be drawn"):
        find_largest_id(corpus(closed_address()))


def test_a_page_that_the_api_leaves_out_is_no_article():
    def forgetful(request: Request) -> Answer:
        answer = wikipedia(request)
        content = json.loads(answer.body)
        if pages := content.get("query", {}).get("pages"):
            kept = [page for page in pages if page["pageid"] != ARTICLES[0]]
            content["query"]["pages"] = kept
        return Answer(json.dumps(content).encode())

    with serving(forgetful) as server:
        assert sorted(drawn(server, len(ARTICLES) - 1)) == ARTICLES[1:]


@pytest.mark.parametrize("n_before", [1, 5, 9])
def test_a_draw_that_fails_late_goes_on_where_it_was(server: Server, n_before: int):
    whole, begun = drawn_table(server, 10), Path("begun.csv")

    def failing(request: Request) -> Answer:
        if request.query.get("oldid") == str(whole["revision"].iloc[n_before]):
            return Answer(b"[]")
        return wikipedia(request)

    with serving(failing) as broken, pytest.raises(InputError):
        drawn_table(broken, 10, begun=begun)
    n_asked = len(server.requests)
    pd.testing.assert_frame_equal(drawn_table(server, 10, begun=begun), whole, check_dtype=False)
    read = {request.query.get("oldid") for request in server.requests[n_asked:]}
    assert read.isdisjoint(map(str, whole["revision"][:n_before]))
    assert not begun.exists()


@pytest.mark.parametrize(
    "content",
    [
        {"query": []},
        {"query": {"pages": 7}},
        {"query": {"pages": [{"pageid": "x"}]}},
        {"query": {"pages": [{"pageid": number} for number in range(1, 201)]}},
        {"error": []},
    ],
)
def test_json_that_is_no_answer_of_a_mediawiki_is_named(content: object):
    with answering(content) as server, pytest.raises(InputError, match=r"api\.php: "):
        drawn(server, 1)


@pytest.mark.parametrize("changes", [[{}], {"a": 1}, [{"pageid": "x"}]])
def test_a_newest_page_without_an_id_is_named(changes: object):
    with (
        answering({"query": {"recentchanges": changes}}) as server,
        pytest.raises(InputError, match=r"api\.php: answers with JSON that is no MediaWiki's"),
    ):
        find_largest_id(corpus(server.address))
