"""Probabilistic context-free grammars: derive, parse, and what follows from the rules alone.

Booth & Thompson (1973), "Applying probability measures to abstract languages".
"""

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Rule(NamedTuple):
    """The results of rewriting a symbol, with their probabilities."""

    probability: float
    symbols: tuple[str, ...]


class Node(NamedTuple):
    """A symbol and what it became: the leaves from `start` to before `end`."""

    symbol: str
    start: int
    end: int
    probability: float  # of the rule that was used; one for a leaf
    children: tuple["Node", ...]


@dataclass(frozen=True)
class ContextFreeGrammar:
    """Rules by the replaced symbol; a symbol without rules is a terminal.

    No symbol may come back as the first of its own replacement (left recursion), as `parses` would
    follow it for ever.
    """

    start: str
    rules: Mapping[str, tuple[Rule, ...]]

    def __post_init__(self) -> None:
        for symbol, rules in self.rules.items():
            if abs(sum(rule.probability for rule in rules) - 1) > 1e-9:
                raise ValueError(f"the probabilities of the rules of '{symbol}' do not sum to one")

    @cached_property
    def terminals(self) -> list[str]:
        """Return the terminals in the order in which the rules first name them."""
        named = (name for rules in self.rules.values() for rule in rules for name in rule.symbols)
        return list(dict.fromkeys(name for name in named if name not in self.rules))

    @cached_property
    def _cumulative(self) -> dict[str, list[float]]:
        """Return the cumulative probabilities without the last, which is 1; draws lie below it."""
        return {
            symbol: list(accumulate(rule.probability for rule in rules))[:-1]
            for symbol, rules in self.rules.items()
        }

    def derive(self, generator: np.random.Generator) -> list[str]:
        """Terminals, drawn from the grammar."""
        leaves, open_symbols = [], [self.start]
        while open_symbols:
            symbol = open_symbols.pop()
            if symbol not in self.rules:
                leaves.append(symbol)
                continue
            limits = self._cumulative[symbol]
            chosen = bisect(limits, generator.random()) if limits else 0
            open_symbols.extend(reversed(self.rules[symbol][chosen].symbols))
        return leaves

    def parses(self, leaves: Sequence[str]) -> list[Node]:
        """All trees of these terminals; one if the grammar is unambiguous, none for broken rules.

        Only by rules of a probability above zero.
        """
        trees = self._parses(self.start, leaves, 0)
        return [tree for tree in trees if tree.end == len(leaves)]

    def _parses(self, symbol: str, leaves: Sequence[str], start: int) -> Iterator[Node]:
        if symbol not in self.rules:
            if start < len(leaves) and leaves[start] == symbol:
                yield Node(symbol, start, start + 1, 1.0, ())
            return
        for probability, symbols in self.rules[symbol]:
            if probability > 0:
                for children in self._sequences(symbols, leaves, start):
                    end = children[-1].end if children else start
                    yield Node(symbol, start, end, probability, children)

    def _sequences(
        self, symbols: tuple[str, ...], leaves: Sequence[str], start: int
    ) -> Iterator[tuple[Node, ...]]:
        if not symbols:
            yield ()
            return
        for first in self._parses(symbols[0], leaves, start):
            for others in self._sequences(symbols[1:], leaves, first.end):
                yield (first, *others)


def expected_counts(grammar: ContextFreeGrammar) -> dict[str, float]:
    """Return the mean number of occurrences of a symbol in a derivation, terminals included.

    With M the mean number of a symbol in one replacement of a second symbol, the counts c solve c =
    start + c M. Finite if the recursion dies out.
    """
    names = [*grammar.rules, *grammar.terminals]
    row = {name: number for number, name in enumerate(names)}
    made = np.zeros((len(names), len(names)))
    for symbol, rules in grammar.rules.items():
        for rule in rules:
            for name in rule.symbols:
                made[row[symbol], row[name]] += rule.probability
    start = np.zeros(len(names))
    start[row[grammar.start]] = 1
    counts = np.linalg.solve(np.eye(len(names)) - made.T, start)
    return dict(zip(names, counts.tolist(), strict=True))


def rule_entropy(grammar: ContextFreeGrammar, symbol: str) -> float:
    """Return the entropy of the choice among a symbol's rules, in nats; zero for a terminal."""
    return entropy([rule.probability for rule in grammar.rules.get(symbol, ())])


def entropy(probabilities: Sequence[float] | Float[np.ndarray, " outcome"]) -> float:
    """Return the entropy in nats."""
    p = np.asarray(probabilities, dtype=np.float64)
    p = p[p > 0]
    return float(-(p * np.log(p)).sum()) + 0.0  # no -0.0


def count_distribution(
    grammar: ContextFreeGrammar,
    symbols: Sequence[str],
    counted: Callable[[str], bool],
    *,
    largest: int,
) -> Float[np.ndarray, " count"]:
    """P(n), n = 0 to `largest`, of the number of counted terminals from all `symbols` together.

    Coefficients of probability-generating functions: a symbol's function is the sum over the
    symbol's rules of probability times the product of the functions on the right-hand side, in the
    limit of trees of growing depth. Numbers above `largest` are left out: the sum may fall short of
    one.
    """
    unit = np.zeros(largest + 1)
    unit[0] = 1.0
    one = np.roll(unit, 1) if largest else np.zeros(1)
    series = {name: one if counted(name) else unit for name in grammar.terminals}
    series |= {name: np.zeros(largest + 1) for name in grammar.rules}

    def product(names: Sequence[str]) -> Float[np.ndarray, " count"]:
        result = unit
        for name in names:
            result = np.convolve(result, series[name])[: largest + 1]
        return result

    change = 1.0
    while change > 0:
        change = 0.0
        for name, rules in grammar.rules.items():
            new = sum((rule.probability * product(rule.symbols) for rule in rules), 0 * unit)
            # What recursion still adds becomes smaller than can be told from rounding.
            if (step := float(np.abs(new - series[name]).max())) > 1e-15:
                series[name], change = new, max(change, step)
    return product(symbols)
