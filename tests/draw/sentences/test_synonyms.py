import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.synonym_tables import BAG
from embspace.draw.sentences.synonyms import COLORS, draw_synonyms
from embspace.measure.sentences.synonyms import SYNONYMS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

GROUPS = ["ferry", "soup", "random_words"]
ROWS = [(pooling, layer) for pooling in ("cls", "mean", "max") for layer in range(3)]
ROWS.append(("bag_of_words", 0))


def draw(results: dict[str, Any]):
    settings = settings_of(draw_synonyms)
    return draw_synonyms(as_drawn(SYNONYMS, results), "a model of a long name", **settings)


def table(name: str, **keys: list[Any]) -> pd.DataFrame:
    """Rows for each combination of keys, pooling and layer; numbers that tell where they stand."""
    index = pd.MultiIndex.from_product(keys.values(), names=keys.keys()).to_frame(index=False)
    rows = index.merge(pd.DataFrame(ROWS, columns=["pooling", "layer"]), how="cross")
    columns = [*SYNONYMS.tables[name].columns]
    for number, column in enumerate(column for column in columns if column not in rows):
        rows[column] = np.linspace(0, 0.9, len(rows)) + number / 1000
    return rows[columns]


def results() -> dict[str, Any]:
    groups = table("groups", sentences=["groups", "groups_and_random", "meanings"])
    contrasts = table("contrasts", kind=["paraphrase", "negation", "swapped_roles", "unrelated"])
    slots = table("slots", group=["ferry", "all"], n_changed=[0, 1, 2])
    views = [(s, p) for p in ("cls", "mean") for s in ("groups", "groups_and_random")]
    places = pd.DataFrame(
        [
            (sentences, pooling, f"{group}_{number}", group, number, 2.0 * which)
            for sentences, pooling in views
            for which, group in enumerate(GROUPS[: 2 + (sentences == "groups_and_random")])
            for number in range(4)
        ],
        columns=[*SYNONYMS.tables["map"].columns],
    )
    return {
        "groups": groups.assign(n=111, n_groups=24),
        "group_pairs": table("group_pairs", group_1=["a"], group_2=["a", "b"]),
        "slots": slots.assign(n_pairs=12),
        "contrasts": contrasts.assign(n_pairs=16),
        "map": places,
        "json": {
            f"{pooling}_{sentences}": {
                "n": 4,
                "explained_variance_1": 0.434,
                "explained_variance_2": 0.3,
            }
            for sentences, pooling in views
        },
    }


def empty() -> dict[str, Any]:
    full = results()
    return {name: full[name][:0] if name != "json" else {} for name in full}


@pytest.fixture(scope="module")
def axes() -> list[Axes]:
    return list(draw(results())[0].axes)


def test_purity_by_layer_is_the_table_of_meanings(axes: list[Axes]):
    meanings = results()["groups"].query("sentences == 'meanings'")
    drawn = {str(line.get_label()): list(line.get_ydata()) for line in axes[0].lines}
    for pooling, look in POOLINGS.items():
        own = meanings.loc[meanings["pooling"] == pooling, "purity"].tolist()
        assert drawn[f"{look.name} {own[-1]:.2f}"] == own
    words = meanings.loc[meanings["pooling"] == BAG, "purity"].item()
    assert drawn[f"counts of words {words:.2f}"] == [words] * 3
    random = meanings.query("pooling == 'mean'")["random_weights_purity"].tolist()
    assert drawn[f"random weights {random[-1]:.2f}"] == random


def test_ticks_are_layers(axes: list[Axes]):
    assert all(tick == round(tick) for tick in axes[0].get_xticks())


def test_the_map_names_each_group(axes: list[Axes]):
    assert [len(line.get_xdata()) for line in axes[1].lines] == [4, 4]
    assert list(axes[1].lines[1].get_ydata()) == [2.0] * 4
    assert axes[1].get_xlabel() == "component 1 (43 %)"
    assert [text.get_text() for text in axes[1].texts] == ["ferry", "soup"]


def test_there_is_a_color_for_each_group_that_comes_with_embspace(root: Path):
    lines = (root / "data/stimuli/synonyms.jsonl").read_text(encoding="utf-8").splitlines()
    groups = {json.loads(line)["group"] for line in lines}
    assert len([name for name in groups if not name.startswith("random")]) <= len(set(COLORS))


def test_no_group_has_the_color_of_a_pooling():
    assert not {look.color for look in POOLINGS.values()} & {*COLORS}


@pytest.mark.parametrize(
    ("words", "random", "said"),
    [
        (0.25, 0.2, "gathers one meaning in other words: purity of clusters 0.50, by counts of"),
        (0.25, 0.3, "gathers one meaning in other words: purity of clusters 0.50, by random"),
        (0.75, 0.3, "does not gather one meaning in other words: purity of clusters 0.50, by"),
    ],
)
def test_the_title_names_the_strongest_null(words: float, random: float, said: str):
    given = results()
    groups = given["groups"]
    purity = np.where(groups["pooling"] == BAG, words, 0.5)
    groups = groups.assign(purity=purity, random_weights_purity=random)
    figure, _ = draw(given | {"groups": groups})
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith(f"At the last layer mean pooling {said}")
    assert title.endswith(f" {max(words, random):.2f}")


def test_of_a_decoder_the_title_and_random_weights_are_of_the_last_token():
    given = results()
    groups = given["groups"]
    last = groups[groups["pooling"] == "cls"].assign(pooling="last")
    last = last.assign(purity=0.99, random_weights_purity=0.11)
    figure, _ = draw(given | {"groups": pd.concat([groups, last])})
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("At the last layer the last token gathers one meaning in other words")
    assert "purity of clusters 0.99" in title
    assert "random weights 0.11" in {line.get_label() for line in figure.axes[0].lines}


def test_a_model_that_reads_nothing_says_so():
    figure, text = draw(empty())
    assert_words_fit(figure)
    assert "no tokenizer" in figure.axes[0].texts[0].get_text()
    assert "reads no text" in text
