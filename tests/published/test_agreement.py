import numpy as np
import pytest

from embspace.published.agreement import agreement_of
from embspace.published.sources import Entry, _why_not_all_pairs

NAMES = ["ab", "cd", "ef", "gh", "ij"]
PAIRS = [(one, other) for i, one in enumerate(NAMES) for other in NAMES[i + 1 :]]
VALUES = np.random.default_rng(0).normal(size=len(PAIRS)).round(3)


def entry(pair: tuple[str, str], value: float) -> Entry:
    return Entry.model_validate(
        {
            "quantity": f"cosine of {pair[0]}, {pair[1]}",
            "model": "any",
            "file": "results/x/{model}.csv",
            "pair": {"columns": ["one", "other"], "values": [*pair]},
            "published": {"cosine": str(value)},
        }
    )


def rows(values: np.ndarray) -> list[dict[str, str | float | None]]:
    """Return rows in which some pairs stand the other way round."""
    return [
        {"one": two[i % 2], "other": two[1 - i % 2], "cosine": float(value)}
        for i, (two, value) in enumerate(zip(PAIRS, values, strict=True))
    ]


PRINTED = [entry(pair, value) for pair, value in zip(PAIRS, VALUES, strict=True)]


def test_equal_numbers_agree_beyond_all_renamings():
    agreement = agreement_of(PRINTED, "cosine", rows(2 * VALUES))
    assert agreement.correlation == pytest.approx(1)
    assert agreement.null_high < 1
    assert agreement.p_value == pytest.approx(1 / 120)


def test_other_numbers_agree_as_renamings_do():
    p_values = [
        agreement_of(PRINTED, "cosine", rows(np.random.default_rng(seed).normal(size=10))).p_value
        for seed in range(1, 60)
    ]
    assert np.mean(np.array(p_values) <= 0.05) < 0.15


def test_a_pair_that_is_lacking_is_named():
    with pytest.raises(LookupError, match="no cosine of ab and cd"):
        agreement_of(PRINTED, "cosine", rows(VALUES)[1:])


def test_a_number_of_zero_is_a_number():
    zero = VALUES.copy()
    zero[0] = 0
    assert agreement_of(PRINTED, "cosine", rows(zero)).correlation < 1


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        (PRINTED, ""),
        (PRINTED[1:], "9 pairs in 9 entries, allowed: 10 pairs"),
        ([*PRINTED, PRINTED[0]], "10 pairs in 11 entries"),
        (PRINTED[:1], "2 things, allowed: 3 to 8"),
    ],
)
def test_printed_numbers_are_of_all_pairs_of_a_few_things(printed: list[Entry], reason: str):
    assert _why_not_all_pairs(printed).startswith(reason) and bool(reason) == bool(
        _why_not_all_pairs(printed)
    )
