"""The texts that embspace wrote are natural prose: many, of many subjects, none like another."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from itertools import groupby
from pathlib import Path
from statistics import mean

import pytest

from embspace.prepare.sentences import split_sentences

DOMAINS = {"science", "places", "trades", "history", "nature", "technology"}


@pytest.fixture(scope="module")
def articles(root: Path) -> list[dict[str, str]]:
    return read(root / "data/texts/articles.jsonl")


@pytest.fixture(scope="module")
def posts(root: Path) -> list[dict[str, str]]:
    return read(root / "data/texts/posts.jsonl")


@pytest.fixture(scope="module")
def reviews(root: Path) -> list[dict[str, str]]:
    return read(root / "data/texts/reviews.jsonl")


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def six_words(text: str) -> set[Hashable]:
    spoken = words(text)
    return {tuple(spoken[i : i + 6]) for i in range(len(spoken) - 5)}


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


def test_reviews_are_many_and_short(reviews):
    assert len(reviews) >= 400
    assert all(12 <= len(words(review["text"])) <= 45 for review in reviews)
    assert {review["domain"] for review in reviews} == {"reviews"}


def test_half_of_the_reviews_are_positive_and_of_each_subject_too(reviews):
    labels = Counter(review["label"] for review in reviews)
    assert labels == {"positive": len(reviews) / 2, "negative": len(reviews) / 2}
    subjects = Counter((review["subject"], review["label"]) for review in reviews)
    names = {review["subject"] for review in reviews}
    assert len(names) >= 20
    for name in names:
        assert min(subjects[name, label] for label in labels) >= 8
        assert abs(subjects[name, "positive"] - subjects[name, "negative"]) <= 1


def test_positive_and_negative_reviews_are_about_as_long(reviews):
    lengths = defaultdict(list)
    for review in reviews:
        lengths[review["label"]].append(len(words(review["text"])))
    assert mean(lengths["positive"]) == pytest.approx(mean(lengths["negative"]), abs=1)


def test_reviews_come_in_no_order(reviews):
    for key in ("subject", "label"):
        longest = max(len(list(run)) for _, run in groupby(review[key] for review in reviews))
        assert longest <= 12


def test_each_has_a_name_of_its_own_and_a_license(articles, posts, reviews):
    texts = [*articles, *posts, *reviews]
    assert len({text["id"] for text in texts}) == len(texts)
    for text in texts:
        labels = ["label"] if text["domain"] == "reviews" else []
        assert list(text) == ["id", "domain", "subject", *labels, "text", "license"]
        assert text["license"] == "CC0-1.0"


def test_no_two_texts_share_six_words_in_a_row_or_their_first_four(articles, posts, reviews):
    assert shared([*articles, *posts, *reviews], six_words) == []
    assert shared([*articles, *posts, *reviews], first_words) == []


def test_a_shared_sequence_would_be_found():
    texts = [{"id": "a", "text": "One two three four five six."}, {"id": "b", "text": "x"}]
    texts.append({"id": "c", "text": "Zero one, two three four five six seven"})
    assert shared(texts, six_words) == [
        (("one", "two", "three", "four", "five", "six"), ["a", "c"])
    ]
    assert shared([texts[0], texts[0]], first_words)
