"""Holds the tables of stitched models to answers that are known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.sequences.sequence_texts import Sequences
from embspace.measure.sequences.stitching_pairs import (
    FREQUENT,
    IDENTITY,
    SHUFFLED,
    TRAINED,
    TURNED,
    VOCABULARY,
    Explained,
    StitchedPair,
)
from embspace.measure.sequences.stitching_rows import (
    DIFFERS,
    MATCHES,
    UNDECIDED,
    _document_shares,
    best_layer,
    chance_of,
    claim_rows,
    layer_rows,
    pair_rows,
    verdict,
)

ENDS = ("", "_low", "_high")
OPTIONS: dict[str, Any] = {"n_resamples": 50, "level": 0.95, "seed": 0}
N_DOCUMENTS, N_LAYERS = 40, 4
DOCUMENT = np.repeat(np.arange(N_DOCUMENTS), 2)
SEQUENCES = Sequences(
    [""] * len(DOCUMENT), ["a", "b"], (DOCUMENT % 2).astype(np.int64), DOCUMENT.astype(np.int64)
)


def right(*accuracy: float, n: int = 2 * N_DOCUMENTS) -> np.ndarray:
    """Answers, by layer, of which every 1 / accuracy-th is right."""
    rng = np.random.default_rng(0)
    return np.stack([rng.permutation(n) < round(share * n) for share in accuracy])


def one_of_two(*accuracy: float) -> np.ndarray:
    """Answers of which each document has one right of two where the accuracy is 0.5."""
    answers = right(*accuracy)
    answers[np.array(accuracy) == 0.5] = np.arange(2 * N_DOCUMENTS) % 2 == 0
    return answers


def pair(upper: int, lower: int, vocabulary: tuple[float, ...]) -> StitchedPair:
    is_other = upper != lower
    stitches = {VOCABULARY: one_of_two(*vocabulary), IDENTITY: right(0.5, 0.5, 0.5, 0.5)}
    stitches |= {FREQUENT: right(0.9, 0.4, 0.7, 0.8)}
    draws = [right(0.5, 0.4, 0.6, 0.5, n=N_DOCUMENTS), right(0.4, 0.6, 0.2, 0.5, n=N_DOCUMENTS)]
    return StitchedPair(
        upper,
        lower,
        not is_other,
        right(1.0)[0],
        stitches | ({TRAINED: right(0.5, 0.8, 0.9, 0.95)} if is_other else {}),
        {TURNED: draws, SHUFFLED: draws[:1]} if is_other else {},
        Explained(0.25, 0.125, 20),
        Explained(0.75, 0.5, 10),
    )


GOOD, POOR = (0.5, 1.0, 0.95, 0.9), (0.5, 1.0, 0.5, 0.5)


def test_a_row_for_each_layer_and_stitch() -> None:
    table = pd.DataFrame(layer_rows([pair(0, 1, GOOD)], SEQUENCES, **OPTIONS))
    assert set(table.groupby("stitch").size()) == {N_LAYERS}
    of = {name: rows.set_index("layer") for name, rows in table.groupby("stitch")}
    assert of[VOCABULARY]["accuracy"].tolist() == pytest.approx(GOOD)
    assert of[VOCABULARY]["less_vocabulary"].isna().all()
    assert of[IDENTITY].loc[2, "less_vocabulary"] == pytest.approx(-0.45)
    assert of[IDENTITY].loc[2, "less_vocabulary_high"] < 0
    # Of random stitches the mean and the range of draws, of one text a document.
    assert of[TURNED].loc[2, "accuracy"] == pytest.approx(0.4)
    assert of[TURNED].loc[2, ["accuracy_low", "accuracy_high"]].tolist() == [0.2, 0.6]
    assert set(of[TURNED]["n"]) == {N_DOCUMENTS} and set(of[VOCABULARY]["n"]) == {len(DOCUMENT)}
    assert set(of[TURNED]["n_draws"]) == {2}
    # All right: the interval is the value.
    assert of[VOCABULARY].loc[1, ["accuracy_low", "accuracy_high"]].tolist() == pytest.approx(
        [1, 1]
    )


def test_the_best_layer_is_of_the_upper_half() -> None:
    assert best_layer(np.array([1.0, 0.9, 0.1, 0.3, 0.2])) == 3
    assert best_layer(np.array([0.0, 0.2, 0.2])) == 1
    assert best_layer(np.array([0.3])) == 0


def test_a_pair_is_held_to_chance_and_to_all_random_stitches() -> None:
    pairs = [pair(0, 1, GOOD), pair(1, 0, POOR), pair(0, 0, GOOD)]
    table = pd.DataFrame(pair_rows(pairs, SEQUENCES, **OPTIONS))
    assert chance_of(SEQUENCES) == 0.5
    assert table["best_layer"].tolist() == [2, 2, 2]
    assert table["accuracy"].tolist() == pytest.approx([0.95, 0.5, 0.95])
    assert table["unstitched_accuracy"].tolist() == pytest.approx([1, 1, 1])
    assert table["recovered"].tolist() == pytest.approx([0.9, 0.0, 0.9])
    # Of the second half of layers, the best draw has 0.6.
    assert table["null_accuracy_largest"].tolist()[:2] == pytest.approx([0.6, 0.6])
    assert table["null_accuracy"].tolist()[0] == pytest.approx((0.6 + 0.5 + 0.6) / 3)
    assert table["above_random"].tolist()[0] == MATCHES
    # The interval is 0.5 on both sides: no higher than chance and the mean of random stitches.
    assert table.loc[1, ["accuracy_low", "accuracy_high"]].tolist() == pytest.approx([0.5, 0.5])
    assert table["above_random"].tolist()[1] == DIFFERS
    assert table["recovers_most"].tolist()[:2] == [MATCHES, DIFFERS]
    # The trained stitch is at its own best layer: at that of the vocabulary's it has 0.9.
    assert table["trained_best_layer"].tolist()[:2] == [3, 3]
    assert table["trained_accuracy"].tolist()[:2] == pytest.approx([0.95, 0.95])
    assert (table["trained_accuracy_low"][:2] < 0.95).all()
    assert (table["trained_accuracy_high"][:2] > 0.95).all()
    assert table["frequent_best_layer"].tolist() == [3, 3, 3]
    assert table["frequent_accuracy"].tolist() == pytest.approx([0.8] * 3)
    assert table["n_frequent_tokens"].tolist() == [10] * 3
    shares = ["explained_share", "shuffled_explained_share"]
    shares += ["frequent_explained_share", "shuffled_frequent_explained_share"]
    assert table.loc[0, shares].tolist() == [0.25, 0.125, 0.75, 0.5]
    # A seed with itself is a control, of which nothing is claimed.
    assert table.loc[2, ["above_random", "recovers_most", "trained_accuracy"]].isna().all()


def test_a_good_random_stitch_of_any_pair_raises_the_bar_that_others_are_to_pass() -> None:
    draw = right(0.5, 0.5, 1.0, 0.5, n=N_DOCUMENTS)
    lucky = replace(pair(1, 0, POOR), null={TURNED: [draw] * 100})
    table = pd.DataFrame(pair_rows([pair(0, 1, GOOD), lucky], SEQUENCES, **OPTIONS))
    assert set(table["null_accuracy_largest_of_all_pairs"]) == {1.0}
    # Above the mean of its own random stitches, though not above that of all pairs.
    mean_of_all = (0.6 + 0.5 + 0.6 + 100) / 103
    assert table.loc[0, "accuracy_low"] > 0.6 and table.loc[0, "accuracy_high"] < mean_of_all
    assert table["above_random"].tolist() == [UNDECIDED, DIFFERS]


def test_the_bar_is_the_best_random_stitch_of_all_pairs_not_the_worst() -> None:
    draws = [right(0.5, 0.5, share, 0.5, n=N_DOCUMENTS) for share in (1.0, 0.5)]
    lucky = replace(pair(1, 0, POOR), null={TURNED: draws})
    table = pd.DataFrame(pair_rows([pair(0, 1, GOOD), lucky], SEQUENCES, **OPTIONS))
    assert table["null_accuracy_largest_of_all_pairs"].tolist() == [1.0, 1.0]


def test_above_chance_and_not_above_the_mean_of_its_random_stitches_differs() -> None:
    draw = right(0.5, 0.5, 1.0, 0.5, n=N_DOCUMENTS)
    held = replace(pair(0, 1, GOOD), null={TURNED: [draw]})
    (row,) = pair_rows([held], SEQUENCES, **OPTIONS)
    assert row["accuracy_low"] > row["chance"] and row["above_random"] == DIFFERS


def test_what_none_recovers_or_no_classifier_has_is_no_error() -> None:
    null = pair(0, 1, (0.5, 0.5, 0.5, 0.5))
    helpless = replace(null, unstitched=right(0.5)[0])
    with np.errstate(all="raise"):
        (row,) = pair_rows([helpless], SEQUENCES, **OPTIONS)
    assert np.isnan(row["recovered"]) and row["recovers_most"] == UNDECIDED


def test_verdicts_are_of_the_whole_interval() -> None:
    bars = {"above": 0.5, "not_above": 0.5}
    verdicts = [
        verdict(*bounds, **bars) for bounds in ((0.6, 0.7), (0.4, 0.5), (0.4, 0.6), (0.5, 0.6))
    ]
    assert verdicts == [MATCHES, DIFFERS, UNDECIDED, UNDECIDED]
    assert verdict(0.5 + 1e-15, 0.6, **bars) == UNDECIDED
    assert verdict(float("nan"), float("nan"), **bars) == UNDECIDED


def test_between_the_bars_a_verdict_is_undecided() -> None:
    bars = {"above": 0.5, "not_above": 0.3}
    ends = ((0.51, 0.6), (0.31, 0.5), (0.2, 0.31), (0.2, 0.3))
    assert [verdict(*bounds, **bars) for bounds in ends] == [MATCHES, UNDECIDED, UNDECIDED, DIFFERS]


def test_a_claim_asks_for_all_pairs_of_a_seed() -> None:
    rows = [(0, 1, MATCHES), (0, 2, MATCHES), (1, 0, MATCHES), (1, 2, DIFFERS)]
    rows += [(2, 0, DIFFERS), (2, 1, DIFFERS), (0, 0, None), (2, 2, None)]
    pairs = pd.DataFrame(rows, columns=["upper_seed", "lower_seed", "above_random"])
    pairs["is_control"] = pairs["upper_seed"] == pairs["lower_seed"]
    pairs["recovers_most"] = UNDECIDED
    pairs = pairs.assign(recovered=0.9, recovered_low=0.8)
    table = pd.DataFrame(claim_rows(pairs))
    assert table["verdict"].tolist() == [MATCHES, UNDECIDED, DIFFERS] + [UNDECIDED] * 3
    assert table["seed"].tolist() == [0, 1, 2] * 2
    assert table["n_matching"].tolist() == [2, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(("low", "expected"), [(0.6, DIFFERS), (0.5, UNDECIDED), (None, UNDECIDED)])
def test_nothing_differs_where_the_control_fails(low: float | None, expected: str) -> None:
    rows = [(0, 1, 0.1, 0.0), (0, 2, 0.1, 0.0), (0, 0, 0.7, low)][: 2 if low is None else 3]
    pairs = pd.DataFrame(rows, columns=["upper_seed", "lower_seed", "recovered", "recovered_low"])
    pairs = pairs.assign(above_random=DIFFERS, recovers_most=DIFFERS)
    pairs["is_control"] = pairs["upper_seed"] == pairs["lower_seed"]
    table = pd.DataFrame(claim_rows(pairs))
    assert table["verdict"].tolist() == [expected] * 2
    assert table["control_recovered_low"].isna().all() == (low is None)


def test_every_count_and_bound_of_a_pair() -> None:
    base = replace(pair(3, 4, GOOD), right={**pair(3, 4, GOOD).right, IDENTITY: right(1, 0, 0, 1)})
    named = replace(pair(3, 4, GOOD), lower="base", is_control=True, null={})
    first, second = pair_rows([base, named], SEQUENCES, **OPTIONS)
    expected = {"upper_seed": 3, "lower_seed": 4, "lower_model": None, "is_control": False}
    expected |= {"n": 2 * N_DOCUMENTS, "n_documents": N_DOCUMENTS, "n_classes": 2, "chance": 0.5}
    expected |= {"identity_best_layer": 3, "best_layer": 2}
    assert {name: first[name] for name in expected} == expected
    all_right = [f"{name}_accuracy{end}" for name in ("identity", "unstitched") for end in ENDS]
    assert [first[name] for name in all_right] == pytest.approx([1] * 6)
    for name in ("accuracy", "recovered", "frequent_accuracy"):
        assert first[f"{name}_low"] < first[name] < first[f"{name}_high"]
    # Of what is twice as far above chance as below 1, the ends are twice as far from it.
    for end in ENDS[1:]:
        recovered = (first[f"accuracy{end}"] - 0.5) / 0.5
        assert first[f"recovered{end}"] == pytest.approx(recovered, abs=0.02)
    assert (second["lower_seed"], second["lower_model"]) == (None, "base")
    assert second["is_control"] is True and "above_random" not in second


def test_every_number_of_the_claims() -> None:
    rows = [(0, 1, MATCHES), (0, 2, DIFFERS), (0, 3, DIFFERS), (0, 0, None)]
    pairs = pd.DataFrame(rows, columns=["upper_seed", "lower_seed", "above_random"])
    pairs["is_control"] = pairs["upper_seed"] == pairs["lower_seed"]
    pairs = pairs.assign(recovers_most=[UNDECIDED, MATCHES, MATCHES, None])
    pairs = pairs.assign(recovered=[0.1, 0.2, 0.3, 0.9], recovered_low=[0.0, 0.1, 0.2, 0.7])
    columns = ["seed", "n_pairs", "n_matching", "n_differing", "control_recovered"]
    table = pd.DataFrame(claim_rows(pairs))[[*columns, "control_recovered_low"]]
    assert table.to_numpy().tolist() == [[0, 3, 1, 2, 0.9, 0.7], [0, 3, 2, 0, 0.9, 0.7]]


def test_a_document_is_as_right_as_its_texts_are() -> None:
    document = np.array([0, 0, 0, 1, 2, 2])
    given = Sequences([""] * 6, ["a", "b", "c"], np.array([0, 0, 0, 1, 0, 0]), document)
    answers = np.array([[True, True, False, True, False, True], [False] * 6])
    assert _document_shares(answers, given) == pytest.approx(
        np.array([[2 / 3, 1, 1 / 2], [0, 0, 0]])
    )
    assert chance_of(given) == pytest.approx(2 / 3)
