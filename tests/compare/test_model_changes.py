"""Copies of small models, in which it is known what moved, how far, and in which direction."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.compare.model_changes import compare_model_changes, main
from embspace.compare.model_changes_rows import IDENTICAL, MOVED, NOT_CHECKABLE, ROUNDED, UNRELATED
from embspace.compare.model_states import ModelStates
from embspace.errors import InputError
from embspace.geometry.parameters.rounding import to_bfloat16
from embspace.models.parameters.all_weights import AllWeights, read_all_weights
from embspace.models.weights import load_model
from embspace.settings.stage import StageConfig
from tests.analyses import settings_of
from tests.compare.test_model_changes_states import TEXTS, drawn
from tests.compare.test_model_changes_states import model as states_of
from tests.lazy import safetensors_torch, torch
from tests.models.parameters.test_masked_head import HEADS
from tests.models.parameters.tiny import TOKENS, describe, tiny, with_head, write_checkpoint
from tests.tiny import write_tiny_model

NAMES = ("before", "after")
FEW = {
    "n_directions": 3,
    "n_read": 1,
    "n_words": 4,
    "n_tokens": 5,
    "left_out": ["special"],
    "n_random_vectors": 200,
}
QUERY = "encoder.layer.1.attention.self.query.weight"
MATRICES = {
    "positional": "embeddings.position_embeddings.weight",
    "segment": "embeddings.token_type_embeddings.weight",
}


def weights(folder: Path, module: Any, **keys: Any) -> AllWeights:
    matrices = MATRICES | keys.pop("matrices", {})
    model = describe(write_checkpoint(folder, module), matrices=matrices, **keys)
    return read_all_weights("m", model, load_model("m", model))


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return a small BERT and its copy with moved queries and token; if empty, vectors alone."""
    with TemporaryDirectory() as folder:
        one, other = changed(Path(folder), planted_and_turned)
    states = states_of(drawn(0))
    return {
        "weights": one,
        "other_weights": None if is_empty else other,
        "names": NAMES,
        "texts": {"news": TEXTS},
        "states": states,
        "other_states": states_of(drawn(1)),
    }


def changed(folder: Path, change: Callable[[dict[str, Any]], Any]) -> tuple[AllWeights, AllWeights]:
    """Return the weights of a small BERT, and of its copy after a change of its parameters."""
    module = tiny("bert")
    one = weights(folder / "one", module)
    with torch.no_grad():
        change(dict(module.named_parameters()))
    return one, weights(folder / "other", module)


def changes_of(one: AllWeights | None, other: AllWeights | None) -> Outcome:
    """Compare weights alone: neither model has read a text."""
    nothing = ModelStates({}, {})
    settings = settings_of(compare_model_changes, **FEW)
    return compare_model_changes(one, other, NAMES, {}, nothing, nothing, **settings)


def compared(folder: Path, change: Callable[[dict[str, Any]], Any]) -> Outcome:
    return changes_of(*changed(folder, change))


def row_of(changes: pd.DataFrame, group: str, layer: float = np.nan) -> pd.Series:
    at = changes["layer"].isna() if np.isnan(layer) else changes["layer"] == layer
    (row,) = (row for _, row in changes[at & (changes["group"] == group)].iterrows())
    return row


def planted(parameters: dict[str, Any]) -> None:
    """Move the queries of layer 2 by a tenth of their norm, so that they read one token."""
    table, query = parameters["embeddings.word_embeddings.weight"], parameters[QUERY]
    token = table[TOKENS.index("w7")] - table.mean(dim=0)
    row = torch.linspace(-1, 1, len(query))
    step = torch.outer(row, token)
    query.add_(0.1 * query.norm() * step / step.norm())


def planted_and_turned(parameters: dict[str, Any]) -> None:
    planted(parameters)
    parameters["embeddings.word_embeddings.weight"][TOKENS.index("w4")] *= -1


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return compared(tmp_path_factory.mktemp("moved"), planted)


def test_moved_queries_of_one_layer_are_named_with_size_and_rank(moved: Outcome) -> None:
    changes = moved["csv"]
    assert changes["reason"].isna().all()
    query = row_of(changes, "attention_query", 2)
    assert query["verdict"] == MOVED
    assert query["relative_change"] == pytest.approx(0.1, rel=1e-4)
    assert query["rank"] == 1 and query["largest_rank"] == 24
    assert query["stable_rank"] == pytest.approx(1, abs=1e-3)
    assert query["first_share"] == pytest.approx(1, abs=1e-3)
    assert query["n_rows_changed"] == query["n_rows"] == 24
    others = changes.drop(index=query.name)
    others = others[others["group"] != "all"]
    assert set(others["verdict"]) == {IDENTICAL}
    assert (others["relative_change"] == 0).all()
    whole = row_of(changes, "all")
    assert whole["verdict"] == MOVED
    assert whole["change_norm"] == pytest.approx(query["change_norm"], rel=1e-4)
    assert whole["norm"] > query["norm"]


def test_the_planted_direction_is_read_as_its_word(moved: Outcome) -> None:
    words = moved["words"].set_index("side")
    assert list(words["group"].unique()) == ["attention_query"]
    assert words.loc["reads", "tokens"].split()[0] == "w7"
    assert words.loc["reads", "share"] == pytest.approx(1, abs=1e-3)
    assert set(words.index) == {"reads", "is compared with"}
    assert moved["tokens"].empty


def test_a_direction_that_is_written_has_its_sign(tmp_path: Path) -> None:
    """What an active unit writes in addition, and the key that it reads, are no negations."""

    def change(parameters: dict[str, Any]) -> None:
        table = parameters["embeddings.word_embeddings.weight"]
        centered = table - table.mean(dim=0)
        parameters["encoder.layer.0.intermediate.dense.weight"][3] = centered[TOKENS.index("w9")]
        parameters["encoder.layer.0.output.dense.weight"][:, 3] += centered[TOKENS.index("w11")]

    words = compared(tmp_path, change)["words"]
    written = words[words["group"] == "feed_forward_value"].set_index("side")
    assert written.loc["writes", "tokens"].split()[0] == "w11"
    assert set(written.index) == {"writes", "reads"}


def test_the_other_side_of_a_direction_is_that_of_its_partner(tmp_path: Path) -> None:
    """One unit alone moved, so that what it writes are the words of its value."""
    module = tiny("bert")
    table = module.embeddings.word_embeddings.weight
    with torch.no_grad():
        centered = table - table.mean(dim=0)
        module.encoder.layer[0].output.dense.weight[:, 3] = centered[TOKENS.index("w20")]
    one = weights(tmp_path / "one", module)
    with torch.no_grad():
        module.encoder.layer[0].intermediate.dense.weight[3] += centered[TOKENS.index("w30")]
    other = weights(tmp_path / "other", module)
    words = changes_of(one, other)["words"].set_index("side")
    assert words.loc["reads", "tokens"].split()[0] == "w30"
    assert words.loc["writes", "tokens"].split()[0] == "w20"


def test_a_copy_differs_in_nothing(tmp_path: Path) -> None:
    outcome = compared(tmp_path, lambda parameters: None)
    assert set(outcome["csv"]["verdict"]) == {IDENTICAL}
    assert outcome["csv"]["rank"].isna().all()
    assert outcome["words"].empty and outcome["tokens"].empty


def test_a_rounded_copy_is_told_as_rounding(tmp_path: Path) -> None:
    def change(parameters: dict[str, Any]) -> None:
        for values in parameters.values():
            values.copy_(torch.from_numpy(to_bfloat16(values.numpy())))

    outcome = compared(tmp_path, change)
    assert set(outcome["csv"]["verdict"]) == {ROUNDED}
    assert set(outcome["csv"]["rounding"]) == {"bfloat16"}
    whole = row_of(outcome["csv"], "all")
    assert whole["relative_change"] == pytest.approx(whole["relative_change_rounding"])
    assert outcome["words"].empty and outcome["tokens"].empty


def test_rounding_beside_a_change_is_told_apart(tmp_path: Path) -> None:
    def change(parameters: dict[str, Any]) -> None:
        planted(parameters)
        for values in parameters.values():
            values.copy_(values.to(torch.bfloat16).float())

    table = compared(tmp_path, change)["csv"]
    query = row_of(table, "attention_query", 2)
    assert (query["verdict"], query["stored"], query["rank"]) == (MOVED, "bfloat16", 1)
    rest = table.drop(index=query.name)
    assert set(rest.loc[rest["group"] != "all", "verdict"]) == {ROUNDED}


def test_weights_of_another_seed_are_no_nearer_than_dealt_rows(tmp_path: Path) -> None:
    def change(parameters: dict[str, Any]) -> None:
        generator = torch.Generator().manual_seed(5)
        for values in parameters.values():
            drawn = torch.randn(values.shape, generator=generator)
            values.copy_(drawn * values.norm() / drawn.norm())

    changes = compared(tmp_path, change)["csv"]
    matrices = changes[changes["rank"].notna()]
    assert len(matrices) > 15 and set(matrices["verdict"]) == {UNRELATED}
    assert matrices["relative_change"].mean() == pytest.approx(np.sqrt(2), abs=0.05)
    assert row_of(changes, "all")["verdict"] == UNRELATED


def test_tokens_that_moved_are_named_with_their_size(tmp_path: Path) -> None:
    def change(parameters: dict[str, Any]) -> None:
        table = parameters["embeddings.word_embeddings.weight"]
        table[TOKENS.index("w3")] *= 1.5
        table[TOKENS.index("w4")] *= -1

    outcome = compared(tmp_path, change)
    assert outcome["tokens"]["token"].tolist() == ["w4", "w3"]
    assert outcome["tokens"]["relative_change"].tolist() == pytest.approx([2, 0.5], rel=1e-4)
    assert outcome["tokens"]["cosine"].tolist() == pytest.approx([-1, 1], abs=1e-6)
    table = row_of(outcome["csv"], "token_embedding")
    assert (table["n_rows"], table["n_rows_changed"], table["rank"]) == (60, 2, 2)


def test_a_shared_block_counts_once(tmp_path: Path) -> None:
    module = tiny("albert")
    keys: dict[str, Any] = {"matrices": {"mapping": "encoder.embedding_hidden_mapping_in"}}
    one = weights(tmp_path / "one", module, **keys)
    with torch.no_grad():
        module.encoder.albert_layer_groups[0].albert_layers[0].attention.query.weight.mul_(1.1)
    other = weights(tmp_path / "other", module, **keys)
    changes = changes_of(one, other)["csv"]
    query = changes[changes["group"] == "attention_query"]
    assert query[["layer", "layers"]].to_numpy().tolist() == [[1, "1-3"]]
    assert query["relative_change"].iloc[0] == pytest.approx(0.1, rel=1e-4)
    assert row_of(changes, "all")["change_norm"] == pytest.approx(query["change_norm"].iloc[0])


def test_a_masked_head_reads_the_words_too(tmp_path: Path) -> None:
    module = with_head("MaskedLM", "bert")
    keys: dict[str, Any] = {"masked_head": HEADS["bert"].model_dump()}
    keys["matrices"] = {
        "input": "embeddings.word_embeddings.weight",
        "positional": None,
        "segment": None,
    }
    one = weights(tmp_path / "one", module, **keys)
    with torch.no_grad():
        module.bert.encoder.layer[1].attention.self.query.weight[2] += 0.5
        module.cls.predictions.transform.dense.weight[0, 0] += 1
    other = weights(tmp_path / "other", module, **keys)
    outcome = changes_of(one, other)
    assert set(outcome["words"]["reading"]) == {"word_embeddings", "masked_head"}
    moved = outcome["csv"].loc[outcome["csv"]["verdict"] == MOVED, "group"]
    assert set(moved) == {"attention_query", "masked_head", "all"}


def test_a_head_of_one_model_alone_is_left_out(tmp_path: Path) -> None:
    head = {"masked_head": HEADS["bert"].model_dump()}
    matrices = {"positional": None, "segment": None}
    module = with_head("MaskedLM", "bert")
    one = weights(tmp_path / "one", module, matrices=matrices, **head)
    other = weights(tmp_path / "other", module, matrices=matrices)
    changes = changes_of(one, other)["csv"]
    rows = changes[changes["group"] == "masked_head"]
    assert rows[["verdict", "reason"]].to_numpy().tolist() == [[NOT_CHECKABLE, "after has none"]]
    assert set(changes["verdict"]) == {IDENTICAL, NOT_CHECKABLE}
    back = changes_of(other, one)["csv"]
    assert back.loc[back["group"] == "masked_head", "reason"].tolist() == ["before has none"]


def test_rows_are_paired_by_their_tokens(tmp_path: Path) -> None:
    """Two tokens more, in front: the others are the same, and so is the verdict."""
    module = tiny("bert")
    one = weights(tmp_path / "one", module)
    table = one.weights[0]
    assert table.group == "token_embedding"
    more = np.concatenate([np.ones((2, 24), np.float32), table.values])
    first = type(table)(table.group, None, "", table.name, more)
    other = AllWeights(
        [first, *one.weights[1:]],
        one.architecture,
        one.n_layers,
        ["new", "newer", *one.tokens],
        ["word", "word", *one.kinds],
        one.parameters,
    )
    changes = changes_of(one, other)["csv"]
    assert set(changes["verdict"]) == {IDENTICAL}
    assert row_of(changes, "token_embedding")["n_rows"] == len(TOKENS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_hidden_layers": 2}, "before has 3 layers, after 2"),
        ({"intermediate_size": 44}, "'bias' of layer|'intermediate.dense.bias' of layer 1 is 40"),
        ({"type_vocab_size": 3}, "embeddings.weight' is 2 × 24 in before, 3 × 24 in after"),
    ],
)
def test_other_shapes_are_refused_by_name(
    options: dict[str, int], words: str, tmp_path: Path
) -> None:
    one = weights(tmp_path / "one", tiny("bert"))
    other = weights(tmp_path / "other", tiny("bert", **options))
    outcome = changes_of(one, other)
    assert len(outcome["csv"]) == 1 and outcome["words"].empty and outcome["tokens"].empty
    assert pd.Series(outcome["csv"]["reason"]).str.contains(words).all()


def test_another_architecture_is_refused_by_what_it_lacks(tmp_path: Path) -> None:
    one = weights(tmp_path / "one", tiny("bert"))
    keys = {"matrices": {"segment": None}}
    other = weights(tmp_path / "other", tiny("distilbert"), **keys)
    (reason,) = changes_of(one, other)["csv"]["reason"]
    assert reason.startswith("before has '") and reason.endswith("after has none")


def test_vectors_alone_have_no_weights(tmp_path: Path) -> None:
    one = weights(tmp_path / "one", tiny("bert"))
    (reason,) = changes_of(one, None)["csv"]["reason"]
    assert reason == "after: vectors without a model have no weights"


def tree(folder: Path) -> None:
    for name in NAMES:
        write_tiny_model(folder / name, folder / "conf", name)


def config() -> StageConfig:
    return StageConfig(
        "", {}, "", {}, [], [], settings_of(compare_model_changes, **FEW), pair="after--before"
    )


def test_the_stage_writes_its_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    main(config())
    written = {str(file) for file in Path("results").rglob("*.csv")}
    folder = "results/model_changes"
    assert written == {
        f"{folder}/after--before.csv",
        f"{folder}/words/after--before.csv",
        f"{folder}/tokens/after--before.csv",
        f"{folder}/states/after--before.csv",
    }


def test_a_number_that_is_none_stops_the_stage_with_its_file_and_tensor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "after/model.safetensors"
    tensors = safetensors_torch.load_file(file)
    tensors[QUERY][0, 0] = np.inf
    safetensors_torch.save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(InputError, match=rf"conf/model/after\.yaml: .*'{QUERY}' hold 1 NaN or inf"):
        main(config())
