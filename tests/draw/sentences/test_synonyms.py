import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.synonym_tables import BAG
from embspace.draw.sentences.synonyms import COLORS, draw_synonyms, meaning_or_wording
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


def test_the_maps_show_each_group_without_and_with_random_ones(axes: list[Axes]):
    assert [len(line.get_xdata()) for line in axes[0].lines] == [4, 4]
    assert [len(line.get_xdata()) for line in axes[1].lines] == [4, 4, 4]
    for ax in axes[:2]:
        assert list(ax.lines[1].get_ydata()) == [2.0] * 4
        assert ax.get_xlabel() == "component 1 (43 %)"
    legend = [text.get_text() for text in axes[2].get_legend().get_texts()]
    assert legend == ["ferry", "soup", "random words"]


def test_there_is_a_color_for_each_group_that_comes_with_embspace(root: Path):
    lines = (root / "data/stimuli/synonyms.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({json.loads(line)["group"] for line in lines}) <= len(set(COLORS))


def test_no_group_has_the_color_of_a_pooling():
    assert not {look.color for look in POOLINGS.values()} & {*COLORS}


@pytest.mark.parametrize(("words", "verb"), [(0.25, "beyond"), (0.75, "no better than")])
def test_the_title_says_whether_clusters_are_better_than_those_of_words(words: float, verb: str):
    given = results()
    groups = given["groups"]
    purity = np.where(groups["pooling"] == BAG, words, 0.5)
    figure, _ = draw(given | {"groups": groups.assign(purity=purity)})
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    said = f"part by first token, {verb} counts of their words: clusters of purity 0.50 against"
    assert title == f"Groups of synonyms {said} {words:.2f}"
    printed = " ".join(text.get_text() for text in figure.axes[0].texts)
    assert "0.50" in printed and f"{words:.2f}" in printed


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.5, -0.3, "less"),
        (0.3, 0.5, "more"),
        (-0.5, 0.1, "not surely more or less"),
        (-0.1, 0.5, "not surely more or less"),
    ],
)
def test_a_sentence_says_whether_a_paraphrase_or_a_negation_is_surely_nearer(
    low: float, high: float, said: str
):
    contrasts = results()["contrasts"].query("layer == 2")
    is_paraphrase = contrasts["kind"] == "paraphrase"
    ends = {f"paraphrase_minus_kind_cosine_{end}": x for end, x in (("low", low), ("high", high))}
    given = contrasts.assign(cosine=np.where(is_paraphrase, 0.1, 0.5), **ends)
    assert meaning_or_wording(given) == (
        f"A sentence is {said} like its paraphrase (0.10) than like its negation (0.50)"
    )


def test_a_model_that_reads_nothing_says_so():
    figure, text = draw(empty())
    assert_words_fit(figure)
    assert "no tokenizer" in figure.axes[0].texts[0].get_text()
    assert "reads no text" in text
