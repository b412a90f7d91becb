"""The explorer on maps of texts: places have the words that are typical of them."""

from importlib.resources import files
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.app.explorer.fragment_of import explorer_of
from tests.app.explorer.text_trees import N_OF_TOPIC, SHARED, TOPICS, write_text_tree
from tests.app.explorer.trees import HOSTILE, page_with

WORDS = ["bread", "salt", "sea", "tide", "walk"]
COUNTS = np.array(
    [[2, 1, 0, 0, 1], [1, 0, 0, 0, 1], [0, 1, 3, 1, 2], [0, 0, 1, 2, 1], [1, 1, 1, 1, 9]]
)


@pytest.fixture
def opened(page: Any, tmp_path: Path) -> Any:
    """The page of texts of two topics, as far as the map is drawn."""
    fragment = explorer_of(write_text_tree(tmp_path), "tiny")
    assert fragment is not None
    file = tmp_path / "page.html"
    file.write_text(page_with(fragment), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_selector("#explorer[data-ready]")
    return page


def test_each_place_is_named_by_the_planted_words_of_its_topic(opened: Any):
    said = opened.locator('[data-ex="overlay"]').get_attribute("aria-description")
    said = said.replace("\u2068", "").replace("\u2069", "")
    assert said.startswith("Dense places: ")
    places = said.removeprefix("Dense places: ").split("; ")
    assert sorted(sorted(place.split(", ")) for place in places) == sorted(
        sorted(words) for words in TOPICS.values()
    )
    assert SHARED not in said


def test_a_text_of_a_hostile_name_shows_its_neighbors_as_text(opened: Any):
    opened.locator('[data-ex="search"]').fill(HOSTILE[0])
    opened.locator('[data-ex="found"] button').first.click()
    neighbors = opened.locator('[data-ex="neighbors"]')
    assert HOSTILE[0] in neighbors.locator("p").first.text_content()
    assert "by cosine about the mean" in neighbors.locator("b").first.text_content()
    assert neighbors.locator("ul").first.locator("button").count() == 6
    assert opened.title() == "explorer"


def test_a_selection_says_its_typical_words(opened: Any):
    opened.locator('[data-ex="lasso"]').click()
    opened.locator('[data-ex="stage"]').scroll_into_view_if_needed()
    box = opened.locator('[data-ex="overlay"]').bounding_box()
    # The sea is below and to the left of the middle.
    left, middle = box["x"] + 2, box["x"] + box["width"] / 2
    bottom, center = box["y"] + box["height"] - 2, box["y"] + box["height"] / 2
    corners = [(middle, center), (left, center), (left, bottom), (middle, bottom)]
    opened.mouse.move(*corners[0])
    opened.mouse.down()
    for corner in corners[1:]:
        opened.mouse.move(*corner, steps=4)
    opened.mouse.up()
    selected = opened.locator('[data-ex="selected-part"]').inner_text()
    assert f"{N_OF_TOPIC} selected" in selected
    words = selected.partition("typical words: ")[2].partition("\n")[0].split(", ")
    assert sorted(words[:3]) == sorted(TOPICS["sea"])


def test_typical_words_are_those_of_the_equation(page: Any):
    groups, most = [[0, 1], [2]], 3
    classes = [*groups, [3, 4]]  # the other texts are a class, too
    mean = COUNTS.sum() / len(classes)
    expected = []
    for group in groups:
        score = [
            COUNTS[group, word].sum() * log(1 + mean / COUNTS[:, word].sum())
            for word in range(len(WORDS))
        ]
        best = sorted(range(len(WORDS)), key=lambda word: (-score[word], word))
        expected.append([WORDS[word] for word in best if COUNTS[group, word].sum()][:most])
    script = files("embspace.app.explorer").joinpath("words.js").read_text()
    n_words = [int((row > 0).sum()) for row in COUNTS]
    start = [0, *np.cumsum(n_words).tolist()]
    words = {
        "list": WORDS,
        "start": start,
        "numbers": [int(word) for row in COUNTS for word in np.flatnonzero(row)],
        "counts": [int(count) for row in COUNTS for count in row[row > 0]],
    }
    page.goto("about:blank")
    call = f"([words, groups, most]) => {{ {script}; return typicalWords(words, groups, most); }}"
    assert page.evaluate(call, [words, groups, most]) == expected
