"""`tokens_of`: unreachable and never trained tokens are planted, in one matrix or in two."""

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice.tokens import Tokens, tokens_of
from embspace.models.tokenizer import names_by_id
from tests.lazy import tokenizers
from tests.trained_tokenizers import SPECIAL, word_piece

N_UNUSED = 30
MISSED = "cats"


def loaded(*, is_trained: bool = True, output: str | None = None, n: int = N_UNUSED) -> Any:
    content = json.loads(word_piece().to_str())
    vocabulary = content["model"]["vocab"]
    for number in range(n):
        vocabulary[f"[unused{number}]"] = len(vocabulary)
    backend = tokenizers.Tokenizer.from_str(json.dumps(content))
    tokenizer = SimpleNamespace(backend_tokenizer=backend, all_special_tokens=SPECIAL)
    names = names_by_id(tokenizer)
    rng = np.random.default_rng(0)
    x = rng.normal(size=24) / 4 + rng.normal(size=(len(names), 24)) / 10
    if is_trained:
        read = [not name.startswith("[unused") and name != MISSED for name in names]
        x[read] += rng.normal(size=(sum(read), 24))
        # In the middle of its kind: 5 % of rows that were never trained are beyond the bound.
        x[names.index(MISSED)] = x[~np.array(read)].mean(axis=0)
    table = pd.DataFrame({"id": range(len(names)), "token": names, "kind": "word"})
    description = SimpleNamespace(
        matrices=SimpleNamespace(output=output), model_dump=lambda: {"label": "Planted"}
    )
    return SimpleNamespace(
        name="planted",
        tokenizer=tokenizer,
        description=description,
        learned=lambda: ({"input": x}, table),
    )


@pytest.fixture(scope="module")
def made() -> Tokens:
    return tokens_of(loaded())


def test_a_token_that_was_never_trained_is_found(made: Tokens):
    assert list(made.under_trained["token"]) == [MISSED]
    unreachable = made.table[made.table["status"] == "unreachable"]
    assert set(unreachable["token"]) >= {f"[unused{n}]" for n in range(N_UNUSED)}
    assert not unreachable["tied_under_trained"].any()


def test_counts_are_by_kind_and_script(made: Tokens):
    latin = made.counts.set_index("script").loc["Latin"]
    assert latin["under_trained"] == 1 and latin["unreachable"] >= N_UNUSED
    assert made.counts["entries"].sum() == len(made.table)


def test_the_answer_names_them_and_says_the_sentence(made: Tokens):
    assert MISSED in str(made) and made.sentence in str(made)
    assert "planted's vocabulary" in made.sentence and "\n" not in made.sentence


def test_random_weights_have_no_verdict():
    made = tokens_of(loaded(is_trained=False))
    assert made.under_trained.empty
    assert "as at random weights" in str(made)


def test_too_few_unreachable_tokens_are_said():
    made = tokens_of(loaded(n=0))
    assert "Fewer than 10" in made.sentence and made.under_trained.empty


def test_an_output_matrix_of_its_own_is_judged_apart(monkeypatch: pytest.MonkeyPatch):
    model = loaded(output="lm_head.weight")
    rows = model.learned()[0]["input"].copy()
    place = "embspace.models.parameters.checkpoint.checkpoint_tensors"
    monkeypatch.setattr(place, lambda *_: {"lm_head.weight": rows})
    made = tokens_of(model)
    assert list(made.verdicts) == ["input", "output"]
    assert made.table["output_under_trained"].sum() == 1
