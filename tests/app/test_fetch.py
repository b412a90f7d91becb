import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from huggingface_hub import constants

from embspace.app.check import check_settings
from embspace.app.fetch import change, fetch_models
from embspace.errors import InputError
from embspace.models import hub_errors
from embspace.models.locate import sha256
from embspace.models.lock import LockedFile, LockedModel, read_lock, write_lock
from embspace.models.sentence.vectors import sentence_modules
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import Model, describe_model
from tests.hub_server import Hub, serving_hub
from tests.loopback import closed_address
from tests.models.sentence.folders import pooling, write_modules
from tests.published_training import (
    bert_content,
    build_neox,
    choose,
    neox_content,
    push_bert,
    push_neox,
)
from tests.published_training import describe as describe_published
from tests.tiny import build_tiny_bert, tiny_description
from tests.whole_pipeline import POSITIONS
from tests.workspace import Workspace


@pytest.fixture
def server(
    tmp_path: Path, tiny_folder: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hub]:
    """A hub with the tiny model, an empty cache, a tree that knows the model as `tiny`."""
    monkeypatch.setattr(hub_errors, "PAUSE", 0.01)
    monkeypatch.chdir(tmp_path)
    with serving_hub() as running:
        running.connect(tmp_path / "cache", monkeypatch)
        running.push("maker/tiny", tiny_folder)
        describe("tiny")
        yield running


def describe(name: str, **change: object) -> Model:
    """Write conf/model/<name>.yaml for a model of the hub."""
    content = tiny_description(Path()) | {"source": "hub", "repository": "maker/tiny"} | change
    if content["source"] != "path":
        del content["path"]
    path = Path(f"conf/model/{name}.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return describe_model(name, content)


def fetch(*names: str, update: bool = False) -> str:
    return "\n".join(fetch_models(list(names), update=update))


def test_what_is_fetched_is_locked_and_loads_without_a_network(
    server: Hub, tiny_folder: Path, monkeypatch
):
    said = fetch("tiny")
    commit = server.repositories["maker/tiny"].branches["main"]
    assert f"tiny: maker/tiny, main is {commit[:8]}, " in said
    entry = read_lock()["tiny"]
    assert (entry.revision, entry.commit) == ("main", commit)
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= entry.files.keys()
    for name, file in entry.files.items():
        assert file.size == (tiny_folder / name).stat().st_size
    monkeypatch.setattr(constants, "ENDPOINT", closed_address())
    n_requests = len(server.requests)
    model = describe("tiny")
    local = load_model(
        "local", describe("local", source="path", path=str(tiny_folder), repository=None)
    )
    for key, values in load_model("tiny", model).state_dict().items():
        assert values.equal(local.state_dict()[key])
    assert load_tokenizer("tiny", model).tokenize("the cat") == ["the", "cat"]
    assert len(server.requests) == n_requests


def test_a_second_fetch_asks_nobody(server: Hub):
    fetch("tiny")
    n_requests = len(server.requests)
    assert "all here" in fetch("tiny")
    assert len(server.requests) == n_requests


def test_a_branch_that_moved_is_followed_only_when_told(server: Hub, tmp_path: Path):
    fetch("tiny")
    before = read_lock()["tiny"]
    moved = server.push("maker/tiny", build_tiny_bert(tmp_path / "moved", seed=1))
    fetch("tiny")
    shutil.rmtree(constants.HF_HUB_CACHE)
    fetch("tiny")  # elsewhere, from the lock alone
    assert read_lock()["tiny"] == before
    said = fetch("tiny", update=True)
    assert f"tiny: was {before.commit[:8]} before; changed: model.safetensors" in said
    assert read_lock()["tiny"].commit == moved
    assert f"as before, main is still {moved[:8]}" in fetch("tiny", update=True)


def test_another_revision_in_the_models_file_is_fetched_anew(server: Hub, tmp_path: Path):
    fetch("tiny")
    other = server.push("maker/tiny", build_tiny_bert(tmp_path / "other", seed=2), branch="v2")
    model = describe("tiny", revision="v2")
    with pytest.raises(
        InputError, match="has maker/tiny at main, its file asks for maker/tiny at v2"
    ):
        load_model("tiny", model)
    fetch("tiny")
    assert read_lock()["tiny"].commit == other
    load_model("tiny", model)


def test_other_models_keep_their_entries(server: Hub, tiny_folder: Path):
    server.push("maker/second", tiny_folder)
    describe("second", repository="maker/second")
    fetch("tiny")
    first = read_lock()["tiny"]
    said = fetch("second", "tiny")
    assert said.startswith("second: ")
    assert "tiny: " in said
    assert read_lock()["tiny"] == first
    assert read_lock().keys() == {"tiny", "second"}


def test_a_hash_that_is_not_that_of_the_lock_is_told(server: Hub):
    fetch("tiny")
    entry = read_lock()["tiny"]
    wrong = LockedFile(sha256="0" * 64, size=entry.files["config.json"].size)
    write_lock({"tiny": entry.model_copy(update={"files": {**entry.files, "config.json": wrong}})})
    with pytest.raises(
        InputError, match=r"(?s)sha256 differs from models\.lock.*embspace fetch tiny"
    ):
        load_model("tiny", describe("tiny"))
    with pytest.raises(InputError, match=r"(?s)'tiny': config\.json at .*expected 0000"):
        fetch("tiny")


def test_a_file_that_the_commit_lost_is_told(server: Hub):
    fetch("tiny")
    shutil.rmtree(constants.HF_HUB_CACHE)
    commit = read_lock()["tiny"].commit
    del server.repositories["maker/tiny"].commits[commit]["vocab.txt"]
    with pytest.raises(InputError, match=r"maker/tiny has no vocab\.txt at"):
        fetch("tiny")


def test_a_commit_that_is_gone_is_told(server: Hub):
    fetch("tiny")
    shutil.rmtree(constants.HF_HUB_CACHE)
    server.repositories["maker/tiny"].commits.clear()
    with pytest.raises(InputError, match=r"models\.lock: found '\w+', which maker/tiny does not"):
        fetch("tiny")


def test_a_damaged_file_is_told_and_fetched_again(server: Hub):
    fetch("tiny")
    (path,) = Path(constants.HF_HUB_CACHE).rglob("model.safetensors")
    path.resolve().write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"differs from models\.lock"):
        load_model("tiny", describe("tiny"))
    fetch("tiny")
    load_model("tiny", describe("tiny"))


def test_shards_are_fetched_and_loaded(server: Hub, tiny_folder: Path, tmp_path: Path):
    from transformers import AutoModel

    folder = shutil.copytree(tiny_folder, tmp_path / "sharded")
    (folder / "model.safetensors").unlink()
    whole = AutoModel.from_pretrained(tiny_folder)
    whole.save_pretrained(folder, max_shard_size="30KB")
    server.push("maker/sharded", folder)
    model = describe("sharded", repository="maker/sharded")
    fetch("sharded")
    assert sum("-of-" in name for name in read_lock()["sharded"].files) > 1
    loaded = load_model("sharded", model).state_dict()
    assert all(values.equal(loaded[key]) for key, values in whole.state_dict().items())


def test_a_transformer_in_a_folder_is_fetched_and_read(
    server: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = build_tiny_bert(tmp_path / "maker/0_Transformer").parent
    write_modules(folder, [pooling("mean")], transformer="0_Transformer")
    (folder / "config.json").write_text('{"__version__": {"sentence_transformers": "2.0"}}')
    files = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    server.push("maker/sentences", files | {"onnx/model.safetensors": b"x"})
    model = describe("sentences", repository="maker/sentences")
    fetch("sentences")
    locked = {*read_lock()["sentences"].files}
    assert locked == {*files} - {"config.json"}
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    module = load_model("sentences", model)
    assert load_tokenizer("sentences", model)("cat")["input_ids"]
    assert sentence_modules("sentences", model, module).poolings == ("mean",)
    assert "all here" in fetch("sentences")


def test_a_pickle_is_loaded_only_where_it_is_allowed(
    server: Hub, tiny_folder: Path, tmp_path: Path
):
    import torch
    from safetensors.torch import load_file

    folder = shutil.copytree(tiny_folder, tmp_path / "pickled")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    server.push("maker/pickled", folder)
    describe("pickled", repository="maker/pickled")
    with pytest.raises(InputError, match=r"a pickle, .*\n  unpickle: true"):
        fetch("pickled")
    allowed = describe("pickled", repository="maker/pickled", unpickle=True)
    fetch("pickled")
    loaded = load_model("pickled", allowed).state_dict()
    assert all(values.equal(loaded[key]) for key, values in weights.items())
    with pytest.raises(InputError, match=r"no model\.safetensors"):
        load_model("pickled", describe("pickled", repository="maker/pickled"))


class Evil:
    """What a pickle does when it is loaded without care."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch evil",)


def test_a_pickle_with_code_does_not_run_it(server: Hub, tiny_folder: Path, tmp_path: Path):
    import torch

    folder = shutil.copytree(tiny_folder, tmp_path / "evil_model")
    (folder / "model.safetensors").unlink()
    torch.save({"a": Evil()}, folder / "pytorch_model.bin")
    server.push("maker/evil", folder)
    model = describe("evil", repository="maker/evil", unpickle=True)
    fetch("evil")
    with pytest.raises(InputError, match="cannot be loaded"):
        load_model("evil", model)
    assert not Path("evil").exists()


def test_a_tokenizer_of_random_weights_comes_from_the_hub_too(server: Hub):
    config = {"model_type": "bert", "vocab_size": 94, "hidden_size": 8, "num_hidden_layers": 1}
    config |= {"num_attention_heads": 2, "intermediate_size": 16}
    tokenizer = {"source": "hub", "repository": "maker/tiny"}
    random = {"source": "random", "seed": 0, "config": config, "tokenizer": tokenizer}
    model = describe("random", **random)
    fetch("random")
    assert "model.safetensors" not in read_lock()["random"].files
    assert load_tokenizer("random", model).tokenize("the cat") == ["the", "cat"]
    describe("random")  # now the model itself, of the same repository
    fetch("random")
    assert "model.safetensors" in read_lock()["random"].files


def test_what_is_not_on_the_hub_needs_no_fetch(server: Hub, tiny_folder: Path):
    describe("local", source="path", path=str(tiny_folder), repository=None)
    assert fetch("local") == "local: nothing to fetch, for it is neither on the hub nor in a wheel"
    assert not Path("models.lock").exists()


def test_an_unknown_model_is_named_before_anything_is_fetched(server: Hub):
    with pytest.raises(InputError, match=r"tinny\.yaml: not found; did you mean 'tiny'"):
        fetch("tiny", "tinny")
    assert server.requests == []


def test_what_changed_is_said():
    def entry(commit: str, **files: str) -> LockedModel:
        locked = {name: LockedFile(sha256=digit * 64, size=1) for name, digit in files.items()}
        return LockedModel(repository="a/b", revision="main", commit=commit * 40, files=locked)

    said = change(entry("1", a="0", b="0", c="0"), entry("2", a="0", b="1", d="0"))
    assert said == "was 11111111 before; new: d; gone: c; changed: b"
    assert change(entry("1", a="0"), entry("2", a="0")).endswith("; its files are the same")


def test_check_tells_what_was_not_fetched(server: Hub, root: Path, tmp_path: Path):
    # With room for the longest stimulus, of which `check` would speak as well.
    server.push("maker/tiny", build_tiny_bert(tmp_path / "long", positions=POSITIONS))
    shutil.copytree(root / "conf", "conf", dirs_exist_ok=True)
    for folder in ("data/texts", "data/stimuli"):
        shutil.copytree(root / folder, folder)
    params = yaml.safe_load((root / "params.yaml").read_text())
    Path("params.yaml").write_text(yaml.safe_dump(params | {"models": ["tiny"]}))
    (said,) = check_settings()
    assert said.startswith("tiny: not fetched")
    assert said.endswith("embspace fetch tiny")
    fetch("tiny")
    assert check_settings() == []


# Checkpoints of a training.


@pytest.fixture
def neox(server: Hub, tmp_path: Path) -> dict[int, Path]:
    """The hub has a model whose steps are branches, and the tree knows it; where each was made."""
    folders = build_neox(tmp_path / "makers")
    push_neox(server, folders)
    describe_published("neox", neox_content())
    choose(3)
    return folders


def fetch_checkpoints(*names: str, update: bool = False) -> str:
    return "\n".join(fetch_models(list(names), update=update, checkpoints=True))


def test_checkpoints_are_fetched_with_their_model_and_locked_each(
    server: Hub, neox: dict[int, Path]
):
    assert "@" not in fetch("neox") and set(read_lock()) == {"neox"}
    said = fetch_checkpoints("neox")
    branches = server.repositories["maker/neox"].branches
    for step, folder in neox.items():
        commit = branches[f"step{step}"]
        assert f"neox@step{step}: maker/neox, step{step} is {commit[:8]}, " in said
        entry = read_lock()[f"neox@step{step}"]
        assert (entry.repository, entry.revision) == ("maker/neox", f"step{step}")
        assert entry.commit == commit
        assert entry.files["model.safetensors"].sha256 == sha256(folder / "model.safetensors")
    assert set(read_lock()) == {"neox", *(f"neox@step{step}" for step in neox)}


def test_as_many_checkpoints_are_fetched_as_the_settings_choose(server: Hub, neox: dict[int, Path]):
    choose(2)
    fetch_checkpoints("neox")
    assert set(read_lock()) == {"neox", "neox@step0", "neox@step4"}
    before = read_lock()
    choose(3)
    n_requests = len(server.requests)
    said = fetch_checkpoints("neox")
    assert said.count("all here") == 3
    assert not any("step4" in request.path for request in server.requests[n_requests:])
    assert {name: read_lock()[name] for name in before} == before


def test_a_checkpoint_that_moved_is_followed_only_when_told(server: Hub, neox: dict[int, Path]):
    fetch_checkpoints("neox")
    before = read_lock()
    moved = server.push("maker/neox", neox[4], branch="step1")
    fetch_checkpoints("neox")
    shutil.rmtree(constants.HF_HUB_CACHE)
    fetch_checkpoints("neox")  # elsewhere, from the lock alone
    assert read_lock() == before
    said = fetch_checkpoints("neox", update=True)
    was = before["neox@step1"].commit[:8]
    assert f"neox@step1: was {was} before; changed: model.safetensors" in said
    assert read_lock()["neox@step1"].commit == moved
    assert read_lock()["neox@step0"] == before["neox@step0"]


def test_a_checkpoint_whose_hash_is_not_that_of_the_lock_is_refused(
    server: Hub, neox: dict[int, Path]
):
    fetch_checkpoints("neox")
    shutil.rmtree(constants.HF_HUB_CACHE)
    commits = server.repositories["maker/neox"].commits
    commit = read_lock()["neox@step1"].commit
    content = (neox[4] / "model.safetensors").read_bytes()
    commits[commit] = commits[commit] | {"model.safetensors": content}
    with pytest.raises(
        InputError, match=r"(?s)'neox@step1': model\.safetensors at .* is another on the hub.*found"
    ):
        fetch_checkpoints("neox")


def test_a_repository_a_step_is_fetched_at_its_main(server: Hub, tmp_path: Path):
    folders = push_bert(server, tmp_path / "makers")
    describe_published("bert", bert_content())
    choose(3)
    fetch_checkpoints("bert")
    for step in folders:
        entry = read_lock()[f"bert@step{step}"]
        repository = f"maker/bert-step_{step // 1000}k"
        assert (entry.repository, entry.revision) == (repository, "main")
        assert entry.commit == server.repositories[repository].branches["main"]


def test_a_step_that_the_hub_does_not_have_is_named(server: Hub, neox: dict[int, Path]):
    del server.repositories["maker/neox"].branches["step1"]
    message = r"neox@step1: conf/model/neox\.yaml: key 'revision': found 'step1', which maker/neox"
    with pytest.raises(InputError, match=message):
        fetch_checkpoints("neox")
    assert {"neox", "neox@step0"} == set(read_lock())


def test_weights_of_a_checkpoint_are_no_pickle_unless_that_is_allowed(
    server: Hub, neox: dict[int, Path]
):
    files = {"pytorch_model.bin": b"", "config.json": (neox[1] / "config.json").read_bytes()}
    server.push("maker/neox", files, branch="step1")
    with pytest.raises(
        InputError, match=r"neox@step1: .*at step1, only pytorch_model\.bin, a pick"
    ):
        fetch_checkpoints("neox")
    describe_published("neox", neox_content() | {"unpickle": True})
    fetch_checkpoints("neox")
    assert "pytorch_model.bin" in read_lock()["neox@step1"].files


def test_a_model_without_checkpoints_is_named_before_anything_is_fetched(
    server: Hub, neox: dict[int, Path]
):
    with pytest.raises(InputError, match=r"conf/model/tiny\.yaml: has no key 'checkpoints'"):
        fetch_checkpoints("neox", "tiny")
    assert server.requests == []


# As a user does it.


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree whose only model is on the hub."""
    tree = Workspace(root, tmp_path_factory.mktemp("workspace"))
    content = tiny_description(Path()) | {"source": "hub", "repository": "maker/tiny"}
    del content["path"]
    path = tree.folder / "conf/model/x.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    shutil.copy(path, path.with_name("y.yaml"))
    tree.edit("params.yaml", models=["x", "y"])
    return tree


def run(tree: Workspace, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    hidden = {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_TOKEN", "HF_ENDPOINT"}
    kept = {key: value for key, value in tree.environment().items() if key not in hidden}
    return subprocess.run(
        command, cwd=tree.folder, env=kept | variables, capture_output=True, text=True, check=False
    )


FETCH = (sys.executable, "-c", "from embspace.app.cli import app; app()", "fetch")


@pytest.mark.slow
def test_from_the_hub_to_the_matrices(workspace: Workspace, tiny_folder: Path, tmp_path: Path):
    offline = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_ENDPOINT": closed_address()}
    repro = ("dvc", "repro", "extract_embeddings@x")
    before = run(workspace, *repro, **offline)
    assert before.returncode != 0
    assert "embspace fetch x" in before.stderr
    with serving_hub() as server:
        commit = server.push("maker/tiny", tiny_folder)
        for name in ("x", "y"):
            fetched = run(workspace, *FETCH, name, **server.environment(tmp_path))
            assert (fetched.returncode, fetched.stderr) == (0, "")
        assert (
            f"{len(read_lock(str(workspace.folder / 'models.lock'))['x'].files)} files"
            in fetched.stdout
        )
    made = run(workspace, *repro, **offline)
    assert made.returncode == 0, made.stderr
    assert (workspace.folder / "data/extracted/embeddings/x.safetensors").is_file()
    assert commit in (workspace.folder / "data/prepared/model/x.json").read_text()
    # Another model's entry is no matter to this one; its own is.
    with serving_hub() as server:
        server.push("maker/tiny", build_tiny_bert(tmp_path / "moved", seed=1))
        hub = server.environment(tmp_path)
        assert run(workspace, *FETCH, "--update", "y", **hub).returncode == 0
        assert "Running stage 'extract" not in run(workspace, *repro, **offline).stdout
        assert run(workspace, *FETCH, "--update", "x", **hub).returncode == 0
    made = run(workspace, *repro, **offline)
    assert made.returncode == 0, made.stderr
    assert "Running stage 'extract_embeddings@x'" in made.stdout


def test_a_command_that_cannot_says_why_in_one_message(workspace: Workspace, tmp_path: Path):
    with serving_hub() as server:
        hub = server.environment(tmp_path)
        said = run(workspace, *FETCH, "x", "--update", **hub)
        assert said.stderr.startswith("error: conf/model/x.yaml: key 'repository': found 'maker/")
        assert "Traceback" not in said.stderr
        for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            said = run(workspace, *FETCH, "x", "--update", **hub, **{variable: "1"})
            assert "HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set" in said.stderr
            assert said.returncode == 1
