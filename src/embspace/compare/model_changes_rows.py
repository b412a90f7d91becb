"""Pairs the weights of two models and measures how far each moved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from jaxtyping import Float, Int

from embspace.files.tables import Row
from embspace.geometry.parameters.change_spectrum import (
    ChangeSpectrum,
    change_spectrum,
    gaussian_participation_ratio,
    leading_directions,
    overlap_with,
    within_rounding,
)
from embspace.geometry.parameters.rounding import common_format, rounding_between
from embspace.geometry.parameters.weight_change import WeightChange, pooled, weight_change
from embspace.models.parameters.all_weights import (
    HEAD,
    OPTIONAL,
    OUTPUT,
    POSITIONS,
    TOKENS,
    AllWeights,
    Weight,
)

IDENTICAL, ROUNDED, MOVED = "identical", "rounded", "moved"
UNRELATED, NOT_CHECKABLE = "no nearer than dealt rows", "not checkable"
ALL = "all"
NEAR_MOST = 0.9
"""Few entries are related from this share of the most possible deviations on: a correlation."""


@dataclass(frozen=True)
class Rules:
    """Holds the settings of sizes and spectra."""

    n_directions: int
    least_rows: int
    least_deviations: float


@dataclass(frozen=True, eq=False)
class PairedWeight:
    """A weight of two models, with matched rows."""

    weight: Weight
    """The weight of the first model, with all rows."""
    before: Float[np.ndarray, "row dim"]
    after: Float[np.ndarray, "row dim"]
    rows: Int[np.ndarray, " row"]
    """The numbers of the rows in the first model's weight."""
    formats: frozenset[str]
    """The formats that hold either model as a whole."""

    @cached_property
    def rounding(self) -> str:
        """The rounding that explains the whole difference; "" if none.

        To a format that holds all weights of a model: gains of 1 lie in any format, and numbers
        near 1 would round to 1.
        """
        if exactly := rounding_between(self.before, self.after, self.formats):
            return exactly
        stored = within_rounding(self.before, self.after)
        return stored if stored in self.formats else ""

    @cached_property
    def is_identical(self) -> bool:
        """True if no entry differs."""
        return np.array_equal(self.before, self.after)


@dataclass(frozen=True, eq=False)
class MeasuredChange:
    """A group of weights of a layer, with the row and, for a single matrix, the spectrum."""

    row: Row
    paired: list[PairedWeight]
    spectrum: ChangeSpectrum | None


def mismatch(one: AllWeights, other: AllWeights, names: tuple[str, str]) -> str:
    """Return the reason why the weights of two models cannot be paired; "" if none."""
    if one.n_layers != other.n_layers:
        return (
            f"{names[0]} has {one.n_layers} layers, {names[1]} {other.n_layers}: their blocks are "
            "no pairs; `model_parameter_alignment` matches such layers"
        )
    shapes, others = ({x.key: x for x in model.weights if _has_to_fit(x)} for model in (one, other))
    for has, lacks, owner, name in ((shapes, others, *names), (others, shapes, *names[::-1])):
        for key, weight in has.items():
            if key not in lacks:
                return f"{owner} has {_place(weight)}, {name} has none"
    for key, weight in shapes.items():
        shape, other_shape = (x.values.shape for x in (weight, others[key]))
        if (
            weight.group not in (TOKENS, POSITIONS)
            and shape != other_shape
            or shape[1:] != other_shape[1:]
        ):
            return _unlike(weight, others[key], names)
    return ""


def _unlike(weight: Weight, match: Weight, names: tuple[str, str]) -> str:
    shape, other_shape = (_size(x.values.shape) for x in (weight, match))
    return f"{_place(weight)} is {shape} in {names[0]}, {other_shape} in {names[1]}"


def _has_to_fit(weight: Weight) -> bool:
    return weight.group not in OPTIONAL


def _place(weight: Weight) -> str:
    suffix = "" if weight.layer is None else f" of layer {weight.layers}"
    return f"'{weight.name}'{suffix}"


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(str(n) for n in shape if n != 1) or "1"


def paired_weights(one: AllWeights, other: AllWeights) -> Iterator[PairedWeight]:
    """Yield the common weights: rows of the same tokens and positions, other weights whole.

    A part on top is left out, with a row of `left_out_rows`, if a model lacks the part or the
    shapes differ.
    """
    others = {weight.key: weight for weight in other.weights}
    formats = frozenset(common_format(x.values for x in model.weights) for model in (one, other))
    rows, other_rows = _common_tokens(one.tokens, other.tokens)
    for weight in one.weights:
        match = others.get(weight.key)
        if match is None or weight.values.shape[1] != match.values.shape[1]:
            continue
        if _is_by_token(weight):
            kept, other_kept = rows, other_rows
        else:
            n = min(len(weight.values), len(match.values))
            if weight.group != POSITIONS and len(weight.values) != len(match.values):
                continue
            kept = other_kept = np.arange(n)
        if len(kept):
            yield PairedWeight(weight, weight.values[kept], match.values[other_kept], kept, formats)


def left_out_rows(
    one: AllWeights, other: AllWeights, weights: Sequence[PairedWeight], names: tuple[str, str]
) -> Iterator[Row]:
    """Yield a row for every group with unpaired weights, with the reason.

    A weight left out of a group with further weights is named as "group.weight".
    """
    paired = {x.weight.key for x in weights}
    measured = {(x.weight.group, x.weight.layer) for x in weights}
    there, elsewhere = ({x.key: x for x in model.weights} for model in (one, other))
    has_tokens = bool(_common_tokens(one.tokens, other.tokens)[0].size)
    reasons: dict[str, str] = {}
    for key, weight in {**elsewhere, **there}.items():
        if key in paired:
            continue
        if key not in there or key not in elsewhere:
            reason = f"{names[0] if key not in there else names[1]} has none"
        elif _is_by_token(weight) and not has_tokens:
            reason = "no token is in both vocabularies"
        else:
            reason = _unlike(weight, elsewhere[key], names)
        is_part = (weight.group, None) in measured
        reasons.setdefault(f"{weight.group}.{weight.name}" if is_part else weight.group, reason)
    for group, reason in reasons.items():
        yield {"group": group, "verdict": NOT_CHECKABLE, "reason": reason}


def _is_by_token(weight: Weight) -> bool:
    """Return True for a weight with a row per token."""
    return weight.group in (TOKENS, OUTPUT) or (weight.group, weight.name) == (HEAD, "bias")


def _common_tokens(
    tokens: Sequence[str], others: Sequence[str]
) -> tuple[Int[np.ndarray, " row"], Int[np.ndarray, " row"]]:
    """Return the rows of the common tokens, in both models."""
    if list(tokens) == list(others):
        return np.arange(len(tokens)), np.arange(len(tokens))
    places = {token: row for row, token in enumerate(others)}
    both = [(row, places[token]) for row, token in enumerate(tokens) if token in places]
    rows = np.array(both, dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def measured_changes(weights: Sequence[PairedWeight], rules: Rules) -> Iterator[MeasuredChange]:
    """Yield the measured groups of every layer, and last all weights together."""

    def place(paired: PairedWeight) -> tuple[int, str]:
        return paired.weight.layer or 0, paired.weight.group

    order = {group: number for number, group in enumerate(_groups(weights))}
    ordered = sorted(weights, key=lambda x: (place(x)[0], order[place(x)[1]]))
    sums = []
    for _, members in groupby(ordered, key=place):
        paired = list(members)
        total = pooled(_sums(pair, rules) for pair in paired)
        sums.append(total)
        first = paired[0].weight
        row: Row = {"group": first.group, "layer": first.layer, "layers": first.layers}
        row["reason"] = _cut(paired)
        row |= _size_columns(paired, total, rules)
        spectrum = _spectrum(paired, str(row["verdict"]))
        if spectrum is not None:
            row |= _spectrum_columns(paired[0], spectrum, rules)
        yield MeasuredChange(row, paired, spectrum)
    if sums:
        whole = {"group": ALL, **_size_columns(ordered, pooled(sums), rules)}
        yield MeasuredChange(whole, ordered, None)


def is_moved(paired: PairedWeight, rules: Rules) -> bool:
    """Return whether a single weight is called moved."""
    return bool(_size_columns([paired], _sums(paired, rules), rules)["verdict"] == MOVED)


def _cut(paired: Sequence[PairedWeight]) -> str | None:
    """Return a note about left-out rows of a table; None if all rows of the first model remain."""
    n = sum(len(pair.rows) for pair in paired)
    n_all = sum(len(pair.weight.values) for pair in paired)
    return None if n == n_all else f"{n} of {n_all} rows, those that both models have"


def _groups(weights: Sequence[PairedWeight]) -> list[str]:
    return list(dict.fromkeys(paired.weight.group for paired in weights))


def _sums(paired: PairedWeight, rules: Rules) -> WeightChange:
    """Return the sums of a weight with its rows dealt, or its entries where rows are few."""
    before, after = paired.before, paired.after
    if len(before) < rules.least_rows:
        before, after = before.reshape(-1, 1), after.reshape(-1, 1)
    return weight_change(before, after)


def _is_unrelated(total: WeightChange, rules: Rules) -> bool:
    """Return True for weights no nearer than dealt rows, NaN being none."""
    # Few entries cannot lie `least_deviations` from all orders, even if a multiple of others.
    within_reach = NEAR_MOST * total.most_deviations
    return total.deviations < min(rules.least_deviations, within_reach)


def _size_columns(paired: Sequence[PairedWeight], total: WeightChange, rules: Rules) -> Row:
    roundings = {pair.rounding for pair in paired if not pair.is_identical}
    if not roundings:
        verdict = IDENTICAL
    elif "" not in roundings:
        verdict = ROUNDED
    else:
        verdict = UNRELATED if _is_unrelated(total, rules) else MOVED
    changed = [(pair.before != pair.after).any(axis=1) for pair in paired]
    return {
        "n_rows": sum(len(rows) for rows in changed),
        "n_rows_changed": sum(int(rows.sum()) for rows in changed),
        "norm": float(np.sqrt(total.squared)),
        "change_norm": float(np.sqrt(total.change_squared)),
        "relative_change": total.relative,
        "relative_change_rounding": total.relative_rounding,
        "relative_change_dealt": total.relative_dealt,
        "deviations_from_dealt": total.deviations,
        "verdict": verdict,
        "rounding": " and ".join(sorted(roundings)) if verdict == ROUNDED else "",
    }


def _spectrum(paired: Sequence[PairedWeight], verdict: str) -> ChangeSpectrum | None:
    """Return the spectrum of a change of a single matrix beyond rounding."""
    if len(paired) > 1 or verdict not in (MOVED, UNRELATED) or min(paired[0].before.shape) < 2:
        return None
    return change_spectrum(paired[0].before, paired[0].after)


def _spectrum_columns(paired: PairedWeight, spectrum: ChangeSpectrum, rules: Rules) -> Row:
    n_rows, dim = paired.before.shape
    n = min(rules.n_directions, n_rows, dim)
    leading = leading_directions(paired.before, n)
    overlap, angle = overlap_with(spectrum, leading)
    return {
        "stored": spectrum.stored,
        "rank": spectrum.rank,
        "largest_rank": min(n_rows, dim),
        "rank_tolerance": spectrum.tolerance,
        "stable_rank": spectrum.stable_rank,
        "participation_ratio": spectrum.participation_ratio,
        "random_participation_ratio": gaussian_participation_ratio(n_rows, dim),
        "first_share": spectrum.share(1),
        "n_directions": n,
        "leading_share": spectrum.share(n),
        "overlap": overlap,
        "random_overlap": len(leading) / dim if len(leading) else float("nan"),
        "smallest_angle": angle,
    }
