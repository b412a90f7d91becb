from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

from embspace.errors import InputError
from embspace.models import lock
from embspace.models.lock import (
    LockedFile,
    LockedModel,
    add_to_lock,
    check_pins,
    locked_model,
    read_lock,
    write_lock,
)
from embspace.settings.model import HubFiles

FILES = HubFiles(source="hub", repository="maker/tiny")
ENTRY = LockedModel(
    repository="maker/tiny",
    revision="main",
    commit="0" * 40,
    files={"config.json": LockedFile(sha256="a" * 64, size=3)},
)


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_is_written_is_read():
    write_lock({"b": ENTRY, "a": ENTRY})
    assert read_lock() == {"a": ENTRY, "b": ENTRY}


def test_fetches_that_end_at_once_all_have_their_entries(monkeypatch: pytest.MonkeyPatch):
    def read_slowly(path: str) -> dict[str, LockedModel]:
        models = read_lock(path)
        sleep(0.02)
        return models

    monkeypatch.setattr(lock, "read_lock", read_slowly)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: add_to_lock(name, ENTRY), "abcdefgh"))
    assert read_lock() == dict.fromkeys("abcdefgh", ENTRY)


def test_it_is_sorted_and_says_what_it_is():
    write_lock({"b": ENTRY, "a": ENTRY})
    lines = Path("models.lock").read_text().splitlines()
    assert lines[0].startswith("# What `embspace fetch` took")
    assert [line for line in lines if line in ("a:", "b:")] == ["a:", "b:"]


def test_the_projects_own_is_what_an_empty_one_looks_like(root: Path):
    write_lock({})
    assert read_lock() == {}
    if read_lock(str(root / "models.lock")) == {}:
        assert Path("models.lock").read_text() == (root / "models.lock").read_text()


def test_without_a_file_nothing_was_fetched():
    assert read_lock() == {}
    with pytest.raises(InputError, match=r"^tiny: not fetched, .*\n  embspace fetch tiny$"):
        locked_model("tiny", FILES, read_lock())


@pytest.mark.parametrize("change", [{"repository": "maker/other"}, {"revision": "v2"}])
def test_what_was_fetched_of_something_else_does_not_count(change: dict[str, str]):
    with pytest.raises(InputError, match="has maker/tiny at main, its file asks for maker/"):
        locked_model("tiny", FILES.model_copy(update=change), {"tiny": ENTRY})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("commit: '" + "0" * 40, "commit: '" + "0" * 39, "key 'commit'"),
        ("sha256: " + "a" * 64, "sha256: short", "key 'files.config.json.sha256'"),
        ("size: 3", "size: -3", "key 'files.config.json.size'"),
        ("revision: main", "branch: main", "key 'branch' is unknown; allowed: commit, "),
        # A name must not lead out of the folder of the model.
        ("config.json:", "../config.json:", "key 'files.../config.json"),
        ("config.json:", ".:", "key 'files"),
    ],
)
def test_a_slip_names_the_model_and_the_key(old: str, new: str, message: str):
    write_lock({"tiny": ENTRY})
    text = Path("models.lock").read_text()
    assert old in text
    Path("models.lock").write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_lock()
    assert f"models.lock, 'tiny': {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("pins", "wrong_pin"),
    [({"config.json": "b" * 64}, "a" * 64), ({"vocab.txt": "b" * 64}, "no such file")],
)
def test_a_pin_in_the_models_own_file_holds_too(pins: dict[str, str], wrong_pin: str):
    pinned = FILES.model_copy(update={"sha256": pins})
    for check in (
        lambda: check_pins("tiny", pinned, ENTRY),
        lambda: locked_model("tiny", pinned, {"tiny": ENTRY}),
    ):
        with pytest.raises(InputError) as caught:
            check()
        message = str(caught.value)
        assert message.startswith(f"conf/model/tiny.yaml: key 'sha256.{next(iter(pins))}': ")
        assert f"found    {wrong_pin}\n  expected {'b' * 64}" in message
    check_pins("tiny", FILES.model_copy(update={"sha256": {"config.json": "a" * 64}}), ENTRY)
