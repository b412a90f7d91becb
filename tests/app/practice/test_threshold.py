from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice import threshold as module
from embspace.app.practice.corpora import CorpusOfVectors
from embspace.app.practice.reading import read_corpus
from embspace.app.practice.threshold import threshold
from embspace.errors import InputError
from embspace.measure.practice.scored_versions import prepared
from tests.app.practice.test_reading import written
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["tree"]


@pytest.fixture
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tree)
    return tree


def with_duplicates(n: int, n_copies: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 24))
    x[-n_copies:] = x[:n_copies] + 0.2 * rng.normal(size=(n_copies, 24))
    return x


def test_planted_duplicates_are_the_pairs_above_the_threshold():
    answer = threshold(with_duplicates(300, 6))
    pairs = answer.tables["pairs"]
    assert set(pairs["first"][:6]) == {*map(str, range(6))}
    assert (pairs["second"][:6].astype(int) - pairs["first"][:6].astype(int) == 294).all()
    assert pairs["cosine"][5] > 0.9 > pairs["cosine"][6]
    fixed = answer.tables["fixed"].set_index("cosine")
    assert fixed.loc[0.9, "n_above"] == 6
    assert fixed.loc[0.9, "expected_pairs"] == pytest.approx(6 / 44_850 * 49_995_000)
    rates = answer.tables["rates"]
    assert rates["preparation"].tolist() == ["raw"] * 3 + ["centered"] * 3
    raw = rates.set_index("rate").iloc[:3]
    assert 0.4 < raw.loc[1e-3, "cosine"] < raw.loc[1e-4, "cosine"]
    assert (raw["cosine_low"] <= raw["cosine"])[:2].all() and (raw["n_above"] <= [44, 4, 0]).all()
    assert "Of the 44,850 pairs of different documents among the 300" in answer.sentence
    assert "(few)" in answer.said


def test_a_mapped_file_has_the_answer_of_its_array(tmp_path: Path):
    x = with_duplicates(200, 5).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    mapped, plain = threshold(tmp_path / "x.npy"), threshold(x)
    assert isinstance(read_corpus(tmp_path / "x.npy").at().vectors, np.memmap)
    for name, table in plain.tables.items():
        pd.testing.assert_frame_equal(mapped.tables[name], table)
    np.save(tmp_path / "bad.npy", np.where(x > 2, np.float32(np.nan), x))
    with pytest.raises(InputError, match="bad.npy: found .* rows with NaN"):
        threshold(tmp_path / "bad.npy")


def test_pairs_expected_among_texts_come_with_texts_of_several_a_document(
    monkeypatch: pytest.MonkeyPatch,
):
    n = 1200
    x = np.random.default_rng(0).normal(size=(n, 3)).astype(np.float32)
    few, many = (planted(x[:rows], np.arange(rows) // 4) for rows in (n // 3, n))
    corpora = {"few": few, "many": many}
    monkeypatch.setattr(module, "read_corpus", lambda name, **_: corpora[name])
    expected = threshold("few", texts=n)
    counted = threshold("many").tables["fixed"]["n_above"]
    assert expected.tables["fixed"]["expected_pairs"].to_numpy() == pytest.approx(counted, rel=0.1)
    assert f"expected among {n:,} such texts: " in expected.said


def planted(x: np.ndarray, document: np.ndarray) -> CorpusOfVectors:
    """Vectors of which several are of one document, which no array says."""
    rows = [*map(str, range(len(x)))]
    table = pd.DataFrame({"id": rows, "document": document.astype(str), "copy_of": rows})
    return CorpusOfVectors("planted", x, table.assign(text="", label="", n_tokens=np.nan))


def test_rates_below_one_pair_have_no_cosine():
    few = threshold(np.random.default_rng(0).normal(size=(4, 5)))
    assert few.tables["rates"]["cosine"].isna().all()
    assert few.sentence.endswith("no cosine of one pair in 1,000 can be measured.")
    assert [line.split()[1:3] for line in few.said.splitlines()[2:5]] == [["none", "none"]] * 3
    some = threshold(np.random.default_rng(0).normal(size=(60, 5))).tables["rates"]
    assert some["cosine"].notna().tolist() == [True, False, False] * 2


def test_known_duplicates_give_a_threshold_that_is_held_out():
    known = pd.DataFrame({"first": range(20), "second": range(280, 300)})
    answer = threshold(with_duplicates(300, 20), known=known, precision=0.9)
    row = answer.tables["held_out"].iloc[0]
    assert row["n_same"] == 20 and row["recall"] > 0.85 and row["precision"] > 0.9
    assert "precision 0.9 wanted, 20 known pairs: threshold 0.9" in answer.said
    assert "20 listed, 0 added as pairs of pairs; an equal pair that the list lacks" in answer.said
    assert answer.said.count("(ranges over halves)") == 1
    curve = answer.tables["curve"].set_index("threshold")
    assert curve.loc[0.8, "recall"] == 1 and curve.loc[0.0, "precision"] < 0.01


def test_pairs_of_pairs_are_counted_apart_and_missing_pairs_lower_precision():
    x = with_duplicates(300, 20)
    known = pd.DataFrame({"first": range(20), "second": range(280, 300)})
    chained = pd.concat([known, pd.DataFrame({"first": [0, 1], "second": [1, 0]})])
    answer = threshold(x, known=chained)
    row = answer.tables["held_out"].iloc[0]
    assert (row["n_listed"], row["n_same"]) == (21, 24)
    assert "known pairs: 21 listed, 3 added as pairs of pairs; an equal pair" in answer.said
    whole, half = (
        threshold(x, known=pairs).tables["curve"].set_index("threshold")["precision"][0.9]
        for pairs in (known, known[:10])
    )
    assert whole == 1 and half == pytest.approx(0.5)


def test_known_pairs_at_random_have_no_threshold():
    known = pd.DataFrame({"first": range(40), "second": range(100, 140)})
    answer = threshold(np.random.default_rng(0).normal(size=(200, 24)), known=known)
    assert "no threshold has a precision 0.95 on " in answer.said


def test_centering_takes_off_the_mean():
    x = np.random.default_rng(0).normal(size=(6, 4)) + 5
    cloud = read_corpus(x).at()
    assert np.allclose(prepared(cloud, "centered"), x - x.mean(axis=0), atol=1e-5)
    assert prepared(cloud, "raw") is cloud.vectors


def test_texts_are_read_and_listed_with_their_words_at_every_layer(there: Path, tmp_path: Path):
    texts = [varied(n) for n in range(40)]
    texts[39] = texts[3].replace("cat", "dog")
    file = written(tmp_path, texts, list("ab") * 20)
    answer = threshold(file, "tiny", all_layers=True)
    assert answer.tables["rates"]["place"].nunique() == 9
    assert {"first_text", "second_text", "shared_runs"} <= {*answer.tables["pairs"]}
    assert answer.said.startswith("posts.csv by tiny, layer 2 of 2, mean: ")
    assert len(answer.tables["lengths"]) == 0  # too few


def test_short_and_long_texts_are_told_apart_where_their_cosines_differ():
    from embspace.app.practice.lengths import lengths_table, told_of_lengths

    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 24))
    x[200:] += 3  # long ones are alike
    cloud = read_corpus(x).at()
    lengths = np.r_[rng.integers(5, 20, 200), rng.integers(40, 60, 100)].astype(float)
    long = lengths_table(_with(cloud, lengths), 1e-2, 0.95, rng)
    (sentence,) = told_of_lengths(long)
    assert "the cosine hangs on lengths: one pair in 100 reaches 0." in sentence
    shuffled = lengths_table(_with(cloud, rng.permutation(lengths)), 1e-2, 0.95, rng)
    assert [*told_of_lengths(shuffled)] == []


def _with(cloud, lengths: np.ndarray):  # noqa: ANN001, ANN202
    from dataclasses import replace

    return replace(cloud, table=cloud.table.assign(n_tokens=lengths))


@pytest.mark.parametrize("value", [1.0, 0.1])
def test_equal_vectors_are_refused(value: float):
    with pytest.raises(
        InputError, match="vectors: found 40 vectors of 40 equal to the mean, allow"
    ):
        threshold(np.full((40, 16), value))


def test_one_document_apart_from_the_mean_has_no_pair(monkeypatch: pytest.MonkeyPatch):
    x = np.ones((8, 4), dtype=np.float32)
    x[6, 0], x[7, 0] = 2, 0
    corpus = planted(x, np.minimum(np.arange(8), 6))
    monkeypatch.setattr(module, "read_corpus", lambda *_, **__: corpus)
    with pytest.raises(InputError, match="planted: found 6 vectors of 8 equal to the mean"):
        threshold("planted")
