"""`tracked_vocabulary`: ranks of a plain loop, with each way to add positions, and by the head."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.parameters.masked_head import head_of_module
from embspace.models.stream.tracked_states import tracked_states
from embspace.models.stream.tracked_vocabulary import (
    TrackedVocabulary,
    normed,
    tracked_vocabulary,
)
from embspace.settings.model import describe_model
from tests.lazy import torch
from tests.models.parameters.tiny import describe, with_head, write_checkpoint
from tests.models.stream.plain_tracker import IDS, TRACKED, plain_rank, plain_states
from tests.models.stream.tiny import FINAL_NORMS, tiny

PLACE = np.arange(len(IDS))
TABLES = {
    "bert": ("embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight", 0),
    "roberta": ("embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight", 2),
    "modernbert": ("embeddings.tok_embeddings.weight", None, 0),
    "gpt2": ("wte.weight", "wpe.weight", 0),
}


def described(folder: Path, model_type: str, module: Any) -> Any:
    tokens, positional, offset = TABLES[model_type]
    return describe(
        write_checkpoint(folder, module),
        matrices={"input": tokens, "positional": positional},
        position_offset=offset,
        final_norm=FINAL_NORMS.get(model_type),
    )


@pytest.mark.parametrize("model_type", TRACKED)
def test_ranks_and_cosines_equal_a_plain_loop(tmp_path: Path, model_type: str):
    module = tiny(model_type)
    vocabulary = tracked_vocabulary("m", described(tmp_path, model_type, module), module)
    tokens, positional, offset = TABLES[model_type]
    rows = module.get_parameter(tokens).detach().numpy()
    added = {"none": np.zeros((len(IDS), rows.shape[1]))}
    if positional is not None:
        table = module.get_parameter(positional).detach().numpy()[offset:]
        added |= {"own": table[PLACE], "first": table[np.zeros_like(PLACE)]}
    expected = plain_states(module)
    for states in tracked_states(module, IDS):
        for positions, shift in added.items():
            ranks = vocabulary.ranks(states.x, IDS, PLACE, positions=positions, k=3)  # type: ignore[arg-type]
            for at, own in enumerate(IDS):
                state = expected[states.layer, states.point][at]
                cosine, rank = plain_rank(state, rows + shift[at], own)
                assert ranks.cosine[at] == pytest.approx(cosine, abs=1e-5)
                assert ranks.rank[at] == rank
                distance = np.linalg.norm(state - rows[own] - shift[at])
                assert ranks.euclidean_distance[at] == pytest.approx(distance, abs=1e-4)


@pytest.mark.parametrize("model_type", ["bert", "roberta", "modernbert"])
def test_through_the_head_the_last_layer_has_the_model_s_own_scores(
    tmp_path: Path, model_type: str
):
    module = with_head("MaskedLM", model_type)
    base = module.base_model
    model = described(tmp_path, model_type, base)
    head = head_of_module(module, base.get_input_embeddings().weight.detach().numpy())
    vocabulary = tracked_vocabulary("m", model, base, head)
    *_, last = tracked_states(base, IDS)
    ranks = vocabulary.ranks(last.x, IDS, PLACE, nearness="head", k=4)
    with torch.no_grad():
        logits = module(input_ids=torch.from_numpy(IDS)[None]).logits[0].numpy()
    for at, own in enumerate(IDS):
        assert ranks.rank[at] == np.sum(logits[at] > logits[at, own])
        assert ranks.nearest[at].tolist() == np.argsort(-logits[at])[:4].tolist()
        assert np.allclose(ranks.nearest_value[at], np.sort(logits[at])[::-1][:4], atol=1e-4)


def test_padding_rows_are_no_tokens(tmp_path: Path):
    module = tiny("bert")
    folder = write_checkpoint(tmp_path, module)
    matrices = {"input": TABLES["bert"][0], "positional": TABLES["bert"][1]}
    model = describe(folder, matrices=matrices, padding_rows=7)
    assert len(tracked_vocabulary("m", model, module).rows) == 53


def test_factorized_embeddings_are_mapped_and_have_no_positions_of_their_width(tmp_path: Path):
    module = tiny("electra")
    matrices = {
        "input": TABLES["bert"][0],
        "positional": TABLES["bert"][1],
        "mapping": "embeddings_project",
    }
    model = describe(write_checkpoint(tmp_path, module), matrices=matrices)
    vocabulary = tracked_vocabulary("m", model, module)
    assert vocabulary.rows.shape == (60, 24) and vocabulary.positional is None


def test_without_a_norm_after_the_last_block_states_stay():
    x = np.ones((2, 3), dtype=np.float32)
    assert np.array_equal(normed(None, x), x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positions": "own"}, "no table of position vectors"),
        ({"nearness": "head"}, "no head that predicts masked tokens"),
    ],
)
def test_what_a_model_lacks_is_said(options: Any, message: str):
    x = np.ones((1, 3), dtype=np.float32)
    vocabulary = TrackedVocabulary(np.eye(3, dtype=np.float32), None)
    with pytest.raises(InputError, match=message):
        vocabulary.ranks(x, np.array([0]), np.array([0]), **options)


def test_a_position_beyond_the_table_and_positions_with_the_head_are_said():
    x, table = np.ones((1, 3), dtype=np.float32), np.eye(3, dtype=np.float32)
    vocabulary = TrackedVocabulary(table, table[:2])
    with pytest.raises(InputError, match="position 2: the model has 2"):
        vocabulary.ranks(x, np.array([0]), np.array([2]), positions="own")


def test_vectors_alone_read_no_text():
    given = {"label": "v", "license": "l", "language": "n", "source": "vectors", "path": "v.npy"}
    with pytest.raises(InputError, match="vectors without a model read no text"):
        tracked_vocabulary("v", describe_model("v", given), None)


def test_a_norm_that_is_not_there_is_named(tmp_path: Path):
    module = tiny("bert")
    matrices = {"input": TABLES["bert"][0], "positional": TABLES["bert"][1]}
    model = describe(write_checkpoint(tmp_path, module), matrices=matrices, final_norm="norms")
    with pytest.raises(InputError, match="the model has no 'norms'"):
        tracked_vocabulary("m", model, module)
