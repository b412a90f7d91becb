import errno
import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import constants

from embspace.errors import InputError
from embspace.files import remote
from embspace.files.remote import Limits
from embspace.models import hub, hub_answers, hub_errors
from embspace.models.hub import (
    Listing,
    RemoteFile,
    choose_files,
    fetch_file,
    git_blob_id,
    has_weights,
    is_intact,
    list_files,
)
from embspace.settings.model import HubFiles
from tests.hub_server import TOKEN, Hub, json_answer, serving_hub
from tests.loopback import Answer, closed_address

FILES = HubFiles(source="hub", repository="maker/tiny")
WEIGHTS = "model.safetensors"
CONTENT = bytes(range(256)) * 1200
SHA256_OF_CONTENT = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with one small repository, and an empty cache."""
    monkeypatch.setattr(hub_errors, "PAUSE", 0.01)
    with serving_hub() as running:
        running.connect(tmp_path / "cache", monkeypatch)
        running.push("maker/tiny", {"config.json": b"{}", WEIGHTS: CONTENT})
        yield running


def fetched(name: str = WEIGHTS, files: HubFiles = FILES) -> Path:
    listing = list_files("tiny", files, files.revision)
    return fetch_file("tiny", files, listing.commit, listing.files[name])


def ranges(server: Hub) -> list[str]:
    """Which part of the weights was asked for, each time."""
    return [request.headers.get("range", "all") for request in server.storage.requests]


def blobs(kind: str) -> list[Path]:
    return sorted(Path(constants.HF_HUB_CACHE).glob(f"models--maker--tiny/blobs/{kind}"))


def test_the_hub_lists_commit_sizes_and_hashes(server: Hub):
    listing = list_files("tiny", FILES, "main")
    assert listing.commit == server.repositories["maker/tiny"].branches["main"]
    weights = listing.files[WEIGHTS]
    assert (weights.size, weights.sha256) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    assert listing.files["config.json"].sha256 is None


def test_git_names_content_as_git_does(tmp_path: Path):
    path = tmp_path / "x"
    path.write_bytes(CONTENT)
    said = subprocess.run(["git", "hash-object", path], capture_output=True, text=True, check=True)
    assert git_blob_id(path) == said.stdout.strip()


def test_a_file_comes_into_the_cache_where_every_program_finds_it(server: Hub):
    from huggingface_hub import hf_hub_download

    assert fetched().read_bytes() == CONTENT
    assert fetched("config.json").read_bytes() == b"{}"
    commit = server.repositories["maker/tiny"].branches["main"]
    path = hf_hub_download("maker/tiny", WEIGHTS, revision=commit, local_files_only=True)
    assert Path(path) == fetched()
    assert len(server.storage.requests) == 1


def test_a_cut_download_goes_on_where_it_ended(server: Hub):
    server.cut = WEIGHTS
    assert fetched().read_bytes() == CONTENT
    third = len(CONTENT) // 3
    assert ranges(server) == ["all", f"bytes={third}-"]


def test_also_after_it_was_given_up(server: Hub, monkeypatch):
    server.cut, server.cut_forever = WEIGHTS, True
    with monkeypatch.context() as patch:
        patch.setattr(hub_errors, "TRIES", 1)
        with pytest.raises(InputError, match="cannot be reached: .*; without a network"):
            fetched()
    (partial,) = blobs("*.incomplete")
    n_bytes = partial.stat().st_size
    assert 0 < n_bytes < len(CONTENT)
    assert not list(Path(constants.HF_HUB_CACHE).rglob(WEIGHTS))
    server.cut = None
    server.storage.requests.clear()
    assert fetched().read_bytes() == CONTENT
    assert ranges(server) == [f"bytes={n_bytes}-"]
    assert not blobs("*.incomplete")


def test_a_rest_that_does_not_fit_is_thrown_away(server: Hub):
    etag = hashlib.sha256(CONTENT).hexdigest()
    partial = Path(constants.HF_HUB_CACHE) / f"models--maker--tiny/blobs/{etag}.incomplete"
    for left in (b"x" * 1000, b"x" * len(CONTENT), b"x" * (len(CONTENT) + 1)):
        shutil.rmtree(constants.HF_HUB_CACHE, ignore_errors=True)
        partial.parent.mkdir(parents=True)
        partial.write_bytes(left)
        assert fetched().read_bytes() == CONTENT
        assert ranges(server)[-1] == "all"


def test_a_hub_that_gives_something_else_than_it_lists_is_not_believed(server: Hub):
    listing = list_files("tiny", FILES, "main")
    other = RemoteFile(WEIGHTS, len(CONTENT), "0" * 64, None)
    with pytest.raises(InputError, match="is not what the hub lists"):
        fetch_file("tiny", FILES, listing.commit, other)
    assert not blobs("*")


def test_a_hub_that_sends_more_than_it_lists_or_almost_nothing_is_given_up(
    server: Hub, monkeypatch: pytest.MonkeyPatch
):
    listing = list_files("tiny", FILES, "main")
    with pytest.raises(InputError, match="is not what the hub lists"):
        fetch_file("tiny", FILES, listing.commit, RemoteFile(WEIGHTS, 1000, "0" * 64, None))
    monkeypatch.setattr(remote, "LONG", 0.0)
    monkeypatch.setattr(remote, "SLOWEST", 1e12)
    with pytest.raises(InputError, match=r"model\.safetensors: sent [\d,]+ bytes in 0 seconds"):
        fetch_file("tiny", FILES, listing.commit, listing.files[WEIGHTS])


def test_a_damaged_file_of_the_cache_is_replaced(server: Hub):
    fetched().resolve().write_bytes(b"x" * len(CONTENT))
    assert fetched().read_bytes() == CONTENT
    assert len(server.storage.requests) == 2


def test_a_mirror_need_not_list_sizes_and_hashes(server: Hub):
    commit = list_files("tiny", FILES, "main").commit
    bare = RemoteFile("config.json", None, None, None)
    assert fetch_file("tiny", FILES, commit, bare).read_bytes() == b"{}"


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            Limits(10**6, 60.0),
            r"main\?blobs=true: sent 1,\d+,\d+ bytes and goes on, allowed: 1,000,",
        ),
        (Limits(10**12, 0.0), r"main\?blobs=true: sent [\d,]+ bytes in 0 seconds; try again when"),
    ],
)
def test_an_answer_without_end_is_given_up(
    server: Hub, monkeypatch: pytest.MonkeyPatch, status: int, limits: Limits, message: str
):
    monkeypatch.setattr(hub_answers, "ANSWER", limits)
    endless = Answer(b"[" * 2**16, status=status, endless=True)
    monkeypatch.setattr(server, "_listing", lambda *arguments: endless)
    with pytest.raises(InputError, match=message):
        list_files("tiny", FILES, "main")
    assert len(server.requests) == 1


@pytest.mark.parametrize("size", [None, 10**6])
def test_a_file_without_end_leaves_room_on_the_disk(
    server: Hub, monkeypatch: pytest.MonkeyPatch, size: int | None
):
    commit = list_files("tiny", FILES, "main").commit
    endless = Answer(b"x" * 2**16, endless=True)
    monkeypatch.setattr(server, "_file", lambda *arguments: endless)
    monkeypatch.setattr(hub.shutil, "disk_usage", lambda path: SimpleNamespace(free=5 * 10**6))
    message = "is not what the hub lists" if size else "config.json: sent 2,.* allowed: 2,500,000"
    with pytest.raises(InputError, match=message):
        fetch_file("tiny", FILES, commit, RemoteFile("config.json", size, None, None))
    assert not blobs("*")


@pytest.mark.parametrize("damaged", [True, False])
def test_what_a_link_of_the_cache_leads_to_outside_is_left_alone(
    server: Hub, tmp_path: Path, damaged: bool
):
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine" if damaged else CONTENT)
    path = fetched()
    path.unlink()
    path.symlink_to(precious)
    assert fetched() == path
    assert path.resolve().is_relative_to(Path(constants.HF_HUB_CACHE).resolve())
    assert precious.read_bytes() == (b"mine" if damaged else CONTENT)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("ending", ["", ".incomplete"])
def test_a_download_is_not_written_through_a_link(server: Hub, tmp_path: Path, ending: str):
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    blob = Path(constants.HF_HUB_CACHE) / "models--maker--tiny/blobs" / SHA256_OF_CONTENT
    blob.parent.mkdir(parents=True)
    blob.with_name(f"{blob.name}{ending}").symlink_to(precious)
    assert fetched().read_bytes() == CONTENT
    assert precious.read_bytes() == b"mine"


@pytest.mark.parametrize("part", ["", "blobs", "snapshots"])
def test_a_folder_of_the_cache_that_leads_outside_is_refused(
    server: Hub, tmp_path: Path, part: str
):
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = Path(constants.HF_HUB_CACHE) / "models--maker--tiny" / part
    folder.parent.mkdir(parents=True)
    folder.symlink_to(outside)
    with pytest.raises(InputError, match=r"leads outside .*: a link is in the way"):
        fetched()
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("bad", ["../../x", "/tmp/x", "a/b", "0" * 39, 7, ["x"]])
@pytest.mark.parametrize("key", ["sha", "blobId", "lfs"])
def test_a_name_that_a_hub_lists_is_checked_before_it_is_a_path(
    server: Hub, tmp_path: Path, monkeypatch, key: str, bad: object
):
    entry: dict[str, object] = {"rfilename": "config.json", "size": 2, "blobId": "0" * 40}
    answer: dict[str, object] = {"id": "maker/tiny", "sha": "0" * 40, "siblings": [entry]}
    if key == "lfs":
        entry["lfs"] = {"sha256": bad, "size": 2, "pointerSize": 1}
    else:
        (answer if key == "sha" else entry)[key] = bad
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(server, "_listing", lambda *arguments: json_answer(answer))
    with pytest.raises(InputError, match=rf"as no hub would: {key}.*: found .*, allowed: \d\d hex"):
        list_files("tiny", FILES, "main")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"id": "maker/tiny", "sha": "0" * 40, "siblings": ["config.json"]},
        {"id": "maker/tiny", "sha": "0" * 40, "siblings": [{"rfilename": "x", "size": "12"}]},
        {"id": "maker/tiny", "sha": "0" * 40, "siblings": [{"rfilename": "x", "size": -1}]},
        {"id": "maker/tiny", "sha": "0" * 40, "siblings": [{"rfilename": ["x"], "size": 1}]},
        {"id": "maker/tiny", "sha": "0" * 40, "siblings": 7},
    ],
)
def test_a_listing_of_the_wrong_types_is_told(server: Hub, monkeypatch, answer: object):
    monkeypatch.setattr(server, "_listing", lambda *arguments: json_answer(answer))
    with pytest.raises(InputError, match=r"tiny\.yaml: maker/tiny: .* as no hub would: "):
        list_files("tiny", FILES, "main")


def test_a_busy_hub_is_asked_again(server: Hub):
    server.busy = 2
    assert fetched().read_bytes() == CONTENT


def test_a_token_opens_what_is_gated_and_stays_with_the_hub(server: Hub, monkeypatch):
    server.repositories["maker/tiny"].gated = True
    page = f"{server.address}/maker/tiny"
    with pytest.raises(InputError, match=f"accepted its terms at {page} .*HF_TOKEN"):
        fetched()
    monkeypatch.setenv("HF_TOKEN", "hf_of_a_stranger")
    with pytest.raises(InputError, match=f"the token of this machine has no access; .*{page}"):
        fetched()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert fetched().read_bytes() == CONTENT  # the storage refuses to see a token


@pytest.mark.parametrize("token", [None, TOKEN])
def test_an_unknown_repository_is_named(server: Hub, token: str | None, monkeypatch):
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    files = FILES.model_copy(update={"repository": "maker/tyni"})
    with pytest.raises(
        InputError, match=r"conf/model/tiny\.yaml: key 'repository': found 'maker/tyni', .*token"
    ):
        list_files("tiny", files, "main")


def test_an_unknown_revision_is_named_with_those_that_there_are(server: Hub):
    server.push("maker/tiny", {"config.json": b"{ }"}, branch="v2")
    files = FILES.model_copy(update={"revision": "v3"})
    with pytest.raises(InputError, match=r"key 'revision': found 'v3', .*allowed: main, v2, or a"):
        list_files("tiny", files, "v3")


def test_a_revision_may_be_a_commit_or_a_pull_request(server: Hub):
    commit = server.push("maker/tiny", {"config.json": b"{ }"}, branch="refs/pr/1")
    for revision in ("refs/pr/1", commit):
        files = FILES.model_copy(update={"revision": revision})
        assert list_files("tiny", files, revision).commit == commit
        assert fetched("config.json", files).read_bytes() == b"{ }"


def test_no_hub_is_told(server: Hub, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", closed_address())
    with pytest.raises(InputError, match=r"the hub at http://127.* cannot be reached: .*HF_HOME"):
        list_files("tiny", FILES, "main")


def test_a_full_disk_is_told_and_nothing_half_is_taken_for_whole(server: Hub, monkeypatch):
    original = hub._append

    def until_full(partial: Path, *arguments: Any) -> None:
        original(partial, *arguments)
        partial.write_bytes(CONTENT[:500])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(hub, "_append", until_full)
        with pytest.raises(InputError, match=r"maker/tiny: no space left in .*cache"):
            fetched()
    assert not list(Path(constants.HF_HUB_CACHE).rglob(WEIGHTS))
    server.storage.requests.clear()
    assert fetched().read_bytes() == CONTENT
    assert ranges(server) == ["bytes=500-"]


def test_a_disk_that_is_too_small_is_told_before_the_download(server: Hub, monkeypatch):
    free = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: free)
    with pytest.raises(InputError, match="needs 307,200 bytes, 1,000 are free: no space left"):
        fetched()
    assert server.storage.requests == []


def listing(*names: str) -> Listing:
    return Listing("0" * 40, {name: RemoteFile(name, 1, None, None) for name in names})


SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
INDEX = "model.safetensors.index.json"
PICKLED = FILES.model_copy(update={"unpickle": True})


@pytest.mark.parametrize(
    ("files", "there", "chosen"),
    [
        (FILES, ["config.json", WEIGHTS, "README.md", "model.fp16.safetensors"], [WEIGHTS]),
        (FILES, ["config.json", WEIGHTS, *SHARDS, INDEX], [WEIGHTS]),
        (FILES, ["config.json", *SHARDS, INDEX], [*SHARDS, INDEX]),
        (PICKLED, ["config.json", WEIGHTS, "pytorch_model.bin"], [WEIGHTS]),
        (PICKLED, ["config.json", "pytorch_model.bin", "tf_model.h5"], ["pytorch_model.bin"]),
        (
            FILES,
            ["config.json", WEIGHTS, "vocab.txt", "spm.model"],
            [WEIGHTS, "spm.model", "vocab.txt"],
        ),
        (
            FILES,
            ["config.json", WEIGHTS, "tokenizer.json", "onnx/model.onnx"],
            [WEIGHTS, "tokenizer.json"],
        ),
        (
            FILES,
            ["config.json", WEIGHTS, "modules.json", "1_Pooling/config.json", "a/config.json"],
            [WEIGHTS, "modules.json", "1_Pooling/config.json"],
        ),
        (
            FILES,
            ["config.json", "a.safetensors", "b.safetensors", INDEX],
            ["a.safetensors", "b.safetensors", INDEX],
        ),
    ],
)
def test_what_a_model_needs_is_chosen(files: HubFiles, there: list[str], chosen: list[str]):
    modules = ["", "1_Pooling"] if "modules.json" in there else []
    chosen_files = choose_files("tiny", files, listing(*there), modules, weights=True)
    assert chosen_files == sorted(["config.json", *chosen])
    assert has_weights(chosen_files, files.unpickle)


def test_of_a_transformer_in_a_folder_the_files_there_are_chosen():
    inside = ["config.json", WEIGHTS, "tokenizer.json", "sentence_bert_config.json"]
    there = ["config.json", "modules.json", *(f"0_Transformer/{file}" for file in inside)]
    there += ["1_Pooling/config.json", "2_Dense/config.json", f"2_Dense/{WEIGHTS}", "x/config.json"]
    modules = ["0_Transformer", "1_Pooling", "2_Dense"]
    chosen_files = choose_files("tiny", FILES, listing(*there), modules, weights=True)
    assert chosen_files == sorted({*there} - {"config.json", "x/config.json"})
    assert has_weights(chosen_files, unpickle=False)
    alone = choose_files("tiny", FILES, listing(*there), modules, weights=False)
    expected = ["config.json", "tokenizer.json"]
    assert alone == [*(f"0_Transformer/{file}" for file in expected), "modules.json"]
    with pytest.raises(InputError, match="has no 0_Transformer/config.json at 0000"):
        choose_files("tiny", FILES, listing("config.json", WEIGHTS), modules, weights=True)


def test_a_tokenizer_needs_no_weights():
    there = listing("config.json", WEIGHTS, "vocab.json", "merges.txt")
    chosen_files = choose_files("tiny", FILES, there, weights=False)
    assert chosen_files == ["config.json", "merges.txt", "vocab.json"]
    assert not has_weights(chosen_files, unpickle=True)


@pytest.mark.parametrize(
    ("there", "message"),
    [
        (
            ["config.json", "pytorch_model.bin"],
            r"only pytorch_model\.bin, a pickle, .*\n  unpickle: true$",
        ),
        (
            ["config.json", "tf_model.h5"],
            r"no model\.safetensors and no .*found: config.json, tf_model",
        ),
        (
            ["config.json", *SHARDS],
            "found: config.json, model-00001-of",
        ),  # which tensors are where?
        ([WEIGHTS], r"has no config\.json at 0000"),
    ],
)
def test_what_cannot_be_loaded_is_refused(there: list[str], message: str):
    with pytest.raises(InputError, match=rf"(?s)conf/model/tiny\.yaml: maker/tiny .*{message}"):
        choose_files("tiny", FILES, listing(*there), weights=True)


def test_whole_is_what_has_the_listed_size_and_hash(tmp_path: Path):
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    good = RemoteFile("x", 3, None, git_blob_id(path))
    assert is_intact(path, good)
    assert is_intact(path, RemoteFile("x", None, None, None))
    assert not is_intact(path, RemoteFile("x", 4, None, good.blob_id))
    assert not is_intact(path, RemoteFile("x", 3, None, "0" * 40))
    assert not is_intact(path, RemoteFile("x", 3, "0" * 64, good.blob_id))


def test_a_pickle_counts_as_weights_only_where_it_may_be_loaded():
    there = ["config.json", "pytorch_model.bin"]
    assert has_weights(there, unpickle=True)
    assert not has_weights(there, unpickle=False)
