import json
import re
import shutil
from pathlib import Path

import pytest

from embspace.app.describe.description import check_complete
from embspace.app.describe.find import find_model
from embspace.app.describe.given import given_keys
from embspace.errors import InputError, RefusedModel
from embspace.extract.embeddings import extract_embeddings
from embspace.models.parameters.read import read_parameters
from embspace.settings.model import describe_model
from tests.app.describe.folders import saved
from tests.models.sentence.folders import Module, dense, pooling, write_modules
from tests.tiny import DIM, POSITIONS, VOCABULARY, build_tiny_bert
from tests.zoo import build_animal


@pytest.mark.parametrize("kind", ["bert", "bert_with_head", "distilbert", "roberta", "gpt2"])
def test_a_folder_is_described_so_that_its_matrices_can_be_read(
    kind: str, root: Path, tmp_path: Path
):
    folder = saved(kind, tmp_path / "my model")
    named = find_model(str(folder), root, None)
    check_complete(named, str(folder))
    assert named.described
    model = describe_model(named.name, named.described)
    matrices, _ = extract_embeddings(named.name, model)
    spaces = {"input", "positional", "segment"}
    lacking = {"distilbert": {"segment"}, "gpt2": {"segment"}}.get(kind, set())
    assert {*matrices} == spaces - lacking
    assert len(matrices["positional"]) == POSITIONS
    assert named.described["label"] == "my model"
    assert "model.safetensors" in named.described["sha256"]


def test_a_masked_head_is_described_so_that_it_can_be_read(root: Path, tmp_path: Path):
    import transformers

    folder = build_tiny_bert(tmp_path / "my model")
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    named = find_model(str(folder), root, None)
    check_complete(named, str(folder))
    assert named.described
    assert named.described["masked_head"] == {
        "dense": "cls.predictions.transform.dense",
        "norm": "cls.predictions.transform.LayerNorm",
        "bias": "cls.predictions.bias",
    }
    model = describe_model(named.name, named.described)
    head = read_parameters(named.name, model).head_transform
    assert head and head.output.shape == (len(VOCABULARY), DIM)


def test_weights_of_a_head_are_not_reported(
    root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    folder = saved("bert_with_head", tmp_path / "my model")
    capfd.readouterr()
    find_model(str(folder), root, None)
    printed = caplog.text + "".join(capfd.readouterr())
    assert not re.search("UNEXPECTED|MISSING|not sharded", printed)


def test_a_tokenizer_of_another_model_is_told(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    other = build_animal("gpt2", tmp_path / "other")
    (folder / "vocab.txt").unlink()
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(other / file, folder / file)
    with pytest.raises(InputError, match=r"the tokenizer has 4\d\d tokens with ids up to"):
        find_model(str(folder), root, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_hidden_layers": 10**9}, r"config\.json: key 'num_hidden_layers': found 10{9}, "),
        ({"model_type": "t5"}, r"mine: cannot be loaded and read: StrictDataclass\w+Error: "),
    ],
)
def test_numbers_that_no_model_can_be_made_of_are_told(
    root: Path, tmp_path: Path, change: dict[str, object], message: str
):
    config = build_tiny_bert(tmp_path / "mine") / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | change))
    with pytest.raises(InputError, match=message):
        find_model(str(tmp_path / "mine"), root, None)


def test_a_folder_is_found_out_once_and_anew_where_a_file_is_another(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, base = build_tiny_bert(tmp_path / "mine"), build_tiny_bert(tmp_path / "base")
    (folder / "tokenizer.json").unlink()
    given = given_keys(None, str(base))
    find_model(str(folder), root, None, given)
    with monkeypatch.context() as patch:
        patch.setattr("embspace.app.describe.findings._findings", None)
        named = find_model(str(folder), root, None, given)
        assert named.described and named.described["matrices"]["input"]
        named.described.clear()  # a copy
        assert find_model(str(folder), root, None, given).described
        config = base / "tokenizer_config.json"
        config.write_text(json.dumps({**json.loads(config.read_text()), "model_max_length": 9}))
        with pytest.raises(TypeError):  # what is None is called
            find_model(str(folder), root, None, given)
    build_tiny_bert(folder, seed=3)
    assert find_model(str(folder), root, None, given).name != named.name


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        *(
            ([pooling("mean"), (kind, {})], f"the module {kind} is not known")
            for kind in ("WordWeights", "LSTM", "LayerNorm", "Router", "Asym", "SpladePooling")
        ),
        ([("CNN", {}), pooling("mean")], "the module CNN is not known"),
        ([pooling("median")], "key 'pooling_mode': found 'median'"),
        ([("Pooling", {"embedding_dimension": 7})], "is for 7 dimensions"),
        ([pooling("mean"), dense(16, 8)], "for vectors of 32 dimensions"),
    ],
)
def test_a_sentence_model_that_is_not_known_is_refused(
    root: Path, tmp_path: Path, modules: list[Module], message: str
):
    folder = write_modules(build_tiny_bert(tmp_path / "mine"), modules)
    with pytest.raises(RefusedModel, match=message):
        find_model(str(folder), root, None)


def test_a_sentence_model_without_a_transformer_is_refused_by_its_module(
    root: Path, tmp_path: Path
):
    (tmp_path / "mine").mkdir()
    kind = "sentence_transformers.models.StaticEmbedding"
    (tmp_path / "mine/modules.json").write_text(json.dumps([{"path": "", "type": kind}]))
    with pytest.raises(RefusedModel, match="the module StaticEmbedding is not known"):
        find_model(str(tmp_path / "mine"), root, None)


def test_files_of_a_sentence_model_that_lack_are_told(root: Path, tmp_path: Path):
    modules = [pooling("mean"), dense(DIM, 8)]
    prompts = {"default_prompt_name": "q", "prompts": {}}
    folder = write_modules(build_tiny_bert(tmp_path / "mine"), modules, prompts=prompts)
    with pytest.raises(RefusedModel, match="key 'default_prompt_name': found 'q'"):
        find_model(str(folder), root, None)
    (folder / "config_sentence_transformers.json").unlink()
    assert find_model(str(folder), root, None).described
    weights = folder / "2_Dense/model.safetensors"
    weights.rename(weights.with_name("pytorch_model.bin"))
    with pytest.raises(RefusedModel, match=r"2_Dense: no model\.safetensors; a pickle"):
        find_model(str(folder), root, None)
