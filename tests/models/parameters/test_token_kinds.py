"""Tests of which tokens may be named."""

from pathlib import Path

from embspace.models.parameters.token_kinds import nameable, token_kinds
from tests.models.parameters.tiny import TOKENS, describe, tiny, write_checkpoint


def test_kinds_are_those_of_the_tokenizer(tmp_path: Path):
    model = describe(write_checkpoint(tmp_path, tiny("bert")))
    kinds = token_kinds("tiny", model, len(TOKENS))
    assert kinds[:5] == ["special"] * 5 and len(kinds) == len(TOKENS)


def test_kinds_that_are_left_out_may_not_be_named():
    kinds = ["special", "word", "unused"]
    assert nameable(kinds, ["special", "unused"]).tolist() == [False, True, False]
    assert nameable(kinds, []).all()
    assert nameable(["special"] * 2, ["special"]).tolist() == [True, True]
    assert nameable([], ["special"]).tolist() == []
