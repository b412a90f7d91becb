import numpy as np
import pandas as pd
import pytest

from embspace.geometry.groups.retrieval import reciprocal_rank_by_chance
from embspace.geometry.inference.resampling import Interval
from embspace.measure.texts.search import (
    QUANTITIES,
    Halves,
    _gain_columns,
    _table,
    measure_search,
    word_scores,
)
from embspace.prepare.sentences import split_halves
from tests.analyses import settings_of

FEW = {"fewest_documents": 1}
SETTINGS = settings_of(measure_search, stop_words=None, n_resamples=100, **FEW)
SUBJECTS = ["salt", "bells", "maps", "bread", "ships", "clocks", "wool", "glass"]


def halves(vectors: np.ndarray, subjects: list[str] | None = None) -> Halves:
    """Texts of two halves, one window each: `vectors` is (layer, text x half, dim)."""
    words = subjects or SUBJECTS[: vectors.shape[1] // 2]
    content = [f"First {word}. Then {word}. Now {word}. Last {word}." for word in words]
    texts = pd.DataFrame({"id": words, "document": words, "text": content})
    table = split_halves(texts)
    windows = pd.DataFrame({"text": table["id"], "window": 0})
    return Halves(table, windows, {"mean": vectors})


def inputs(*, is_empty: bool) -> dict[str, dict[str, Halves]]:
    vectors = np.random.default_rng(0).normal(size=(2, 16, 12))
    return {"corpora": {} if is_empty else {"one": halves(vectors)}}


def measured(given: Halves) -> pd.DataFrame:
    table = measure_search({"one": given}, **SETTINGS)["csv"]
    return table.set_index(["embedding", "layer", "preparation"]).sort_index()


def test_halves_of_one_direction_are_found_at_once_and_of_none_by_chance():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(8, 50))
    alike = np.repeat(base, 2, axis=0) + 0.1 * rng.normal(size=(16, 50))
    table = measured(halves(np.stack([rng.normal(size=(16, 50)), alike])))
    row = table.loc[("mean", 1, "as_is")]
    assert row["mean_reciprocal_rank"] == row["recall_at_1"] == 1
    assert row["mean_reciprocal_rank_low"] == 1
    random = table.loc[("mean", 0, "as_is")]
    assert random["null_mean_reciprocal_rank"] == pytest.approx(reciprocal_rank_by_chance(8))
    assert random["mean_reciprocal_rank"] < 0.7
    assert random["recall_at_10"] == 1  # of eight candidates


def test_of_few_texts_nothing_is_said():
    vectors = np.random.default_rng(0).normal(size=(1, 16, 12))
    enough, few = ({**SETTINGS, "fewest_documents": n} for n in (8, 9))
    assert len(measure_search({"one": halves(vectors)}, **enough)["csv"])
    outcome = measure_search({"one": halves(vectors)}, **few)
    assert outcome["csv"].empty and outcome["parquet"].empty


def test_an_interval_ends_where_a_share_does_and_holds_what_it_held():
    """Of nine queries one is found: half-samples alone would give a recall below zero."""
    rng = np.random.default_rng(3)
    subjects = [*SUBJECTS, "tides"]
    vectors = rng.normal(size=(1, 18, 400))
    vectors[0, 1::2] = -vectors[0, ::2]  # each half is the farthest from its query
    vectors[0, 1] = vectors[0, 0]
    row = measured(halves(vectors, subjects)).loc[("mean", 0, "as_is")]
    assert row["recall_at_1"] == pytest.approx(1 / 9)
    assert row["recall_at_1_low"] == 0
    assert row["recall_at_1"] < row["recall_at_1_high"] <= 1
    bounds = [f"{name}_{end}" for name in QUANTITIES for end in ("low", "high")]
    assert row[bounds].between(0, 1).all()


def test_the_vectors_of_a_sentence_model_have_a_row_and_move_no_other():
    rng = np.random.default_rng(3)
    given = halves(rng.normal(size=(2, 12, 6)), [f"word{number}" for number in range(6)])
    directions = np.repeat(np.eye(6), 2, axis=0)  # one a text, for both of its halves
    own = Halves(given.texts, given.windows, given.by_pooling, directions.astype(np.float32))
    table, without = measured(own), measured(given)
    assert table.loc["sentence", "mean_reciprocal_rank"].tolist() == [1.0]
    assert table.loc["sentence"].index.get_level_values("preparation").tolist() == ["as_is"]
    pd.testing.assert_frame_equal(table.drop(index="sentence"), without)


def test_a_common_vector_hides_what_centering_shows():
    rng = np.random.default_rng(1)
    base = np.repeat(rng.normal(size=(8, 20)), 2, axis=0)
    common = 1000 * np.ones(20)
    lengths = 10 ** rng.uniform(-1, 1, size=(16, 1))
    table = measured(halves((common + base * lengths)[None]))
    as_is, centered = (table.loc[("mean", 0, preparation)] for preparation in ("as_is", "centered"))
    assert centered["mean_reciprocal_rank"] > as_is["mean_reciprocal_rank"]


def test_words_find_a_text_by_its_subject_and_nothing_where_all_share_theirs():
    vectors = np.random.default_rng(2).normal(size=(1, 16, 4))
    table = measured(halves(vectors))
    assert (table.loc[["tf_idf", "bm25"], "recall_at_1"] == 1).all()
    same = halves(vectors)
    same.texts["text"] = "salt"
    shared = measured(same)
    # All scores are equal, and their order is random.
    assert shared.loc["tf_idf", "mean_reciprocal_rank"].iloc[0] == pytest.approx(
        reciprocal_rank_by_chance(8)
    )
    assert shared.loc["tf_idf", "null_recall_at_1"].iloc[0] == 1 / 8


def test_scores_by_words_by_hand():
    texts = pd.DataFrame({"half": [1, 1, 2], "text": ["cats sleep", "dogs bark", "dogs"]})
    scores = word_scores(texts, None)
    assert scores["tf_idf", None, "as_is"] == pytest.approx(np.array([[0, 0.5**0.5]]))
    # One of two candidates has the word, once, and both are of the mean length.
    assert scores["bm25", None, "as_is"] == pytest.approx(np.array([[0, np.log(2)]]))
    assert word_scores(texts[:0], None) == {}


def test_stop_words_are_left_out():
    # "Then", "Now" and "Last" are what all texts share; without them a subject stands alone.
    given = halves(np.zeros((1, 16, 2)))
    given.texts["text"] = [
        text if number % 2 else f"then then then {text}"
        for number, text in enumerate(given.texts["text"])
    ]
    with_words, without = (
        measure_search({"one": given}, **{**SETTINGS, "stop_words": words})["csv"]
        for words in (None, "english")
    )
    column = "mean_reciprocal_rank"
    by_words, by_fewer = (
        table.set_index("embedding").loc["tf_idf", column] for table in (with_words, without)
    )
    assert by_fewer >= by_words


def test_the_best_window_of_a_text_counts():
    given = halves(np.zeros((1, 4, 2)), ["salt", "bells"])
    # The second text's first half has two windows; its second window answers its query.
    names = ["salt.half1", "salt.half2", "bells.half1", "bells.half1", "bells.half2"]
    x = np.array([[[1, 0], [1, 0.1], [1, -0.2], [0, 1], [0, 1]]], dtype=float)
    windows = pd.DataFrame({"text": names, "window": [0, 0, 0, 1, 0]})
    table = measured(Halves(given.texts, windows, {"mean": x}))
    assert table.loc[("mean", 0, "as_is"), "recall_at_1"] == 1


def test_rotation_changes_nothing():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1, 16, 6))
    rotation = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    pd.testing.assert_frame_equal(measured(halves(x)), measured(halves(x @ rotation)))


def test_the_halves_do_not_depend_on_the_model():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 16, 6))
    few, many = (measure_search({"one": halves(x[:n])}, **SETTINGS)["parquet"] for n in (1, 4))
    common = [few["row"] < 4, many["row"] < 4]  # two scores by words, two of layer 0
    few_rows, many_rows = (
        rows[chosen].reset_index(drop=True)
        for rows, chosen in zip((few, many), common, strict=True)
    )
    pd.testing.assert_frame_equal(few_rows, many_rows)
    assert (few["n_units"] == 8).all()


def test_the_halves_of_a_corpus_do_not_depend_on_another_corpus():
    rng = np.random.default_rng(4)
    other, given = halves(rng.normal(size=(2, 12, 6))), halves(rng.normal(size=(2, 16, 6)))
    alone = measure_search({"one": given}, **SETTINGS)["csv"]
    both = measure_search({"before": other, "one": given}, **SETTINGS)["csv"]
    one_rows = both[both["corpus"] == "one"].reset_index(drop=True)
    pd.testing.assert_frame_equal(one_rows, alone)


def test_the_gain_over_words_is_of_the_same_queries():
    """Words find every text here, vectors every other one: paired, half of the queries lose 3/4."""
    rng = np.random.default_rng(5)
    base = rng.normal(size=(8, 400))
    vectors = np.repeat(base, 2, axis=0)
    vectors[1::4] = -vectors[1::4]  # the first half of every other text is the last to come
    table = measured(halves(vectors[np.newaxis]))
    row = table.loc[("mean", 0, "as_is")]
    assert table.loc["tf_idf", "mean_reciprocal_rank"].item() == 1
    for words in ("tf_idf", "bm25"):
        name = f"mean_reciprocal_rank_minus_{words}"
        assert row[name] == pytest.approx(row["mean_reciprocal_rank"] - 1)
        assert -1 <= row[f"{name}_low"] < row[name] < row[f"{name}_high"] < 0
        own = table.loc[words].iloc[0]
        assert own[[name, f"{name}_low", f"{name}_high"]].tolist() == [0, 0, 0]


def test_bounds_of_shares_are_shares_and_those_of_gains_lie_between_minus_1_and_1():
    found_but_one, one_found = np.eye(7), -np.eye(7)
    found_but_one[0, 0], one_found[0, 0] = -1, 1
    scores = {("mean", 0, "as_is"): found_but_one, ("mean", 1, "as_is"): one_found}
    wish = {"n_resamples": 50, "level": 0.95, "generator": np.random.default_rng(0)}
    table = _table(scores, np.eye(7, dtype=bool), np.arange(7), **wish)
    assert table["recall_at_1"].tolist() == pytest.approx([6 / 7, 1 / 7])
    assert table["recall_at_1_high"][0] == 1
    assert table["recall_at_1_low"][1] == 0
    gain, deviations = np.array([[0.0], [0.9], [-0.9]]), np.zeros((2, 1, 3))
    deviations[:, 0, 1:] = [[0.4], [-0.4]]
    interval = Interval(np.empty(3), np.empty(3), deviations)
    columns = _gain_columns(gain, interval, 0, level=0.999, words="x")
    name = "mean_reciprocal_rank_minus_x"
    assert columns[f"{name}_low"] == pytest.approx([0, 0.5, -1], abs=1e-3)
    assert columns[f"{name}_high"] == pytest.approx([0, 1, -0.5], abs=1e-3)


def test_a_hit_on_a_copy_is_a_hit_and_copies_are_one_unit():
    """Each text three times: what is found first is found first as often as once of each."""
    rng = np.random.default_rng(5)
    once = rng.normal(size=(1, 16, 4))
    alone = measured(halves(once)).loc[("mean", 0, "as_is")]
    table = halves(once).texts
    copies = [table.assign(id=[f"{n}.{name}" for name in table["id"]]) for n in range(3)]
    texts = pd.concat(copies, ignore_index=True)
    windows = pd.DataFrame({"text": texts["id"], "window": 0})
    given = Halves(texts, windows, {"mean": np.tile(once, (1, 3, 1))})
    outcome = measure_search({"one": given}, **SETTINGS)
    row = outcome["csv"].set_index(["embedding", "layer", "preparation"]).loc[("mean", 0, "as_is")]
    assert row["n_queries"] == row["n_candidates"] == 24
    assert row["recall_at_1"] == pytest.approx(alone["recall_at_1"])
    assert row["null_recall_at_1"] == pytest.approx(3 / 24)
    assert (outcome["parquet"]["n_units"] == 8).all()
    ends = ["recall_at_1_low", "recall_at_1_high"]
    assert row[ends].tolist() == pytest.approx(alone[ends].tolist())  # no narrower
