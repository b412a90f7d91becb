from pathlib import Path

from embspace.app.describe.hashes import files_of_model, hashes_of
from tests.tiny import build_tiny_bert


def test_each_file_that_a_model_is_read_from_has_a_hash(tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    before = hashes_of(folder, files_of_model(folder))
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= before.keys()
    (folder / "README.md").write_text("of mine")
    assert hashes_of(folder, files_of_model(folder)) == before
    (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    after = hashes_of(folder, files_of_model(folder))
    assert {file for file, digest in after.items() if before[file] != digest} == {"config.json"}
