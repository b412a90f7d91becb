import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file

from embspace.extract.hidden_states import (
    HiddenStates,
    extract_hidden_states,
    main,
    save_hidden_states,
    with_sentences,
)
from embspace.files.rows import load_rows, save_rows
from embspace.files.tensors import load_tensors
from embspace.measure.sentences.sentence_similarity import PooledStates, measure_sentence_similarity
from embspace.models.sentence.vectors import sentence_modules
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from embspace.settings.stage import StageConfig
from tests.models.sentence.folders import Module, encode_by_torch, write_modules
from tests.tiny import DIM, LAYERS, POSITIONS, tiny_description

SETTINGS: dict[str, Any] = {
    "window_length": 512,
    "largest_unknown_share": 0.2,
    "overlap": 64,  # 5 in a window of 40
    "tokens_per_batch": 60,
    "device": "cpu",
}
TEXTS = pd.DataFrame(
    {
        "id": ["short", "long", "mid"],
        "text": ["cat", "the cat sat on the mat . " * 20, "rain and light on the boat"],
    }
)


@pytest.fixture(scope="module")
def model(tiny_folder: Path):
    description = describe_model("tiny", tiny_description(tiny_folder))
    return (
        description,
        load_model("tiny", description),
        load_tokenizer("tiny", description),
    )


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("states") / "x"
    save_hidden_states(extract_hidden_states(*model, TEXTS, True, **SETTINGS), str(path))
    return path


def test_tensors_have_a_row_for_each_row_of_their_table(saved: Path):
    tensors = load_file(f"{saved}.safetensors")
    tokens = pd.read_parquet(f"{saved}.tokens.parquet")
    windows = pd.read_parquet(f"{saved}.windows.parquet")
    assert tensors["token"].shape == (LAYERS + 1, len(tokens), DIM)
    for pooling in ("cls", "mean", "max"):
        assert tensors[pooling].shape == (LAYERS + 1, len(windows), DIM)


def test_more_poolings_than_are_measured_are_kept(saved: Path):
    tensors = load_file(f"{saved}.safetensors")
    windows = pd.read_parquet(f"{saved}.windows.parquet")
    last = (windows["first_token"] + windows["n_tokens"] - 1).to_numpy()
    assert np.array_equal(tensors["last"], tensors["token"][:, last])
    first, n_tokens = windows[["first_token", "n_tokens"]].iloc[1]
    tokens, weights = tensors["token"][:, first : first + n_tokens], np.arange(1, n_tokens + 1)
    expected = (tokens * weights[:, None]).sum(axis=1) / weights.sum()
    assert np.allclose(tensors["weightedmean"][:, 1], expected, atol=1e-6)


@pytest.mark.parametrize("longest", [12, POSITIONS, None])
def test_a_sentence_model_has_a_vector_of_each_text(
    tiny_folder: Path, tmp_path: Path, longest: int | None
):
    """The same, whether its windows are those that are read anyway or others."""
    modules: list[Module] = [("Pooling", {"pooling_mode": "mean"}), ("Normalize", {})]
    folder = shutil.copytree(tiny_folder, tmp_path / "sentences")
    write_modules(folder, modules, reading={"max_seq_length": longest})
    model = describe_model("tiny", tiny_description(folder))
    module, tokenizer = load_model("tiny", model), load_tokenizer("tiny", model)
    read = sentence_modules("tiny", model, module)
    states = with_sentences(
        extract_hidden_states(model, module, tokenizer, TEXTS, False, **SETTINGS),
        read,
        model,
        module,
        tokenizer,
        TEXTS["text"].tolist(),
        SETTINGS,
    )
    assert states.sentences is not None
    assert bool(states.sentences.known) == (longest != 4)
    save_hidden_states(states, str(tmp_path / "x"))
    (vectors,) = load_file(f"{tmp_path}/x.safetensors")["sentence"]
    for number in (0, 2):  # that one window holds
        expected = encode_by_torch(folder, TEXTS["text"][number], modules, longest=longest)
        assert np.allclose(vectors[number], expected, atol=1e-5)
    assert 0 < np.linalg.norm(vectors[1]) < 1  # the mean of several


def test_windows_come_in_the_order_of_the_texts_not_of_the_batches(saved: Path):
    windows = pd.read_parquet(f"{saved}.windows.parquet")
    order = list(dict.fromkeys(windows["text"]))
    assert order == ["short", "long", "mid"]
    assert (windows["text"] == "long").sum() > 1


def test_pooled_vectors_are_those_of_their_tokens(saved: Path):
    tensors = load_file(f"{saved}.safetensors")
    for row, window in pd.read_parquet(f"{saved}.windows.parquet").iterrows():
        first, n_tokens = window["first_token"], window["n_tokens"]
        tokens = tensors["token"][:, first : first + n_tokens]
        assert np.array_equal(tensors["cls"][:, row], tokens[:, 0])
        assert np.allclose(tensors["mean"][:, row], tokens.mean(axis=1), atol=1e-6)
        assert np.array_equal(tensors["max"][:, row], tokens.max(axis=1))


def test_a_model_without_a_tokenizer_has_empty_states_and_whole_files(model, tmp_path: Path):
    description, module, _ = model
    states = extract_hidden_states(description, module, None, TEXTS, True, **SETTINGS)
    save_hidden_states(states, str(tmp_path / "none"))
    assert load_tensors(f"{tmp_path}/none.safetensors")["cls"].shape == (LAYERS + 1, 0, DIM)
    windows = load_rows(f"{tmp_path}/none.windows.parquet")
    assert list(windows) == ["text", "window", "n_tokens", "first_token"]
    pooled = PooledStates({"cls": load_tensors(f"{tmp_path}/none.safetensors")["cls"]}, windows)
    assert measure_sentence_similarity({"one": pooled}, n_listed=5)["csv"].empty


def test_a_model_takes_windows_no_longer_than_its_positions(saved: Path):
    assert pd.read_parquet(f"{saved}.windows.parquet")["n_tokens"].max() == POSITIONS


def test_the_order_of_the_texts_changes_no_vector_beyond_rounding(model, saved: Path, tmp_path):
    turned = TEXTS[::-1].reset_index(drop=True)
    save_hidden_states(extract_hidden_states(*model, turned, True, **SETTINGS), str(tmp_path / "y"))
    vectors = {}
    for path in (saved, tmp_path / "y"):
        table = pd.read_parquet(f"{path}.windows.parquet")
        keys = zip(table["text"], table["window"], strict=True)
        vectors[path] = dict(
            zip(keys, load_file(f"{path}.safetensors")["mean"].swapaxes(0, 1), strict=True)
        )
    for key, vector in vectors[saved].items():
        assert np.allclose(vectors[tmp_path / "y"][key], vector, atol=1e-5)


def test_the_same_settings_give_the_same_bytes(model, saved: Path, tmp_path: Path):
    save_hidden_states(extract_hidden_states(*model, TEXTS, True, **SETTINGS), str(tmp_path / "y"))
    for suffix in ("safetensors", "tokens.parquet", "windows.parquet"):
        first = Path(f"{saved}.{suffix}").read_bytes()
        assert Path(f"{tmp_path}/y.{suffix}").read_bytes() == first


NOTHING = "\u200b"  # a space of no width: no token at all
STRANGE = "\ua66e \ua66e"  # characters that only the unknown token stands for


def states_of(model, texts: list[str]) -> HiddenStates:
    table = pd.DataFrame({"id": [f"t{number}" for number in range(len(texts))], "text": texts})
    return extract_hidden_states(*model, table, True, **SETTINGS)


def test_texts_of_which_the_tokenizer_knows_nothing_are_found(model):
    texts = ["cat", STRANGE, NOTHING, f"{STRANGE} cat", "cat " * 90 + STRANGE]
    assert states_of(model, texts).unknown == ["t1", "t2"]
    assert extract_hidden_states(*model, TEXTS, True, **SETTINGS).unknown == []


@pytest.fixture
def stage(tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`main` for a corpus of these texts."""
    monkeypatch.chdir(tmp_path)

    def run(texts: list[str], *, halves: bool = False, **change: int) -> None:
        ids = [f"t{number}" for number in range(len(texts))]
        Path("data/prepared/texts").mkdir(parents=True)
        table = pd.DataFrame({"id": ids, "document": ids, "text": texts})
        save_rows(table, "data/prepared/texts/mine.parquet")
        corpus = {"label": "x", "license": "x", "language": "x", "source": "file", "path": "x.txt"}
        corpus |= {"halves": halves}
        model = tiny_description(tiny_folder) | change
        main(StageConfig("tiny", model, "mine", corpus, ["tiny"], ["mine"], SETTINGS))

    return run


def test_such_texts_are_told_by_model_corpus_and_name(stage, caplog):
    stage(["cat", *[NOTHING] * 7])
    assert (
        "corpus 'mine': the tokenizer of 'tiny' knows no token of 7 of 8 texts: "
        "t1, t2, t3, t4, t5, …" in caplog.text
    )
    assert Path("data/extracted/hidden_states/tiny/mine.safetensors").is_file()


@pytest.mark.parametrize("text", [NOTHING, STRANGE])
def test_a_corpus_of_which_the_tokenizer_knows_nothing_is_told_and_empty(stage, caplog, text: str):
    stage([text])
    assert (
        "the texts: 100 % of the tokens are unknown to the tokenizer, more than 20 %: what is "
        "measured of these texts is not checkable, and is empty" in caplog.text
    )
    windows = load_rows("data/extracted/hidden_states/tiny/mine.windows.parquet")
    assert windows.empty
    assert load_file("data/extracted/hidden_states/tiny/mine.safetensors")["mean"].shape[1] == 0


def test_beyond_the_bound_halves_are_not_read_either(stage):
    text = f"The cat sat. {STRANGE}. A dog sat. {STRANGE}. The sun. {STRANGE}."
    stage([text], halves=True)
    for part in ("", ".halves"):
        windows = load_rows(f"data/extracted/hidden_states/tiny/mine{part}.windows.parquet")
        assert windows.empty


def test_an_unknown_token_is_marked_as_no_word(model):
    states = states_of(model, [f"the cat {STRANGE[0]} sat on the mat"])
    marked = states.tokens[states.tokens["special"]]
    assert marked["token"].tolist() == ["[CLS]", "[UNK]", "[SEP]"]
    assert not states.windows.empty


def test_a_corpus_that_is_known_is_not_spoken_of(stage, caplog):
    stage(["cat"])
    assert "knows no token" not in caplog.text


def test_a_model_reads_no_more_documents_than_its_description_says(stage):
    stage(["cat"] * 39, most_documents=20)
    windows = load_rows("data/extracted/hidden_states/tiny/mine.windows.parquet")
    assert list(windows["text"]) == [f"t{2 * number}" for number in range(20)]
