import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context
from matplotlib.axes import Axes

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import POOLINGS
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


def test_words_fit_and_no_two_panels_share_a_place():
    with rc_context():
        use_style()
        figure, _ = draw(results())
        assert_words_fit(figure)
        boxes = [ax.get_tightbbox(figure.canvas.get_renderer()) for ax in figure.axes]
    assert len(boxes) == 5
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[number + 1 :]), number


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


def test_pairs_are_the_table(axes: list[Axes]):
    contrasts = results()["contrasts"].query("layer == 2")
    kinds = ["unrelated", "paraphrase", "negation", "swapped_roles"]
    rows = contrasts.query("pooling == 'mean'").set_index("kind").loc[kinds]
    random, cosines = axes[3].lines[2:4]
    assert list(cosines.get_xdata()) == rows["cosine"].tolist()
    assert list(cosines.get_ydata()) == [0, 1, 2, 3]
    assert list(random.get_xdata()) == rows["random_weights_cosine"].tolist()
    intervals = [each.get_segments() for each in axes[3].collections]
    ends = [list(segment[:, 0]) for segment in intervals[1]]
    assert ends == rows[["cosine_low", "cosine_high"]].to_numpy().tolist()
    bag = results()["contrasts"].query("pooling == 'bag_of_words'").set_index("kind").loc[kinds]
    assert [segment[0, 0] for segment in intervals[3]] == bag["cosine"].tolist()
    labels = [label.get_text() for label in axes[3].get_yticklabels()]
    assert labels[1] == "Paraphrases (16)"


def test_words_replaced_have_a_line_of_the_mean_and_a_mark_a_frame(axes: list[Axes]):
    slots = results()["slots"].query("pooling == 'mean' and layer == 2 and n_changed > 0")
    mean, frames, random = axes[4].lines[3:6]
    of_all, ferry = (slots.query("group == @group") for group in ("all", "ferry"))
    assert list(mean.get_xdata()) == [1, 2]
    assert list(mean.get_ydata()) == of_all["relative_distance"].tolist()
    assert list(frames.get_ydata()) == ferry["relative_distance"].tolist()
    assert list(random.get_ydata()) == of_all["random_weights_relative_distance"].tolist()


def test_the_title_claims_no_difference_that_it_cannot_show():
    found = results()
    contrasts = found["contrasts"]
    cosine = np.where(contrasts["kind"] == "paraphrase", 0.501, 0.499)
    changed = found | {"contrasts": contrasts.assign(cosine=cosine)}
    words = " ".join(draw(changed)[0].get_suptitle().split())
    assert "as much like its paraphrase (0.50) as like its negation (0.50)" in words
    assert "; random weights " in words
    unknown = {"contrasts": contrasts.assign(cosine=cosine, random_weights_cosine=np.nan)}
    assert "random weights" not in draw(found | unknown)[0].get_suptitle()


@pytest.mark.parametrize(("cosine", "word"), [(0.1, "less"), (2.0, "more")])
def test_the_title_says_whether_a_paraphrase_or_a_negation_is_nearer(cosine: float, word: str):
    found = results()
    contrasts = found["contrasts"]
    is_paraphrase = contrasts["kind"] == "paraphrase"
    changed = contrasts.assign(cosine=np.where(is_paraphrase, cosine, 0.5))
    figure, _ = draw(found | {"contrasts": changed})
    words = " ".join(figure.get_suptitle().split())
    assert f"is {word} like its paraphrase ({cosine:.2f}) than like its negation (0.50)" in words
    assert "in all 3 poolings" in words
    in_one = contrasts["pooling"].eq("mean") & is_paraphrase
    mixed = changed.assign(cosine=changed["cosine"].mask(in_one, 1 - 3 * cosine))
    figure, _ = draw(found | {"contrasts": mixed})
    assert "of 3 poolings" in " ".join(figure.get_suptitle().split())


def test_a_model_that_reads_nothing_says_so():
    figure, text = draw(empty())
    assert_words_fit(figure)
    assert "no tokenizer" in figure.axes[0].texts[0].get_text()
    assert "reads no text" in text


def test_a_decoder_has_marks_of_its_last_token_in_the_place_of_the_first():
    given = results()
    for name in ("groups", "group_pairs", "slots", "contrasts"):
        first = given[name][given[name]["pooling"] == "cls"]
        given[name] = pd.concat([given[name], first.assign(pooling="last")])
    use_style()
    figure, text = draw(given)
    (legend,) = figure.legends
    named = [entry.get_text() for entry in legend.get_texts()]
    assert named[:3] == ["last token", "mean pooling", "maximum pooling"]
    assert "| last " in text
    assert "| cls " in text
