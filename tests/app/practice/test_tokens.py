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


def test_a_special_token_that_was_never_trained_is_no_token_that_texts_reach():
    planted = loaded()
    x, table = planted.learned()
    special = table["token"] == SPECIAL[0]
    x["input"][special] = x["input"][table["token"] == MISSED]
    made = tokens_of(planted)
    assert made.table.loc[special, "status"].tolist() == ["special"]
    assert list(made.under_trained["token"]) == [MISSED]


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
    made = judged(monkeypatch, loaded().learned()[0]["input"], is_trained=True)
    assert list(made.verdicts) == ["input", "output"]
    assert made.table["output_under_trained"].sum() == 1


def judged(
    monkeypatch: pytest.MonkeyPatch, output: np.ndarray, *, is_trained: bool = False
) -> Tokens:
    """The tokens of a model of planted input rows and other output rows."""
    place = "embspace.models.parameters.checkpoint.checkpoint_tensors"
    monkeypatch.setattr(place, lambda *_: {"lm_head.weight": output})
    return tokens_of(loaded(output="lm_head.weight", is_trained=is_trained))


def drawn(made: Tokens, spread: float) -> np.ndarray:
    """Random rows, of which the reachable ones scatter more by `spread`."""
    rng = np.random.default_rng(1)
    is_read = (made.table["status"] != "unreachable").to_numpy()
    width = np.where(is_read, 0.1 + spread, 0.1)[:, None]
    return rng.normal(size=24) + rng.normal(size=(len(is_read), 24)) * width


def test_a_matrix_without_verdict_has_its_own_separation(
    made: Tokens, monkeypatch: pytest.MonkeyPatch
):
    answer = judged(monkeypatch, drawn(made, spread=0.2))
    separation = {name: verdict.separation for name, verdict in answer.verdicts.items()}
    low, high = answer.verdicts["output"].chance
    assert low < separation["input"] < high < separation["output"] < 0.9
    input_part, output_part = answer.sentence.split("Unreachable rows of the ")[1:]
    assert input_part.startswith(
        "input matrix are like all others, as at random weights, by length ("
    )
    assert f"in {100 * separation['input']:.1f} % of pairs" in input_part
    assert output_part.startswith("output matrix differ from others, but too little")
    assert f"in {100 * separation['output']:.1f} % of pairs" in output_part
    assert f"output matrix: no verdict on training. Unreachable rows of the {output_part}" in str(
        answer
    )


def test_the_sentence_is_of_both_matrices_where_one_has_a_verdict(
    made: Tokens, monkeypatch: pytest.MonkeyPatch
):
    answer = judged(monkeypatch, drawn(made, spread=0), is_trained=True)
    assert answer.verdicts["input"].has_verdict and not answer.verdicts["output"].has_verdict
    assert "a row of the input matrix within" in answer.sentence
    assert "rows of the output matrix are like all others" in answer.sentence
