"""Directions of changes are read as words, beside random directions."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embspace.compare.model_changes_rows import MOVED, Rules, measured_changes, paired_weights
from embspace.compare.model_changes_words import SIDES, Reading, token_rows, word_rows
from embspace.geometry.parameters.rounding import to_bfloat16
from embspace.models.parameters.all_weights import AllWeights, Weight
from embspace.models.parameters.masked_head import HeadTransform
from embspace.models.parameters.read import ModelParameters
from tests.models.parameters.known import known_parameters

READING = Reading(n_read=2, n_words=3, left_out=["special"], n_random_vectors=50, level=0.9, seed=0)
RULES = Rules(n_directions=2, least_rows=20, least_deviations=5)
PARAMETERS = known_parameters(0)
KINDS = ["word"] * len(PARAMETERS.tokens)


def as_weights(parameters: ModelParameters, kinds: list[str] | None = None) -> AllWeights:
    weights = [
        Weight(group, layer.layer, str(layer.layer), group, rows)
        for layer in parameters.layers
        for group, rows in layer.groups().items()
    ]
    weights.append(Weight("token_embedding", None, "", "table", parameters.input_embedding))
    kinds = kinds or ["word"] * len(parameters.tokens)
    return AllWeights(weights, "Net", 2, parameters.tokens, kinds, parameters)


def changed(**weights: np.ndarray) -> ModelParameters:
    """The same model with other weights in layer 2."""
    return replace(
        PARAMETERS, layers=[PARAMETERS.layers[0], replace(PARAMETERS.layers[1], **weights)]
    )


def rows_of(after: ModelParameters, reading: Reading = READING, **model: Any) -> list[Any]:
    one = as_weights(PARAMETERS, **model)
    changes = list(measured_changes(list(paired_weights(one, as_weights(after))), RULES))
    return list(word_rows(changes, one, reading))


def planted_output() -> ModelParameters:
    """Outputs of layer 2 write token 5 for what row 3 of the values reads, which is token 9."""
    token = PARAMETERS.output_embedding[5]
    output = PARAMETERS.layers[1].output.copy()
    output[3] += token
    return changed(output=output)


def test_both_sides_of_a_change_are_read() -> None:
    written, read = rows_of(planted_output())
    assert (written["side"], read["side"]) == ("writes", "reads")
    assert (written["group"], written["layer"]) == ("attention_output", 2)
    scores = PARAMETERS.output_embedding @ PARAMETERS.output_embedding[5]
    expected = [f"token_{token}" for token in np.argsort(-np.abs(scores))[:1]]
    assert written["tokens"].split()[:1] == expected
    value = PARAMETERS.layers[1].value[3]
    scores = PARAMETERS.output_embedding @ value
    assert read["tokens"].split()[0] in {
        f"token_{scores.argmax()}",
        f"token_{scores.argmin()}",
    }
    assert written["share"] == pytest.approx(1, abs=1e-5)


def test_through_a_masked_head_a_negation_has_the_words_of_its_own() -> None:
    """The opposite words of a direction are those that the head makes of its negation."""
    head = HeadTransform(
        dense=np.random.default_rng(1).normal(size=(8, 8)).astype(np.float32),
        dense_bias=None,
        activation="gelu",
        scale=np.ones(8, np.float32),
        shift=None,
        epsilon=1e-12,
        output=PARAMETERS.output_embedding,
        bias=None,
    )
    one = as_weights(replace(PARAMETERS, head_transform=head))
    changes = list(measured_changes(list(paired_weights(one, as_weights(planted_output()))), RULES))
    written, read = [x for x in word_rows(changes, one, READING) if x["reading"] == "masked_head"]
    value, token = PARAMETERS.layers[1].value[3], PARAMETERS.output_embedding[5]
    for row, direction in ((written, token), (read, value)):
        unit = direction / np.linalg.norm(direction)
        scores = head(np.stack([unit, -unit])) - head(np.zeros((1, 8), np.float32))
        words = [
            " ".join(f"token_{number}" for number in np.argsort(-x, kind="stable")[:3])
            for x in scores @ PARAMETERS.output_embedding.T
        ]
        assert {row["tokens"], row["opposite_tokens"]} == set(words)
        assert len(set(words)) == 2


def test_left_out_kinds_are_not_named() -> None:
    kinds = ["word"] * 40
    scores = PARAMETERS.output_embedding @ PARAMETERS.output_embedding[5]
    first = int(np.argmax(np.abs(scores)))
    kinds[first] = "special"
    rows = rows_of(planted_output(), kinds=kinds)
    assert all(f"token_{first}" not in row["tokens"].split() for row in rows)


def test_directions_are_no_more_than_the_rank_and_have_a_null() -> None:
    rows = rows_of(planted_output())
    assert {row["direction"] for row in rows} == {1}
    for row in rows:
        assert row["random_coherence"] < row["random_coherence_high"]
        assert row["is_coherent"] == (row["coherence"] > row["random_coherence_high"])
    query = PARAMETERS.layers[1].query + np.random.default_rng(3).normal(size=(8, 8)) / 9
    assert {row["direction"] for row in rows_of(changed(query=query.astype(np.float32)))} == {1, 2}


def test_what_is_random_hangs_on_the_place_alone() -> None:
    """Another change beside does not move the words' null."""
    alone = rows_of(planted_output())
    both = replace(planted_output().layers[1], query=PARAMETERS.layers[1].query * 1.2)
    rows = rows_of(replace(PARAMETERS, layers=[PARAMETERS.layers[0], both]))
    assert [row for row in rows if row["group"] == "attention_output"] == alone


@pytest.mark.parametrize("group", SIDES)
def test_each_group_has_a_partner_that_does_the_other_thing(group: str) -> None:
    does, partner, other = SIDES[group]
    assert {does, other} <= {"reads", "writes", "is compared with"} and does != other
    assert partner in SIDES and partner != group


def test_nothing_is_read_of_unknown_blocks_or_without_directions() -> None:
    one = replace(as_weights(PARAMETERS), parameters=None)
    changes = list(measured_changes(list(paired_weights(one, as_weights(planted_output()))), RULES))
    assert not list(word_rows(changes, one, READING))
    assert not rows_of(planted_output(), replace(READING, n_read=0))


def test_a_gated_mlp_has_partners() -> None:
    gated = known_parameters(0, ff_keys=("gate", "up"))
    moved = replace(gated.layers[1], ff_values=gated.layers[1].ff_values * 1.1)
    one, other = as_weights(gated), as_weights(replace(gated, layers=[gated.layers[0], moved]))
    changes = list(measured_changes(list(paired_weights(one, other)), RULES))
    assert {row["side"] for row in word_rows(changes, one, READING)} == {"reads", "writes"}


def test_one_token_that_moved_is_named_among_many_in_bfloat16() -> None:
    table = to_bfloat16(np.random.default_rng(4).normal(size=(9000, 8)).astype(np.float32))
    after = table.copy()
    after[4321] = to_bfloat16(table[4321] * np.float32(1.15))
    tokens = [f"t{number}" for number in range(len(table))]
    one, other = (
        AllWeights(
            [Weight("token_embedding", None, "", "table", x)], "Net", 1, tokens, tokens, None
        )
        for x in (table, after)
    )
    changes = list(measured_changes(list(paired_weights(one, other)), RULES))
    assert {change.row["verdict"] for change in changes} == {MOVED}
    assert [row["token"] for row in token_rows(changes, one, 5)] == ["t4321"]


@pytest.mark.parametrize("group", ["key", "value"])
def test_keys_that_heads_share_are_read_through_all_of_their_partner(group: str) -> None:
    """One matrix of 4 rows for 2 heads of 4: a row goes with that row of the partner of each."""
    layer = PARAMETERS.layers[1]
    short = getattr(layer, group)[:4]
    layers = [PARAMETERS.layers[0], replace(layer, **{group: np.concatenate([short, short])})]
    shared = replace(PARAMETERS, layers=layers)
    moved = short.copy()
    moved[2] += PARAMETERS.output_embedding[5]
    one, other = (
        AllWeights(
            [Weight(f"attention_{group}", 2, "2", group, x)], "Net", 2, shared.tokens, KINDS, shared
        )
        for x in (short, moved)
    )
    changes = list(measured_changes(list(paired_weights(one, other)), RULES))
    assert (changes[0].row["n_rows"], changes[0].row["largest_rank"]) == (4, 4)
    _, through = word_rows(changes, one, READING)
    partner = layer.query if group == "key" else layer.output
    scores = PARAMETERS.output_embedding @ (partner[2] + partner[6])
    words = (np.argsort(-sign * scores, kind="stable")[:3] for sign in (1, -1))
    expected = [" ".join(f"token_{number}" for number in ids) for ids in words]
    assert {through["tokens"], through["opposite_tokens"]} == set(expected)


@pytest.mark.filterwarnings("error")
def test_of_tokens_that_were_all_zero_none_is_named() -> None:
    table = np.zeros_like(PARAMETERS.input_embedding)
    one, other = as_weights(replace(PARAMETERS, input_embedding=table)), as_weights(PARAMETERS)
    changes = list(measured_changes(list(paired_weights(one, other)), RULES))
    assert "token_embedding" in {x.row["group"] for x in changes if x.row["verdict"] == MOVED}
    assert not list(token_rows(changes, one, 5))


def test_tokens_are_ranked_by_how_far_they_moved_for_their_length() -> None:
    table = PARAMETERS.input_embedding * np.float32(1.1)
    table[7] = PARAMETERS.input_embedding[7] * 2
    one, other = as_weights(PARAMETERS), as_weights(replace(PARAMETERS, input_embedding=table))
    changes = list(measured_changes(list(paired_weights(one, other)), RULES))
    first, second = token_rows(changes, one, 2)
    assert (first["rank"], first["token"]) == (1, "token_7")
    assert first["relative_change"] == pytest.approx(1, rel=1e-5)
    assert first["times_median"] == pytest.approx(10, rel=1e-4)
    assert second["relative_change"] == pytest.approx(0.1, rel=1e-4)
