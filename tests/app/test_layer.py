from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.app.layer import advice, choose_layer, has_a_task
from embspace.app.reporting.subject import Subject
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError
from embspace.loaded.model import load
from embspace.loaded.states import read_states
from embspace.measure.texts.layer_choice import measure_layer_choice
from tests.loaded.folders import tree
from tests.measure.texts.planted_layers import (
    SETTINGS,
    planted,
    planted_table,
    with_own_vectors,
)

__all__ = ["tree"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return planted_table()


def test_the_layer_that_carries_the_labels_is_named(table: pd.DataFrame):
    said = advice(table, "a_model")
    assert "planted: labels\n" in said
    sentence = next(line for line in said.splitlines() if "linear classifier" in line)
    assert sentence.startswith("Of the 4 layers of a_model and 3 poolings, layer 2 with ")
    assert "more than the last layer with it; words alone 0." in sentence
    assert "chance" not in sentence
    assert "  1=  layer 2, " in said


def test_an_earlier_layer_is_not_praised_where_the_last_is_best(table: pd.DataFrame):
    rows = table[(table["task"] == "labels") & (table["layer"].isna() | (table["layer"] >= 2))]
    assert "no earlier layer does better" in advice(rows.replace({"layer": {3: 1}}), "m")


def test_the_best_of_what_is_no_better_than_chance_is_not_praised(table: pd.DataFrame):
    rows = table[(table["task"] == "labels") & ~(table["layer"] == 2)]
    assert "it is not surely above chance, 0.500" in advice(rows, "m")


def test_no_winner_is_named_among_equal_ones(table: pd.DataFrame):
    rows = table[table["task"] == "labels"].copy()
    tied = (rows["weights"] == "trained") & (rows["layer"] >= 1)
    rounding = np.linspace(0, 1e-12, tied.sum())
    rows.loc[tied, ["value", "value_high"]] = np.stack([1 - rounding, 1 - rounding], axis=1)
    rows.loc[tied, "among_best"] = [True, *[False] * (tied.sum() - 1)]
    said = advice(rows.sort_values("value", ascending=False, kind="stable"), "m")
    n = int(tied.sum())
    assert n == 9
    assert f"each of {n} pairs of a layer and a pooling, from layers 1 to 3, tells the" in said
    assert "choose none of them" in said and "than the last layer with it" not in said
    assert said.count("\n  1=  layer ") == 5 and f"{n} cannot be told from the best" in said


def test_nothing_to_choose_by_is_said():
    assert "expected 20 texts or more" in advice(pd.DataFrame(), "m")


def test_a_task_that_is_not_asked_is_named_with_what_it_needs(table: pd.DataFrame):
    assert "not asked" not in advice(table, "m")
    without = advice(table[table["task"] == "search"], "m")
    assert without.endswith(
        "planted: labels not asked, which needs two labels (--label-column) with at least 20 texts "
        "each."
    )
    without = advice(table[table["task"] == "labels"], "m")
    assert "planted: search not asked, which needs 20 texts or more of at least four" in without


SENTENCES = "One is here. Two is there. Three is far. Four is near."
CHOICE = "conf/measure/texts/layer_choice.yaml"
KEYS = {"group_column": "label"}


@pytest.fixture
def there(tree: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a tiny model, and half-samples that take no time."""
    settings = yaml.safe_load((root / CHOICE).read_text()) | {"n_half_samples": 20, "n_folds": 2}
    (tree / CHOICE).parent.mkdir(parents=True, exist_ok=True)
    (tree / CHOICE).write_text(yaml.safe_dump(settings))
    monkeypatch.chdir(tree)
    return tree


def own_texts(folder: Path, rows: list[tuple[str, str]]) -> tuple[Subject, str]:
    """Write texts and labels, and return the subject with the path of the file."""
    file = folder / "my.csv"
    lines = [f"{text},{label}" for text, label in rows]
    file.write_text("\n".join(["text,label", *lines]) + "\n")
    own = OwnTexts("my", "my.csv", ".csv", file.read_bytes(), KEYS)
    return Subject("tiny", ["my"], own), str(file)


def varied(number: int) -> str:
    """Return four sentences that no other number has."""
    words = ["cat", "dog", "sun", "rain", "boat", "tide", "bell", "salt"]
    chosen = [words[(number * step + step) % 8] for step in (1, 3, 5, 7)]
    return " ".join(f"{number % 10} the {word} sat on {number // 10}." for word in chosen)


def test_the_numbers_are_those_of_what_the_model_makes_of_texts_and_halves(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rows = [(varied(n), "ab"[n % 2]) for n in range(40)]
    subject, place = own_texts(tmp_path, rows)
    seen: list[Any] = []

    def measure(*given: Any, **settings: Any) -> dict[str, pd.DataFrame]:
        seen.extend(given)
        return measure_layer_choice(*given, **settings)

    monkeypatch.setattr("embspace.measure.texts.layer_choice.measure_layer_choice", measure)
    messages: list[str] = []
    said = choose_layer(subject, place, messages.append)
    assert [line for line in said.splitlines() if line.startswith("my.csv: ")] == [
        "my.csv: search",
        "my.csv: labels",
        "my.csv: clusters",
    ]
    loaded = load("tiny", there)
    (read,) = seen[2].values()
    texts = [text for text, _ in rows]
    for part, expected in ((read.whole, texts), (read.halves, read.halves.texts["text"].tolist())):
        made = read_states(loaded, expected, there, {})
        assert [*part.states] == ["cls", "mean", "max"]
        assert np.array_equal(part.states["mean"], made.tensors["mean"])
        assert part.tokens.equals(made.tokens)
    assert read.halves.texts["half"].tolist() == [1, 2] * 40
    assert choose_layer(subject, place, messages.append) == said  # from the cache
    assert messages == []


def test_what_one_must_know_of_the_texts_is_told(there: Path, tmp_path: Path):
    rows = [(varied(n), "ab"[n % 2]) for n in range(40)]
    rows[1] = rows[0]
    rows[2] = (rows[2][0] + " \ua66e", "a")
    messages: list[str] = []
    choose_layer(*own_texts(tmp_path, rows), messages.append)
    assert messages[0].startswith("my.csv: 1 of 40 texts repeat another one")
    assert messages[1].startswith("my.csv: the tokenizer does not know 0.")


def test_texts_of_which_the_model_knows_nothing_are_refused(there: Path, tmp_path: Path):
    rows = [(chr(0x4E00 + n) + chr(0x5E00 + n), "ab"[n % 2]) for n in range(40)]
    with pytest.raises(InputError, match="none of the 40 texts is read: the tokenizer of 'tiny'"):
        choose_layer(*own_texts(tmp_path, rows), print)


def test_vectors_that_read_no_text_are_refused(there: Path, tmp_path: Path):
    np.save(tmp_path / "glove.npy", np.eye(3, dtype=np.float32))
    said = {"label": "g", "license": "CC0-1.0", "language": "none", "source": "vectors"}
    described = said | {"path": str(tmp_path / "glove.npy")}
    with pytest.raises(InputError, match="'glove' is vectors without a model"):
        choose_layer(Subject("glove", ["posts"], None, described), "posts", print)


@pytest.mark.parametrize(
    ("texts", "is_enough"),
    [
        ({"text": [SENTENCES] * 20}, True),
        ({"text": [SENTENCES] * 19 + ["One."]}, False),
        ({"text": ["One."] * 40, "subject": ["a", "b"] * 20}, True),
        ({"text": ["One."] * 39, "subject": ["a"] * 20 + ["b"] * 19}, False),
        ({"text": ["One."] * 40, "domain": ["a", "b"] * 20}, True),
    ],
)
def test_what_a_task_needs_is_known_before_a_text_is_read(
    texts: dict[str, list[str]], is_enough: bool
):
    table = pd.DataFrame({"subject": "", "domain": ""} | texts)
    table["id"] = table["document"] = table.index.astype(str)
    assert has_a_task(table, SETTINGS, 0) == is_enough


def test_too_few_texts_are_not_read(there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("embspace.app.layer.read_once", None)
    subject, place = own_texts(tmp_path, [("A cat.", "x"), ("A dog.", "y")])
    with pytest.raises(InputError, match=r"my\.csv: nothing to choose a layer by; expected"):
        choose_layer(subject, place, print)


def test_equal_texts_are_one_and_no_choice(there: Path, tmp_path: Path):
    subject, place = own_texts(tmp_path, [(SENTENCES, "xy"[n % 2]) for n in range(60)])
    with pytest.raises(InputError, match="nothing to choose a layer by; .*; 59 of 60 texts repeat"):
        choose_layer(subject, place, print)


def test_the_vector_of_a_sentence_model_is_the_default(table: pd.DataFrame):
    read = {"planted": with_own_vectors(planted())}
    own = measure_layer_choice(None, None, read, **SETTINGS)["csv"]
    said = advice(own, "a_model")
    assert said.count("the vector of its makers, the default") == 3
    assert said.count("The vector of its makers ") == said.count(": not clearly worse, a diff") == 3
    assert "of a_model and 3 poolings, layer 2 with " in said
    worse = own.assign(less_best_high=-0.1)
    assert "at 0." in advice(worse, "m") and ": clearly worse, a difference of " in advice(
        worse, "m"
    )
    plain = advice(own[own["embedding"] != "sentence"], "a_model")
    assert plain == advice(table, "a_model") and "its makers" not in plain
