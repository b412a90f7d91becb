import doctest
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import embspace
from embspace.app import api
from embspace.app.queries.space_keys import MatrixKey
from embspace.errors import InputError
from embspace.files.tensors import load_tensors
from embspace.loaded.model import LoadedModel
from tests.lazy import transformers
from tests.loaded.folders import tree
from tests.models.sentence.folders import Module, encode_by_torch, pooling, write_modules
from tests.tiny import DIM, LAYERS, VOCABULARY, build_tiny_bert, write_tiny_model
from tests.whole_pipeline import POSITIONS
from tests.workspace import Workspace

__all__ = ["tree"]
TEXTS = ["the cat sat on the mat", "a dog", "the sun\nand the rain", "the cat sat on the mat"]


@pytest.fixture(autouse=True)
def here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tree)
    return tree


@pytest.fixture
def s(here: Path) -> api.Spaces:
    return embspace.spaces("tiny", TEXTS)


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A whole tree that knows `tiny` and has computed nothing."""
    whole = Workspace(root, tmp_path_factory.mktemp("api"))
    write_tiny_model(whole.folder / "models/tiny", whole.folder / "conf", "tiny", 0, POSITIONS)
    whole.edit("conf/model/tiny.yaml", path="models/tiny")
    whole.shorten()
    return whole


@pytest.fixture
def with_tables(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> api.Spaces:
    """The same texts in a tree that can run stages."""
    monkeypatch.chdir(workspace.folder)
    return embspace.spaces("tiny", TEXTS)


def test_it_says_what_it_is_and_nothing_else(s: api.Spaces, capsys: pytest.CaptureFixture[str]):
    assert repr(s) == f"Spaces(model='tiny', texts=4, layers={LAYERS + 1}, dimension={DIM})"
    embspace.spaces("tiny", ["another text"])["layer", 1]
    assert capsys.readouterr().err == ""


def test_learned_tables_are_those_of_the_checkpoint(s: api.Spaces):
    names = {"input": "word", "positional": "position", "segment": "token_type"}
    weights = load_tensors("models/tiny/model.safetensors")
    for space, name in names.items():
        assert np.array_equal(s[space], weights[f"embeddings.{name}_embeddings.weight"])
    assert s.vocabulary["token"].tolist() == VOCABULARY


def test_states_of_texts_need_no_vocabulary(monkeypatch: pytest.MonkeyPatch, s: api.Spaces):
    monkeypatch.setattr(LoadedModel, "learned", lambda _: pytest.fail("the vocabulary is made"))
    assert embspace.spaces("tiny", TEXTS)["first_last"].shape == s["layer", 1, "mean"].shape


def test_states_have_a_row_a_token(s: api.Spaces):
    for layer in range(LAYERS + 1):
        assert s["layer", layer].shape == (len(s.tokens), DIM)
        assert s["layer", layer].dtype == np.float32
    assert np.array_equal(s["layer", -1], s["layer", LAYERS])
    assert s.tokens["token"][:4].tolist() == ["[CLS]", "the", "cat", "sat"]


def test_states_are_those_of_the_model_by_itself(s: api.Spaces):
    import torch
    from transformers import AutoModel, AutoTokenizer

    inputs = AutoTokenizer.from_pretrained("models/tiny")(TEXTS[2], return_tensors="pt")
    model = AutoModel.from_pretrained("models/tiny")
    with torch.no_grad():
        expected = model(**inputs, output_hidden_states=True).hidden_states
    rows = (s.tokens["window"] == 2).to_numpy()
    for layer, states in enumerate(expected):
        assert np.allclose(s["layer", layer][rows], states[0].numpy(), atol=1e-5)


def test_pooled_states_have_a_row_a_window(s: api.Spaces):
    assert s.windows["text"].tolist() == ["1", "2", "3", "4"]
    tokens = s["layer", 1][(s.tokens["window"] == 1).to_numpy()]
    assert np.allclose(s["layer", 1, "mean"][1], tokens.mean(axis=0), atol=1e-6)
    assert np.array_equal(s["layer", 1, "max"][1], tokens.max(axis=0))
    assert np.array_equal(s["layer", 1, "cls"][1], tokens[0])
    assert np.array_equal(s["layer", 2, "mean"][0], s["layer", 2, "mean"][3])  # one text twice


def test_what_is_changed_in_an_array_changes_no_file(s: api.Spaces):
    s["input"][:] = 0
    s["layer", 0][:] = 0
    assert s["input"].any()
    assert s["layer", 0].any()


@pytest.mark.parametrize(
    "key", ["output", "layer", ("layer",), ("layer", 3), ("layer", 1, "sum"), ("input", 0)]
)
def test_an_unknown_key_is_told_with_those_there_are(s: api.Spaces, key: MatrixKey):
    with pytest.raises(KeyError, match="'input', 'positional', 'segment', .'layer', 0 to 2.,"):
        s[key]


@pytest.mark.slow
def test_tables_are_those_of_the_pipeline(with_tables: api.Spaces, workspace: Workspace):
    """Run by a user in their own tree, with the texts as a corpus of conf/."""
    for noun in ("similarity", "sentence_similarity"):
        with_tables.table(noun)
    lines = (with_tables.tree.folder / "data/texts/texts.jsonl").read_bytes()
    (workspace.folder / "data/texts/mine.jsonl").write_bytes(lines)
    conf = workspace.folder / "conf/corpus/mine.yaml"
    description = (with_tables.tree.folder / "conf/corpus/texts.yaml").read_text()
    conf.write_text(description.replace("texts.jsonl", "mine.jsonl"))
    workspace.edit("params.yaml", models=["tiny"], corpora=["mine"])
    workspace.repro("measure_similarity@tiny", "measure_sentence_similarity@tiny")
    for name in ("summary", "histogram", "pairs"):
        made = pd.read_csv(f"results/similarity/{name}/tiny.csv")
        pd.testing.assert_frame_equal(
            with_tables.table("similarity", name), made, check_dtype=False
        )
    pd.testing.assert_frame_equal(
        with_tables.table("similarity"), with_tables.table("similarity", "summary")
    )
    made = pd.read_csv("results/sentence_similarity/tiny.csv")
    made["corpus"] = "texts"
    pd.testing.assert_frame_equal(with_tables.table("sentence_similarity"), made, check_dtype=False)


@pytest.mark.slow
def test_scalars_are_a_table_of_one_row(with_tables: api.Spaces):
    table = with_tables.table("separability")
    assert len(table) == 1
    assert len(table.columns) > 2


@pytest.mark.slow
def test_a_table_of_no_name_is_told(with_tables: api.Spaces):
    with pytest.raises(KeyError, match="found 'alikeness'; there are .*similarity"):
        with_tables.table("alikeness")


def test_a_cosine_stands_among_those_of_the_texts(s: api.Spaces):
    comparison = s.cosine("a cat", "a dog", layer=1)
    assert (comparison.layer, comparison.pooling, comparison.as_is.n_pairs) == (1, "mean", 6)
    assert comparison.tokens is None
    assert s.cosine("cat", "dog").tokens is not None
    with pytest.raises(InputError, match="^layer: found 9"):
        s.cosine("cat", "dog", layer=9)


def test_other_texts_leave_these_alone(s: api.Spaces):
    before = s["layer", 1, "mean"]
    other = embspace.spaces("tiny", ["a boat on the tide"])
    assert len(other["layer", 1, "mean"]) == 1
    assert np.array_equal(s["layer", 1, "mean"], before)
    assert np.array_equal(embspace.spaces("tiny", iter(TEXTS))["layer", 1, "mean"], before)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "found one string, expected a list"),
        ([], "texts: found none"),
        (["a", " \n"], "text 2 is empty"),
        (iter(["a", None]), "text 2 is None, not a string"),
        (["\ud800"], "text 1 is not UTF-8"),
    ],
)
def test_texts_that_are_none_are_told(texts: Iterable[str], message: str):
    with pytest.raises(InputError, match=message):
        embspace.spaces("tiny", texts)


def test_an_unknown_model_is_told():
    with pytest.raises(embspace.InputError, match=r"tinny\.yaml: not found.*did you mean 'tiny'"):
        embspace.spaces("tinny", TEXTS)


@pytest.mark.slow
def test_the_examples_hold(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    results = doctest.testmod(api, verbose=False)
    assert results.attempted >= 5
    assert results.failed == 0


def test_importing_embspace_stays_light(root: Path):
    heavy = "{'numpy', 'torch', 'pandas', 'dvc'}"
    code = f"import embspace, sys; print(sorted({heavy} & {{*sys.modules}}))"
    command = [sys.executable, "-c", code]
    said = subprocess.run(
        command, env={"PYTHONPATH": str(root / "src")}, capture_output=True, text=True, check=True
    )
    assert said.stdout == "[]\n"
    assert {"spaces", "Spaces", "InputError"} <= {*dir(embspace)}
    with pytest.raises(AttributeError, match="attribute space"):
        embspace.space  # noqa: B018


def test_more_poolings_are_made_of_the_states(s: api.Spaces):
    is_second = (s.tokens["window"] == 1).to_numpy()
    tokens = s["layer", 1][is_second]
    assert np.array_equal(s["layer", 1, "last"][1], tokens[-1])
    weights = np.arange(1, len(tokens) + 1)[:, None]
    expected = (tokens * weights).sum(axis=0) / weights.sum()
    assert np.allclose(s["layer", 1, "weightedmean"][1], expected, atol=1e-6)
    by_root = tokens.sum(axis=0) / len(tokens) ** 0.5
    assert np.allclose(s["layer", 1, "mean_sqrt_len_tokens"][1], by_root, atol=1e-5)
    both = (s["layer", 1, "mean"] + s["layer", -1, "mean"]) / 2
    assert np.allclose(s["first_last"], both, atol=1e-6)
    assert np.array_equal(s["first_last"], s["first_last",])


def test_a_model_that_is_no_sentence_model_has_no_such_space(s: api.Spaces):
    with pytest.raises(KeyError, match=r"found \('sentence',\); there are .*'first_last'\"$"):
        s["sentence",]


def test_a_sentence_model_has_its_makers_vectors(tmp_path: Path):
    folder = tmp_path / "sentences"
    modules: list[Module] = [pooling("max"), ("Normalize", {})]
    write_modules(build_tiny_bert(folder, positions=POSITIONS), modules)
    made = embspace.spaces(str(folder), TEXTS)
    expected = [encode_by_torch(folder, text, modules) for text in TEXTS]
    assert np.allclose(made["sentence",], expected, atol=1e-5)
    assert np.array_equal(made["sentence"], made["sentence",])


def test_words_are_the_means_of_their_tokens(s: api.Spaces):
    words = s.words
    second = words[words["text"] == "3"]
    assert second["word"].tolist() == ["the", "sun", "and", "the", "rain"]
    for row, word in zip(s["layer", 2, "word"], words.itertuples(), strict=True):
        tokens = s.tokens[s.tokens["window"] == int(word.text) - 1]
        inside = (tokens["start"] >= word.start) & (tokens["end"] <= word.end)
        at = tokens.index[inside & ~tokens["special"]]
        assert len(at) == word.n_tokens
        assert np.allclose(row, s["layer", 2][at].mean(axis=0), atol=1e-6)


def test_attention_has_a_row_a_token_that_sums_to_one(s: api.Spaces):
    maps = s.attention(-1)
    assert [attention.shape for attention in maps] == [(4, n, n) for n in s.windows["n_tokens"]]
    assert all(np.allclose(attention.sum(axis=-1), 1, atol=1e-5) for attention in maps)
    assert np.array_equal(maps[0], s.attention(2)[0])
    with pytest.raises(InputError, match="layer: found 0, allowed: 1 to 2, or -1 for the last"):
        s.attention(0)


def test_texts_are_added_and_the_first_ones_stay(s: api.Spaces):
    more = s.add(["a boat on the tide"])
    assert (s.texts, more.texts) == (4, 5)
    assert more.windows["text"].tolist() == ["1", "2", "3", "4", "5"]
    assert np.array_equal(more["layer", 1, "mean"][:4], s["layer", 1, "mean"])
    alone = embspace.spaces("tiny", ["a boat on the tide"])
    assert np.allclose(more["layer", 1, "mean"][4:], alone["layer", 1, "mean"], atol=1e-6)
    assert more.cosine("a cat", "a dog").as_is.n_documents == 5


def test_texts_that_are_added_are_numbered_on_from_unread_ones(here: Path):
    more = embspace.spaces("tiny", ["\ua66e"]).add(["a boat on the tide"])
    assert more.windows["text"].tolist() == ["2"]
    assert more.words["word"].tolist() == ["a", "boat", "on", "the", "tide"]


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"device": "gpu"}, "the device: found 'gpu', here there is: cpu"),
        ({"tokens_per_batch": 0}, "tokens_per_batch: found 0, allowed: a whole number from 1 on"),
        ({"tokens_per_batch": "4"}, "tokens_per_batch: found '4'"),
    ],
)
def test_a_wrong_wish_is_told(here: Path, wish: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        embspace.spaces("tiny", TEXTS, **wish)["layer", 1]


@pytest.mark.parametrize("key", [["layer", 1], slice(1), ("layer", True), ("layer", 1.0), None])
def test_what_is_no_key_is_none(s: api.Spaces, key: Any):
    with pytest.raises(KeyError, match="there are 'input'"):
        s[key]


def test_a_model_that_is_loaded_is_taken_but_has_no_tables(here: Path):
    module = transformers.AutoModel.from_pretrained("models/tiny")
    tokenizer = transformers.AutoTokenizer.from_pretrained("models/tiny")
    made = embspace.spaces(module, TEXTS, tokenizer=tokenizer)
    assert np.array_equal(made["layer", 2], embspace.spaces("tiny", TEXTS)["layer", 2])
    with pytest.raises(InputError, match=r"save_pretrained\(\), and pass the folder"):
        made.table("similarity")
    with pytest.raises(InputError, match="tokenizer: allowed beside a model that is loaded"):
        embspace.spaces("tiny", TEXTS, tokenizer=tokenizer)


def test_a_notebook_shows_what_there_is_and_nothing_is_computed(
    s: api.Spaces, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(api, "read_states", None)
    shown = s._repr_html_()
    assert f"layers={LAYERS + 1}" in shown and f"0 to {LAYERS}" in shown


@pytest.mark.slow
def test_a_long_text_loses_nothing(here: Path, tmp_path: Path):
    folder = tmp_path / "long"
    build_tiny_bert(folder, positions=512)
    text = "the cat sat on the mat . " * 40_000
    s = embspace.spaces(str(folder), [text, "a dog"])
    assert len(text) == 10**6
    tokens = s.tokens[~(s.tokens["special"] | s.tokens["repeated"])]
    assert len(tokens) == 280_000 + 2
    assert np.isfinite(s["layer", -1, "mean"]).all()
    with pytest.raises(InputError, match="has 280,000 tokens, more than a window of 512 holds"):
        s.cosine(text, "a dog")


ELSEWHERE = """
import os, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "fcntl":
            raise ImportError("there is none here")

sys.meta_path.insert(0, Hidden())
del os.fork, os.killpg
import numpy as np
import embspace
from embspace.app.cli.application import app

s = embspace.spaces("tiny", ["the cat sat on the mat", "a dog"])
assert s["layer", 1].any() and s.words.shape and s.attention(1)
s.cosine("a cat", "a dog")
x = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
embspace.geometry.mean_cosine(x)
embspace.spaces(vectors=x)["given"]
np.save(sys.argv[1] + "/x.npy", x)
open(sys.argv[1] + "/my.txt", "w").write("the cat\\na dog\\nthe sun\\n")
own = ["--corpus", sys.argv[1] + "/my.txt"]
for command in (
    ["cosine", "tiny", "a cat", "a dog", *own],
    ["search", "tiny", "a cat", *own],
    ["track", "tiny", "a cat"],
    ["read", "tiny", "--layer", "1", "--value", "1"],
    ["lookup", "tiny", "cat"],
    ["export", "tiny", "tokens", "--to", "parquet", "--folder", sys.argv[1], *own],
    ["vectors", sys.argv[1] + "/x.npy", "--neighbors", "5"],
):
    try:
        app(command)
    except SystemExit as end:
        assert not end.code, command
import embspace.app.layer
assert "fcntl" not in sys.modules
"""


@pytest.mark.slow
def test_all_but_stages_work_where_only_pip_is(here: Path, root: Path, tmp_path: Path):
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
