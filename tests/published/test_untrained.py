"""The verdicts on a model beside those on the same architecture with random weights."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.tables import save_table
from embspace.measure.compare.ledger import ROWS as COLUMNS
from embspace.published.untrained import (
    KEPT,
    beside_untrained,
    count_verdicts,
    families,
    keep_verdicts,
    kept_verdicts,
    trained_share,
)

ROWS = {
    "norms grow": ("weights", "matches", 0.9),
    "tokens differ": ("weights", "matches", 0.8),
    "words tell": ("weights", "matches", 0.7),
    "steps shrink": ("weights", "differs", 0.1),
    "circles part": ("toy", "matches", 1.0),
}


def verdicts(rows: dict[str, tuple[str, str, float]], **columns: object) -> pd.DataFrame:
    keys = ["about", "verdict", "value"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=keys).rename_axis("statement")
    table = table.reset_index().assign(source="a thesis", kind="claim", section="4.2")
    table = table.assign(statistic="a mean", holds_if="value > 0.5", rule=table["statement"])
    table = table.assign(**columns)
    return table.reindex(columns=[*COLUMNS])


RANDOM = {
    "norms grow": ("weights", "matches", 0.6),
    "tokens differ": ("weights", "differs", 0.2),
    "words tell": ("weights", "undecided", 0.5),
    "steps shrink": ("weights", "matches", 0.9),
    "circles part": ("toy", "matches", 1.0),
}


def random_weights(**columns: object) -> pd.DataFrame:
    """The twin's verdicts, as `load_verdicts` returns them."""
    return verdicts(RANDOM, **columns).assign(draws=1)


def test_what_matches_at_random_weights_as_well_holds_untrained():
    table = beside_untrained(verdicts(ROWS), random_weights()).set_index("statement")
    assert table["verdict"].to_dict() == {
        "norms grow": "holds, but also untrained",
        "tokens differ": "matches",
        "words tell": "matches",
        "steps shrink": "differs",
        "circles part": "matches",
    }
    assert table["training"].dropna().to_dict() == {
        "norms grow": "untrained, too",
        "tokens differ": "only after training",
        "words tell": "open",
    }
    assert table["untrained_value"].dropna().to_dict() == {
        "norms grow": 0.6,
        "tokens differ": 0.2,
        "words tell": 0.5,
        "steps shrink": 0.9,
    }


def test_without_a_twin_all_that_holds_is_open():
    table = beside_untrained(verdicts(ROWS), None)
    assert list(table["verdict"]) == [verdict for _, verdict, _ in ROWS.values()]
    assert set(table["training"].dropna()) == {"open"}
    assert trained_share(table) == ""


def test_a_twin_asked_by_another_rule_is_none():
    table = beside_untrained(verdicts(ROWS), random_weights(rule="another"))
    assert table["untrained_verdict"].isna().all()


def test_a_claim_put_in_other_words_keeps_its_twin():
    other_words = random_weights().assign(statement="in other words", statistic="a median")
    assert beside_untrained(verdicts(ROWS), other_words)["untrained_verdict"].notna().any()


def test_a_number_has_no_twin():
    number = verdicts(ROWS).assign(kind="number", about=None)
    table = beside_untrained(number, random_weights())
    assert table[["untrained_value", "untrained_verdict", "training"]].isna().all(axis=None)


def test_counts_say_what_needs_training():
    table = beside_untrained(verdicts(ROWS), random_weights())
    assert count_verdicts(table) == {
        "claim": {"differs": 1, "holds, but also untrained": 1, "matches": 3},
        "training": {"only after training": 1, "open": 1, "untrained, too": 1},
    }
    assert trained_share(table) == (
        ". Of the 3 that hold and read weights, 1 holds at random weights, too, 1 not there, and 1 "
        "is open there"
    )


def test_q_values_are_of_the_p_values_of_one_family():
    rows = {f"claim {number}": ("weights", "matches", 0.9) for number in range(4)}
    table = verdicts(rows).assign(p_value=[0.01, 0.04, None, 0.04], question=["1", "1", "1", "2"])
    q_values = beside_untrained(table, None)["family_q_value"]
    assert list(q_values[:2]) == pytest.approx([0.02, 0.04])
    assert pd.isna(q_values[2])
    assert q_values[3] == pytest.approx(0.04)  # alone in its family


def test_a_claim_without_a_question_is_of_its_sections_family():
    table = verdicts(ROWS).assign(question=["1", None, None, "1", None])
    assert list(families(table)) == [
        "question 1",
        "section 4.2",
        "section 4.2",
        "question 1",
        "section 4.2",
    ]


def test_a_random_models_verdicts_are_kept_for_its_twins(tree: Path):
    table = verdicts(RANDOM)
    save_table(table, "results/ledger/small_random.csv")
    file = keep_verdicts("small_random", Path("results"))
    kept = kept_verdicts("small_random")
    assert file == Path("data/published/verdicts/small_random.csv")
    assert kept is not None
    assert {*KEPT} - {*kept.columns} == {"draw"} and set(kept["draws"]) == {1}
    assert "circles part" not in set(kept["statement"])  # reads no weights
    table = beside_untrained(verdicts(ROWS), kept).set_index("statement")
    assert table.loc["norms grow", "verdict"] == "holds, but also untrained"


def test_of_several_draws_one_that_matches_is_enough_and_all_must_differ(tree: Path):
    further = {
        "norms grow": ("weights", "differs", 0.4),  # in one of three
        "tokens differ": ("weights", "differs", 0.3),  # in none
        "words tell": ("weights", "differs", 0.1),  # open in one
        "steps shrink": ("weights", "matches", 0.9),
    }
    save_table(verdicts(RANDOM), "results/ledger/small_random.csv")
    for draw in (1, 2):
        save_table(verdicts(further), f"results/ledger/small_random_{draw}.csv")
    keep_verdicts("small_random", Path("results"), ["small_random_1", "small_random_2"])
    kept = kept_verdicts("small_random")
    assert kept is not None and set(kept["draws"]) == {3}
    by_statement = kept.set_index("statement")
    assert by_statement["verdict"].to_dict() == {
        "norms grow": "matches",
        "tokens differ": "differs",
        "words tell": "undecided",
        "steps shrink": "matches",
    }
    assert by_statement["value"].to_dict() == pytest.approx(
        {"norms grow": 0.4, "tokens differ": 0.3, "words tell": 0.1, "steps shrink": 0.9}
    )
    table = beside_untrained(verdicts(ROWS), kept)
    assert set(table["untrained_draws"].dropna()) == {3}
    said = trained_share(table)
    assert ", 1 holds in at least one of 3 draws of random weights, too, 1 in none, and 1" in said


def test_a_twin_whose_verdicts_nobody_kept_is_told(tree: Path, caplog: pytest.LogCaptureFixture):
    assert kept_verdicts(None) is None
    assert kept_verdicts("small_random") is None
    assert "small_random.csv: not found" in caplog.text
    assert "embspace thesis small_random --keep" in caplog.text


def test_verdicts_kept_by_an_older_version_are_told(tree: Path):
    save_table(verdicts(RANDOM).drop(columns="rule"), "data/published/verdicts/small_random.csv")
    with pytest.raises(InputError, match="small_random.csv: has no column 'rule'.*--keep"):
        kept_verdicts("small_random")
