from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.texts import TextCloud
from embspace.measure.texts.two_corpora import ReadCorpus, measure_two_corpora, word_vectors
from tests.analyses import settings_of

FEW = {"n_permutations": 99, "n_half_samples": 20, "n_between": 2}
SETTINGS = settings_of(measure_two_corpora, **FEW)
N, DIM = 24, 6


def corpus(x: np.ndarray, word: str, names: list[str] | None = None) -> ReadCorpus:
    """One window a text: `x` is (layer, text, dim)."""
    ids = names or [f"{word}{number}" for number in range(x.shape[1])]
    windows = pd.DataFrame({"text": ids, "window": 0, "n_tokens": 5, "document": ids})
    return ReadCorpus(
        TextCloud({"mean": x}, windows.assign(domain="", subject="")),
        {name: f"The {word} of number {name} is here" for name in ids},
    )


def two(shift: float = 2.0, word: str = "port", **names: Any) -> dict[str, ReadCorpus]:
    """Corpora of one cloud at layer 0, and `shift` apart at layer 1."""
    x = np.random.default_rng(3).normal(size=(2, 2, N, DIM)) + 1.0
    x[1, 1, :, 0] += shift
    return {"ships": corpus(x[:, 0], "ship", **names), "ports": corpus(x[:, 1], word, **names)}


def inputs(*, is_empty: bool) -> dict[str, dict[str, ReadCorpus]]:
    return {"corpora": {} if is_empty else two()}


def measured(corpora: dict[str, ReadCorpus], **changed: Any) -> Any:
    return measure_two_corpora(corpora, **(SETTINGS | changed))


def test_the_layer_where_corpora_lie_apart_is_told_from_the_one_where_not():
    table = measured(two(4.0))["csv"].set_index("layer")
    assert table.loc[1, "auc_low"] > 0.9 > table.loc[0, "auc"]
    assert table.loc[1, "p_value"] == table.loc[1, "p_value_of_layers"] == 0.01
    assert table.loc[0, "p_value_of_layers"] > 0.05
    assert table.loc[1, "distance"] > 3 * table.loc[0, "distance"]


def test_corpora_of_one_cloud_are_apart_in_no_layer():
    table = measured(two(0.0))["csv"]
    assert (table.loc[table["layer"].notna(), "p_value_of_layers"] > 0.05).all()


def test_a_text_of_the_other_cloud_leads_the_list_of_texts_between():
    corpora = two(6.0)
    corpora["ports"].cloud.states["mean"][1, 7, 0] -= 6.0
    between = measured(corpora)["between"]
    assert set(between["layer"]) == {1} and len(between) == 4
    first = between[between["text_of"] == "ports"].iloc[0]
    assert first["text_id"] == "port7" and first["lean"] < 0
    assert (between.loc[between["text_of"] == "ships", "lean"].diff().dropna() >= 0).all()


def test_words_alone_stand_beside():
    words = measured(two())["csv"].query("embedding == 'tf_idf'")
    assert words["auc"].item() > 0.95 and words["layer"].isna().all()
    assert word_vectors(["", "-"]) is None


def test_numbers_of_rows_join_no_documents():
    numbers = [str(number) for number in range(N)]
    apart = measured(two(4.0, names=numbers))["csv"]
    named = measured(two(4.0))["csv"]
    assert apart["auc"].tolist()[:2] == pytest.approx(named["auc"].tolist()[:2])
    joined = measured(two(4.0, names=[f"d{number}" for number in numbers]))["csv"]
    assert joined["auc"].tolist()[:2] != pytest.approx(named["auc"].tolist()[:2])


def test_a_small_corpus_is_left_out_and_a_large_one_is_read_in_part():
    corpora = two()
    assert measured(corpora, fewest_documents=N + 1)["csv"].empty
    assert set(measured(corpora, most_documents=10)["csv"]["n_documents"]) == {10}


def test_corpora_of_the_same_documents_are_not_compared():
    names = [f"a{number}" for number in range(N)]
    assert measured(two(4.0, names=names))["csv"].empty
    others = [*names[:12], *(f"b{number}" for number in range(12))]  # half of them
    corpora = two(4.0, names=names)
    x = corpora["ports"].cloud.states["mean"]
    corpora["ports"] = corpus(x, "port", names=others)
    assert not measured(corpora)["csv"].empty
