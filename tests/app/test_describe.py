"""Models by folder or repository, of which conf/model/ says nothing."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.app.describe import (
    check_complete,
    description_of,
    find_model,
    given_keys,
    placed,
    plain_name,
    write_description,
)
from embspace.errors import InputError, RefusedModel
from embspace.extract.embeddings import extract_embeddings
from embspace.models import hub_errors
from embspace.models.lock import read_lock
from embspace.models.parameters.read import read_parameters
from embspace.settings.model import describe_model
from tests.hub_server import Hub, serving_hub
from tests.models.sentence.folders import Module, dense, pooling, write_modules
from tests.tiny import DIM, POSITIONS, VOCABULARY, build_tiny_bert, tiny_description
from tests.zoo import build_animal

Save = Callable[[Path], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree that knows no model."""
    folder = tmp_path / "tree"
    (folder / "conf/model").mkdir(parents=True)
    return folder


def saved(kind: str, folder: Path) -> Path:
    """A model as people save theirs: `save_pretrained` of a class with a head, a tokenizer."""
    import transformers

    if kind != "bert_with_head":
        return build_animal(kind, folder)
    build_tiny_bert(folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


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


def test_a_folder_called_as_what_is_no_model_has_another_name(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "toy")
    assert find_model(str(folder), root, None).name.startswith("toy_model-")


def test_a_description_under_a_name_that_no_model_can_have_is_refused(root: Path):
    (root / "conf/model/...yaml").write_text("source: path\n")
    with pytest.raises(InputError, match=r"found the model '\.\.', allowed: letters"):
        find_model("..", root, None)


def test_another_content_has_another_name(root: Path, tmp_path: Path):
    folders = [build_tiny_bert(tmp_path / str(seed) / "mine", seed) for seed in range(2)]
    names = [find_model(str(folder), root, None).name for folder in folders]
    assert names[0] != names[1]
    assert all(name.startswith("mine-") for name in names)
    assert find_model(str(folders[0]), root, None).name == names[0]


def test_the_file_says_what_people_wrote_of_the_model(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    named = find_model(str(folder), root, None)
    text = description_of(named, root)
    assert text.startswith(
        f"# mine, BertModel: 2 layers of {DIM} dimensions, {len(VOCABULARY)} tokens; found"
    )
    content = yaml.safe_load(text)
    expected = tiny_description(folder) | {"label": "mine", "license": "unknown"}
    expected["language"] = "unknown"
    assert {key: content[key] for key in expected} == expected
    assert write_description(named, root) == root / "conf/model/mine.yaml"
    assert (root / "conf/model/mine.yaml").read_text() == text
    # Now it is known, by its name and by its folder.
    for given_name in ("mine", str(folder)):
        known = find_model(given_name, root, None)
        assert (known.name, known.described) == ("mine", None)
        assert description_of(known, root) == text
    with pytest.raises(InputError, match=r"mine\.yaml: describes this model already"):
        write_description(find_model("mine", root, None), root)


def test_a_folder_of_the_tree_is_named_from_its_root(root: Path):
    named = find_model(str(build_tiny_bert(root / "models/mine")), root, None)
    assert yaml.safe_load(description_of(named, root))["path"] == "models/mine"


def test_what_the_files_do_not_say_is_asked_for(root: Path, tmp_path: Path):
    folder = build_animal("bloom", tmp_path / "bloom")
    named = find_model(str(folder), root, None)
    with pytest.raises(InputError, match=r"key 'window': .* no number of positions") as raised:
        check_complete(named, str(folder))
    assert f"embspace describe {folder} --write" in str(raised.value)
    assert "conf/model/bloom.yaml" in str(raised.value)
    assert "# window:  # not found: " in description_of(named, root)


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


def test_messages_name_no_file_that_is_not_there(root: Path, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as raised:
        find_model(str(tmp_path / "empty"), root, None)
    assert "no config.json" in str(raised.value)
    assert "conf/model" not in str(raised.value)
    with pytest.raises(InputError, match="allowed: a folder, a repository owner/name, or one that"):
        find_model("nothing", root, None)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with the tiny model, and an empty cache."""
    monkeypatch.setattr(hub_errors, "PAUSE", 0.01)
    with serving_hub() as running:
        running.connect(tmp_path / "cache", monkeypatch)
        running.push("maker/tiny-bert", build_tiny_bert(tmp_path / "tiny"))
        yield running


def test_a_repository_is_fetched_and_described(
    hub: Hub, root: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(InputError, match=r"maker/tiny-bert: not fetched; get it with"):
        find_model("maker/tiny-bert", root, None)
    said: list[str] = []
    named = find_model("maker/tiny-bert", root, said.append)
    assert named.name == plain_name(named) == "maker_tiny-bert"
    assert "maker/tiny-bert, main is" in said[0]
    assert named.described
    written: Any = describe_model(named.name, named.described)
    assert (written.source, written.repository) == ("hub", "maker/tiny-bert")
    assert list((root / "conf/model").iterdir()) == []
    # Who has it asks nobody.
    n_requests = len(hub.requests)
    assert find_model("maker/tiny-bert", root, None) == named
    assert len(hub.requests) == n_requests
    monkeypatch.chdir(root)
    assert [*read_lock()] == ["maker_tiny-bert"]
    write_description(named, root)
    assert find_model("maker/tiny-bert", root, None).described is None


def test_a_repository_that_is_not_there_is_told(hub: Hub, root: Path):
    with pytest.raises(InputError) as raised:
        find_model("maker/none", root, print)
    assert "found 'maker/none', of which" in str(raised.value)
    assert str(raised.value).endswith("nor is there a folder maker/none here")
    assert "conf/model" not in str(raised.value)


def test_a_class_that_is_not_as_its_file_stands_in_the_description(root: Path, tmp_path: Path):
    named = find_model(str(build_animal("xlm-roberta", tmp_path / "xlm")), root, None)
    written = description_of(named, root)
    assert "note: The tokenizer is as tokenizer.json says; " in written
    assert describe_model(named.name, named.described).note.endswith("has another pre-tokenizer.")


def test_a_checkpoint_of_a_training_takes_its_tokenizer_from_elsewhere(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "checkpoint-500")
    tokenizer = tmp_path / "base"
    tokenizer.mkdir()
    for file in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        if (folder / file).is_file():
            shutil.move(folder / file, tokenizer / file)
    with pytest.raises(RefusedModel, match=r"--tokenizer"):
        find_model(str(folder), root, None)
    given = given_keys(None, str(tokenizer))
    named = find_model(str(folder), root, None, given)
    check_complete(named, str(folder))
    assert named.described
    model = describe_model(named.name, named.described)
    _, vocabulary = extract_embeddings(named.name, model)
    assert len(vocabulary) == len(VOCABULARY)
    assert yaml.safe_load(description_of(named, root))["tokenizer"]["path"] == str(tokenizer)


def test_a_folder_is_found_out_once_and_anew_where_a_file_is_another(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, base = build_tiny_bert(tmp_path / "mine"), build_tiny_bert(tmp_path / "base")
    (folder / "tokenizer.json").unlink()
    given = given_keys(None, str(base))
    find_model(str(folder), root, None, given)
    with monkeypatch.context() as patch:
        patch.setattr("embspace.app.describe._findings", None)
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


def test_what_a_user_allows_stands_in_the_description(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"use_rms_norm": True}))
    with pytest.raises(RefusedModel, match="--allow-unused 'use_rms_norm'"):
        find_model(str(folder), root, None)
    given = given_keys(["use_*"], None)
    named = find_model(str(folder), root, None, given)
    assert yaml.safe_load(description_of(named, root))["allow_unused"] == ["use_*"]
    write_description(named, root)
    with pytest.raises(InputError, match=r"mine\.yaml: describes this model; set allow_unused"):
        find_model(str(folder), root, None, given)


def test_the_file_that_the_shell_makes_first_is_no_description(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    target = root / "conf/model/mine.yaml"
    target.write_text("")  # embspace describe FOLDER > conf/model/mine.yaml
    target.write_text(description_of(find_model(str(folder), root, None), root))
    assert find_model("mine", root, None).described is None
    assert find_model(str(folder), root, None).name == "mine"


@pytest.mark.parametrize("name", ["a, b", "50% of %(x)s", "${y}", "q'uo\"te"])
def test_a_folder_may_have_any_name(root: Path, tmp_path: Path, name: str):
    named = find_model(str(build_tiny_bert(tmp_path / name)), root, None)
    assert named.described
    assert yaml.safe_load(description_of(named, root))["path"] == str(tmp_path / name)


@pytest.mark.parametrize("name", ["..", "a/..", "../..", "./x"])
def test_dots_are_no_repository(name: str, root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    with pytest.raises(InputError, match="no config.json|no such folder|allowed: a folder"):
        find_model(name, root, None)


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


def test_a_name_stays_a_name_beside_a_folder_of_that_name(tmp_path: Path):
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/minilm.yaml").write_text("")
    for name in ("minilm", "mine", "texts"):
        (tmp_path / name).mkdir()
    for name in ("minilm", "mine"):
        (tmp_path / name / "config.json").write_text("{}")
    assert placed("minilm", tmp_path, tmp_path) == "minilm"
    assert placed("mine", tmp_path, tmp_path) == str(tmp_path / "mine")
    assert placed("./minilm", tmp_path, tmp_path) == str(tmp_path / "minilm")
    assert [placed(name, tmp_path, tmp_path) for name in ("texts", "", "nothing")] == [
        *("texts", "", "nothing")
    ]
