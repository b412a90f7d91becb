"""The texts that embspace wrote are natural prose: many, of many subjects, none like another."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

import pytest

from embspace.prepare.sentences import split_sentences

DOMAINS = {"science", "places", "trades", "history", "nature", "technology"}


@pytest.fixture(scope="module")
def articles(root: Path) -> list[dict[str, str]]:
    return read(root / "data/texts/articles.jsonl")


@pytest.fixture(scope="module")
def posts(root: Path) -> list[dict[str, str]]:
    return read(root / "data/texts/posts.jsonl")


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def six_words(text: str) -> set[Hashable]:
    found = words(text)
    return {tuple(found[i : i + 6]) for i in range(len(found) - 5)}


def first_words(text: str) -> set[Hashable]:
    return {tuple(words(text)[:4])}


def shared(texts: Iterable[dict[str, str]], parts: Callable[[str], set[Hashable]]) -> list[object]:
    """What two texts have in common."""
    holders = defaultdict(list)
    for text in texts:
        for part in parts(text["text"]):
            holders[part].append(text["id"])
    return [(part, ids) for part, ids in holders.items() if len(ids) > 1]


def test_articles_are_many_and_their_sentences_more(articles):
    assert len(articles) >= 200
    assert sum(len(split_sentences(article["text"])) for article in articles) >= 2000


def test_articles_are_of_all_domains_and_several_a_subject(articles):
    assert {article["domain"] for article in articles} == DOMAINS
    subjects = Counter((article["domain"], article["subject"]) for article in articles)
    assert min(subjects.values()) >= 3
    assert len(subjects) >= 40


def test_posts_are_many_short_and_of_many_moods(posts):
    assert len(posts) >= 800
    assert all(5 <= len(words(post["text"])) <= 30 for post in posts)
    assert {post["domain"] for post in posts} == {"posts"}
    moods = Counter(post["subject"] for post in posts)
    assert len(moods) >= 10
    assert min(moods.values()) >= 20


def test_each_has_a_name_of_its_own_and_a_licence(articles, posts):
    both = [*articles, *posts]
    assert len({text["id"] for text in both}) == len(both)
    for text in both:
        assert list(text) == ["id", "domain", "subject", "text", "licence"]
        assert text["licence"] == "CC0-1.0"


def test_no_two_texts_share_six_words_in_a_row_or_their_first_four(articles, posts):
    assert shared([*articles, *posts], six_words) == []
    assert shared([*articles, *posts], first_words) == []


def test_a_shared_sequence_would_be_found():
    texts = [{"id": "a", "text": "One two three four five six."}, {"id": "b", "text": "x"}]
    texts.append({"id": "c", "text": "Zero one, two three four five six seven"})
    assert shared(texts, six_words) == [
        (("one", "two", "three", "four", "five", "six"), ["a", "c"])
    ]
    assert shared([texts[0], texts[0]], first_words)
