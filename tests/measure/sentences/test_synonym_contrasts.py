import numpy as np
import pandas as pd
import pytest

from embspace.measure.sentences.synonym_contrasts import (
    COLUMNS,
    contrast_statistic,
    contrast_table,
    pair_cosines,
    pairs_of,
)
from tests.measure.planted_synonyms import (
    at_corners,
    control_table,
    paraphrase_table,
    rotation,
    stimuli,
)

N_MEANINGS, N_CONTROLS = 8, 6


def controls_at(cosine: float, dim: int = 16, seed: int = 2) -> np.ndarray:
    """Each original somewhere, and its counterpart at this cosine from it."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    original = basis[: 2 * N_CONTROLS]
    other = np.roll(original, 1, axis=0)
    changed = cosine * original + (1 - cosine**2) ** 0.5 * other
    return np.stack([original, changed], axis=1).reshape(1, -1, dim)


def table(
    x: np.ndarray, y: np.ndarray, words: tuple[list[list[int]], list[list[int]]] | None = None
) -> pd.DataFrame:
    given = words or (None, None)
    return contrast_table(
        stimuli(paraphrase_table(N_MEANINGS), x, words=given[0]),
        stimuli(control_table(N_CONTROLS), y, words=given[1]),
        n_half_samples=40,
        level=0.9,
        generator=np.random.default_rng(0),
    )


def meanings(spread: float = 0.0) -> np.ndarray:
    return at_corners(np.repeat(np.arange(N_MEANINGS), 3), spread)


def of(contrasts: pd.DataFrame, pooling: str = "cls") -> pd.DataFrame:
    return contrasts[contrasts["pooling"] == pooling].set_index("kind")


def test_a_model_of_meaning_has_paraphrases_above_all_else():
    contrasts = of(table(meanings(), controls_at(0.2)))
    assert contrasts.loc["paraphrase", "cosine"] == pytest.approx(1)
    assert contrasts.loc["unrelated", "cosine"] == pytest.approx(0, abs=1e-7)
    assert contrasts["cosine"][["negation", "swapped_roles"]].tolist() == pytest.approx([0.2] * 2)
    others = contrasts.drop("paraphrase")
    assert (others["auc"] == 1).all()
    assert others["paraphrase_minus_kind_cosine"].tolist() == pytest.approx([0.8, 0.8, 1])
    assert contrasts.loc["negation", "relative_similarity"] == pytest.approx(5)


def test_a_model_of_wording_has_controls_above_paraphrases():
    contrasts = of(table(meanings(0.15), controls_at(0.999)))
    assert (contrasts["auc"][["negation", "swapped_roles"]] == 0).all()
    assert contrasts.loc["unrelated", "auc"] > 0.9
    assert 0 < contrasts.loc["negation", "relative_similarity"] < 1


def test_a_bag_of_words_sees_no_paraphrase_and_all_swapped_roles():
    words = [[number, 100 + number] for number in range(3 * N_MEANINGS)]
    sentences = [[n, n + 1, n + 2] for n in range(2 * N_CONTROLS)]
    # A negation adds a word to three; a swap turns them round.
    changed = [[*sentence, 50] for sentence in sentences[:N_CONTROLS]]
    changed += [sentence[::-1] for sentence in sentences[N_CONTROLS:]]
    pairs = [sentence for both in zip(sentences, changed, strict=True) for sentence in both]
    contrasts = of(table(meanings(), controls_at(0.5), (words, pairs)), "bag_of_words")
    assert contrasts["cosine"]["paraphrase"] == 0
    assert contrasts["cosine"]["swapped_roles"] == 1
    assert contrasts["cosine"]["negation"] == pytest.approx(3 / 12**0.5)
    assert contrasts.loc["swapped_roles", "auc"] == 0
    assert contrasts.loc["unrelated", "auc"] == 0.5
    assert np.isnan(contrasts.loc["unrelated", "random_weights_auc"])


def test_numbers_of_pairs_and_what_has_no_contrast():
    contrasts = of(table(meanings(0.3), controls_at(0.9)))
    assert list(contrasts.reset_index())[0] == "kind"
    assert sorted([*contrasts.reset_index()]) == sorted(COLUMNS)
    assert contrasts["n_pairs"].to_dict() == {
        "paraphrase": 24,
        "negation": 6,
        "swapped_roles": 6,
        "unrelated": 24 * 23 / 2 - 24,
    }
    assert np.isnan(contrasts.loc["paraphrase", "auc"])
    assert np.isnan(contrasts.loc["unrelated", "relative_similarity"])


def test_where_all_is_one_place_nothing_is_more_alike():
    contrasts = of(table(np.ones((1, 24, 5)), np.ones((1, 24, 5))))
    assert (contrasts["cosine"] == 1).all()
    assert (contrasts.drop("paraphrase")["auc"] == 0.5).all()
    assert contrasts["relative_similarity"].isna().all()


def test_the_sides_of_a_control_are_found_wherever_they_stand():
    shuffled = control_table(N_CONTROLS).sample(frac=1, random_state=0)
    y = controls_at(0.7)
    pairs = pairs_of(paraphrase_table(N_MEANINGS), shuffled)
    cosines = pair_cosines(meanings(), y[:, shuffled.index], shuffled)
    for number in (1, 2):
        assert cosines[0, pairs.kind == number] == pytest.approx([0.7] * N_CONTROLS)


def test_meanings_and_controls_are_drawn_as_units():
    pairs = pairs_of(paraphrase_table(N_MEANINGS), control_table(N_CONTROLS))
    assert np.bincount(pairs.stratum).tolist() == [N_MEANINGS, N_CONTROLS, N_CONTROLS]
    cosines = pair_cosines(meanings(0.4), controls_at(0.7), control_table(N_CONTROLS))
    some = contrast_statistic(cosines, pairs)(np.array([0, 3, 8, 9, 14]))
    meaning = np.repeat(np.arange(N_MEANINGS), 3)
    rows = np.flatnonzero(np.isin(meaning, [0, 3]))
    x = meanings(0.4)[0, rows]
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    same = np.triu(meaning[rows][:, None] == meaning[rows], 1)
    assert some[0, 0, 0] == pytest.approx((unit @ unit.T)[same].mean())
    assert some[0, -1, 0] == pytest.approx((unit[:3] @ unit[3:].T).mean())


def test_intervals_hold_the_value_and_have_width():
    contrasts = of(table(meanings(0.4), controls_at(0.7) + 0.1 * np.eye(24, 16)))
    row = contrasts.loc["unrelated"]
    for quantity in ("cosine", "paraphrase_minus_kind_cosine", "auc"):
        assert row[f"{quantity}_low"] < row[quantity] < row[f"{quantity}_high"]
        assert np.isfinite(row[f"random_weights_{quantity}"])


def test_rotation_changes_nothing():
    x, y = meanings(0.4), controls_at(0.7)
    first, second = table(x, y), table(x @ rotation(16), y @ rotation(16))
    columns = ["cosine", "cosine_low", "cosine_high", "paraphrase_minus_kind_cosine", "auc"]
    assert np.allclose(first[columns], second[columns], atol=1e-6, equal_nan=True)


def test_a_model_that_reads_nothing_has_an_empty_table():
    contrasts = table(np.ones((2, 0, 4)), np.ones((2, 0, 4)), ([], []))
    assert list(contrasts) == COLUMNS
    assert contrasts.empty
