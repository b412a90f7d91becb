"""What a page says first of labelled texts."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.app.page.labels import label_findings, why_no_labels

COLUMNS = ["corpus", "task", "rank", "embedding", "layer", "weights", "value", "among_best"]
LESS = "less_best_high"  # the upper end of the difference from the best
BEST = ("texts_of_my", "labels", 1.0, "mean", 2.0, "trained", 0.9, True)
ROWS = [
    BEST,
    ("texts_of_my", "labels", 2.0, "cls", 1.0, "trained", 0.5, False),
    ("texts_of_my", "labels", None, "mean", 0.0, "random", 0.4, False),
    ("texts_of_my", "labels", None, "mean", 1.0, "random", 0.45, False),
    ("texts_of_my", "labels", None, "tf_idf", None, "none", 0.7, False),
    ("texts_of_my", "clusters", 1.0, "mean", 1.0, "trained", 0.3, True),
    ("posts", "labels", 1.0, "mean", 1.0, "trained", 0.3, True),
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with a user's labelled texts, and a corpus of the study."""
    own = "label: my.csv\nlicense: unknown\nlanguage: unknown\n"
    for place, text in {
        "params.yaml": "corpora: [texts_of_my, posts]\n",
        "conf/corpus/texts_of_my.yaml": f"{own}group_column: topic\n",
        "conf/corpus/posts.yaml": "label: posts\nlicense: x\nlanguage: x\ngroup_column: mood\n",
        "conf/measure/texts/layer_choice.yaml": "fewest_documents: 20\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    return tmp_path


def write(tree: Path, rows: list[tuple[object, ...]], low: float = 0.8) -> None:
    table = pd.DataFrame(rows, columns=COLUMNS)
    table = table.assign(value_low=low, value_high=1.0, chance=0.25, n=60, level=0.95)
    table[LESS] = table["value"] - 0.85
    (tree / "results/layer_choice").mkdir(parents=True, exist_ok=True)
    table.to_csv(tree / "results/layer_choice/m.csv", index=False)


def said(tree: Path) -> str:
    (finding,) = label_findings(tree, "m", "Layers")
    assert (finding.noun, finding.chapter) == ("layer_choice", "Layers")
    assert finding.population.startswith("60 texts · ")
    return finding.sentence


def test_the_best_layer_stands_beside_words_random_weights_and_chance(tree: Path):
    write(tree, ROWS)
    assert said(tree) == (
        "The labels of my.csv are told best by layer 2, mean pooling: accuracy 0.90 (0.80 to "
        "1.00); words alone (TF-IDF) 0.70, random weights at best 0.45, chance 0.25"
    )
    assert why_no_labels(tree, "m") == []


def test_of_ties_none_is_the_winner(tree: Path):
    write(tree, [BEST, (*ROWS[1][:-1], True), *ROWS[2:]])
    assert said(tree).startswith(
        "The labels of my.csv are told best by layer 2, mean pooling, though not clearly better "
        "than by 1 other of 2 layers and poolings: accuracy 0.90"
    )


def test_words_or_random_weights_that_may_tell_labels_as_well_are_said_to(tree: Path):
    write(tree, [*ROWS[:4], (*ROWS[4][:6], 0.88, False)])
    assert said(tree) == (
        "No layer tells the labels of my.csv clearly better than words alone (TF-IDF): the best is "
        "layer 2, mean pooling, with accuracy 0.90 (0.80 to 1.00); words alone (TF-IDF) 0.88 (not "
        "clearly less), random weights at best 0.45, chance 0.25"
    )
    write(tree, [*ROWS[:3], (*ROWS[3][:6], 0.87, False), *ROWS[4:]])
    assert "clearly better than random weights: the best is layer 2" in said(tree)


def test_what_does_not_surely_exceed_chance_is_no_success(tree: Path):
    write(tree, ROWS, low=0.2)
    assert said(tree) == (
        "No layer predicts the labels of my.csv clearly better than chance: the best is layer 2, "
        "mean pooling, with accuracy 0.90 (0.20 to 1.00); words alone (TF-IDF) 0.70, random "
        "weights at best 0.45, chance 0.25"
    )


def test_labels_that_were_not_asked_have_a_reason(tree: Path):
    assert label_findings(tree, "m", "Layers") == why_no_labels(tree, "m") == []  # not computed
    write(tree, ROWS[-2:])
    assert label_findings(tree, "m", "Layers") == []
    assert why_no_labels(tree, "m") == [
        "my.csv: nothing is said of the labels in column 'topic', which needs two labels with "
        "texts of at least 20 documents each."
    ]
    write(tree, [])
    assert len(why_no_labels(tree, "m")) == 1


def test_a_corpus_of_the_study_without_a_license_is_no_text_of_the_users(tree: Path):
    posts = tree / "conf/corpus/posts.yaml"
    posts.write_text("label: posts\nlicense: unknown\nlanguage: English\ngroup_column: mood\n")
    write(tree, ROWS)
    assert "my.csv" in said(tree)
    write(tree, ROWS[:-1])
    assert why_no_labels(tree, "m") == []
