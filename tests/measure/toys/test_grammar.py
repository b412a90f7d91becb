from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.grammar.entropy import log_probability
from embspace.grammar.language import write_sentences
from embspace.measure.toys.grammar import measure_grammar
from tests.grammar.languages import LOPSIDED, language
from tests.grammar.test_entropy import TINY

SETTINGS = {"n_documents": 60, "largest_distance": 60, "largest_count": 20}
FEW = SETTINGS


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"language": language(**TINY if is_empty else LOPSIDED)}


@pytest.fixture(scope="module", params=[{}, LOPSIDED], ids=["as it comes", "lopsided"])
def outcome(request: pytest.FixtureRequest) -> Outcome:
    return measure_grammar(language(**request.param), **SETTINGS)


def quantities(outcome: Outcome) -> pd.DataFrame:
    return outcome["summary"].set_index("quantity")


def test_texts_show_what_the_rules_say(outcome: Outcome):
    compared = outcome["summary"].dropna(subset=["exact", "measured"])
    assert len(compared) == 3
    difference = (compared["exact"] - compared["measured"]).abs()
    assert (difference < 4 * compared["standard_error"]).all()


def test_the_entropy_lies_between_its_bounds_and_below_that_of_single_words(outcome: Outcome):
    table = quantities(outcome)
    entropy, slack = table["measured"]["entropy"], 4 * table["standard_error"]["entropy"]
    assert table["exact"]["entropy_lower_bound"] - slack < entropy
    assert entropy < table["exact"]["entropy_upper_bound"] + slack
    assert table["exact"]["entropy_upper_bound"] < table["exact"]["entropy_of_single_words"]


def test_both_distributions_are_whole_and_agree_with_the_summary(outcome: Outcome):
    table = quantities(outcome)
    rows = {
        name: group.set_index("count") for name, group in outcome["agreement"].groupby("quantity")
    }
    for counts in rows.values():
        assert counts["exact"].sum() == pytest.approx(1)
        assert counts["measured"].sum() == pytest.approx(1)
        often = counts[counts["exact"] * counts["n"] > 20]
        assert ((often["exact"] - often["measured"]).abs() < 4 * often["standard_error"]).all()
        assert (counts["measured"][counts["exact"] == 0] == 0).all()
    for side in ("exact", "measured"):
        distance = (rows["distance"].index * rows["distance"][side]).sum()
        assert table[side]["agreement_distance"] == pytest.approx(distance)
        assert table[side]["clauses_with_attractor"] == pytest.approx(
            1 - rows["attractors"][side][0]
        )


def test_a_tiny_language_is_counted_by_hand():
    # Determiner, noun, verb, determiner, noun and mark: nothing comes between noun and verb.
    table = quantities(measure_grammar(language(**TINY), **SETTINGS))
    assert table["exact"]["words_per_sentence"] == pytest.approx(6)
    assert table["measured"]["words_per_sentence"] == 6
    assert table["exact"]["agreement_distance"] == table["measured"]["agreement_distance"] == 1
    assert table["exact"]["clauses_with_attractor"] == pytest.approx(0, abs=1e-12)
    assert table["n"]["agreement_distance"] == 120  # two sentences a document
    assert table["standard_error"]["agreement_distance"] == 0


def test_words_that_are_never_used_are_counted():
    made = language(**TINY)  # knows adjectives, and no rule that takes one
    table = quantities(measure_grammar(made, **SETTINGS))
    used = {word for text in write_sentences(made, 0, 60)["text"] for word in text.split()}
    assert table["exact"]["words"] == len(made.lexicon.entries)
    assert table["exact"]["words_never_used"] == len(made.lexicon.entries) - len(used) > 0


def test_the_entropy_is_that_of_all_words_of_the_documents():
    made = language(**LOPSIDED)
    texts = write_sentences(made, 0, SETTINGS["n_documents"]).groupby("document")["text"]
    loss = -sum(log_probability(" ".join(words), made) for _, words in texts)
    n_words = sum(len(" ".join(words).split()) for _, words in texts)
    table = quantities(measure_grammar(made, **SETTINGS))
    assert table["measured"]["entropy"] == pytest.approx(loss / n_words)


def test_its_standard_error_is_the_spread_over_other_documents():
    losses, errors = [], []
    for seed in range(30):
        settings = SETTINGS | {"n_documents": 25}
        row = quantities(measure_grammar(language(**TINY, seed=seed), **settings))
        losses.append(row["measured"]["entropy"])
        errors.append(row["standard_error"]["entropy"])
    # The words of another seed are others, but not their probabilities.
    assert np.std(losses, ddof=1) == pytest.approx(np.mean(errors), rel=0.4)


def test_the_page_of_the_language_quotes_the_committed_tables(root: Path):
    page = " ".join((root / "docs/grammar.md").read_text(encoding="utf-8").split())
    table = pd.read_csv(root / "results/grammar/summary/toy.csv", index_col="quantity")
    agreement = pd.read_csv(root / "results/grammar/agreement/toy.csv", index_col=[0, 1])
    exact, entropy = table["exact"], table.loc["entropy"]
    for words in (
        f"has {exact['words']:.0f} words",
        f"A sentence has {exact['words_per_sentence']:.2f} words on average",
        f"{exact['entropy_lower_bound']:.3f} and {exact['entropy_upper_bound']:.3f} nats a word",
        f"{entropy['measured']:.3f} ± {entropy['standard_error']:.3f} (standard error)",
        f"first {entropy['n']:,.0f} documents",
        f"costs {exact['entropy_of_single_words']:.2f}",
        f"in {100 * exact['clauses_with_attractor']:.0f} of 100 main clauses",
        f"are {exact['agreement_distance']:.2f} words on average, and only one in "
        f"{100 * agreement['exact']['distance', 1]:.0f} of 100",
    ):
        assert words in page


@pytest.mark.parametrize("key", ["largest_distance", "largest_count"])
def test_a_table_that_leaves_much_out_is_refused(key: str):
    with pytest.raises(InputError, match=rf"grammar\.yaml: key '{key}': found 2, allowed: larger"):
        measure_grammar(language(**LOPSIDED), **SETTINGS | {key: 2})
