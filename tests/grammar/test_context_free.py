from collections import Counter

import numpy as np
import pytest

from embspace.grammar.context_free import (
    ContextFreeGrammar,
    Node,
    Rule,
    count_distribution,
    entropy,
    expected_counts,
    rule_entropy,
)

AGAIN = 0.4
# "a" n times, with the probability (1 - AGAIN) AGAIN^n, then "b".
LIST = ContextFreeGrammar("List", {"List": (Rule(AGAIN, ("a", "List")), Rule(1 - AGAIN, ("b",)))})
# A mobile: each end may carry two more. Ambiguous in nothing; sizes are those of random trees.
TREE = ContextFreeGrammar(
    "Tree", {"Tree": (Rule(0.3, ("(", "Tree", "Tree", ")")), Rule(0.7, ("leaf",)))}
)


def leaves(node: Node) -> list[str]:
    if not node.children:
        return [node.symbol] if node.end > node.start else []
    return [leaf for child in node.children for leaf in leaves(child)]


def test_probabilities_that_do_not_sum_to_one_are_refused():
    with pytest.raises(ValueError, match="of the rules of 'S' do not sum to one"):
        ContextFreeGrammar("S", {"S": (Rule(0.4, ("a",)), Rule(0.5, ()))})


def test_counts_of_a_list_are_those_of_the_geometric_distribution():
    counts = expected_counts(LIST)
    assert counts["a"] == pytest.approx(AGAIN / (1 - AGAIN))
    assert counts["b"] == pytest.approx(1)
    assert counts["List"] == pytest.approx(1 / (1 - AGAIN))


def test_entropy_of_a_list_is_that_of_the_geometric_distribution():
    expected = entropy([AGAIN, 1 - AGAIN]) / (1 - AGAIN)
    assert expected_counts(LIST)["List"] * rule_entropy(LIST, "List") == pytest.approx(expected)
    n = np.arange(200)
    assert entropy((1 - AGAIN) * AGAIN**n) == pytest.approx(expected)
    assert rule_entropy(LIST, "a") == 0


def test_the_distribution_of_a_count_is_exact():
    shares = count_distribution(LIST, ["List"], lambda name: name == "a", largest=9)
    np.testing.assert_allclose(shares, (1 - AGAIN) * AGAIN ** np.arange(10), rtol=1e-12)
    # Of two lists, each with its b: a negative binomial, two to the right.
    shares = count_distribution(LIST, ["List", "List"], lambda _: True, largest=9)
    n = np.arange(8)
    np.testing.assert_allclose(shares[2:], (n + 1) * (1 - AGAIN) ** 2 * AGAIN**n, rtol=1e-12)
    # What is never counted, and what always is.
    (nothing,) = count_distribution(LIST, ["List"], lambda name: name == "c", largest=0)
    assert nothing == pytest.approx(1)
    assert count_distribution(LIST, ["b"], lambda _: True, largest=0).tolist() == [0]


def test_derivations_are_as_frequent_as_the_rules_say():
    generator = np.random.default_rng(0)
    sizes = [TREE.derive(generator).count("leaf") for _ in range(4000)]
    expected = count_distribution(TREE, ["Tree"], lambda name: name == "leaf", largest=6)
    observed = np.bincount(sizes, minlength=7)[:7] / len(sizes)
    error = np.sqrt(expected * (1 - expected) / len(sizes))
    assert np.all(np.abs(observed - expected) <= 4 * error)
    deviation = np.mean(sizes) - expected_counts(TREE)["leaf"]
    assert abs(deviation) < 4 * np.std(sizes) / np.sqrt(len(sizes))


def test_what_is_derived_has_one_tree_whose_leaves_it_is():
    generator = np.random.default_rng(1)
    for _ in range(50):
        derived = TREE.derive(generator)
        (tree,) = TREE.parses(derived)
        assert leaves(tree) == derived
        assert (tree.start, tree.end) == (0, len(derived))


def test_what_breaks_the_rules_has_no_tree_and_what_is_ambiguous_several():
    assert LIST.parses(["a", "a"]) == LIST.parses(["a", "b", "b"]) == LIST.parses([]) == []
    pair = ContextFreeGrammar(
        "S", {"S": (Rule(1.0, ("M", "M")),), "M": (Rule(0.5, ()), Rule(0.5, ("a",)))}
    )
    assert len(pair.parses(["a"])) == 2
    assert Counter(len(pair.parses(["a"] * n)) for n in range(4)) == {1: 2, 2: 1, 0: 1}


def test_a_rule_of_no_probability_makes_no_tree():
    never = ContextFreeGrammar("S", {"S": (Rule(1.0, ("a",)), Rule(0.0, ("b",)))})
    assert len(never.parses(["a"])) == 1
    assert never.parses(["b"]) == []
