import json
import shutil
from pathlib import Path

import pytest
import yaml

from embspace.app.check import check_settings
from embspace.app.checks.long_stimuli import (
    check_lengths,
    check_stimuli,
    listed_positions,
    local_stimuli,
)
from embspace.errors import InputError
from embspace.settings.model import describe_model
from embspace.settings.pipeline import read_stages
from tests.tiny import build_tiny_bert, tiny_description

# The tiny tokenizer knows few words and writes the others letter by letter.
ENOUGH, SHORT = 128, 64
NEEDING = {"extract_stimuli@short", "measure_homonyms@short"}


@pytest.fixture
def tree(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose model `short` reads 64 tokens, and whose model `long` reads 128."""
    shutil.copy(root / "params.yaml", tmp_path)
    for folder in ("conf", "data/texts", "data/stimuli", "data/published"):
        shutil.copytree(root / folder, tmp_path / folder)
    for name, positions in {"short": SHORT, "long": ENOUGH}.items():
        folder = build_tiny_bert(tmp_path / name, positions=positions)
        write(tmp_path, name, tiny_description(folder))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(tree: Path, name: str, content: dict[str, object]) -> None:
    (tree / f"conf/model/{name}.yaml").write_text(yaml.safe_dump(content))


def name_models(tree: Path, *models: str) -> None:
    params = yaml.safe_load((tree / "params.yaml").read_text())
    (tree / "params.yaml").write_text(yaml.safe_dump(params | {"models": [*models]}))


def test_check_tells_which_stimuli_a_model_cannot_read(tree: Path):
    name_models(tree, "long")
    assert check_settings() == []
    name_models(tree, "long", "short")
    (said,) = check_settings()
    assert said.startswith("conf/model/short.yaml: the model reads 64 tokens at once, and ")
    assert " of the stimuli have more: " in said and " of homonyms" in said
    assert "embspace report <model> --quick" in said


def test_the_longest_is_named_with_its_tokens(tree: Path):
    file = tree / "data/stimuli/evolution.jsonl"
    with file.open("a") as stimuli:
        stimuli.write(f"{json.dumps({'id': 'endless', 'text': 'cat ' * 126 + 'cat'})}\n")
    with pytest.raises(InputError, match=r"1 of the stimuli .*: 1 of evolution; the longest is "):
        check_stimuli(tree, {"extract_stimuli@long"})
    with pytest.raises(InputError, match=r"'endless' of evolution, of 129 tokens"):
        check_stimuli(tree, {"extract_stimuli@long"})


def test_a_text_of_as_many_tokens_as_the_window_fits(tree: Path):
    model = describe_model("short", tiny_description(tree / "short"))
    stimuli = local_stimuli()
    assert stimuli is not None
    for n_words in (62, 63):
        stimuli = {"evolution": stimuli["evolution"].head(1)}
        stimuli["evolution"]["text"] = " ".join(["cat"] * n_words)
        if n_words == 62:  # and two special ones
            check_lengths("short", model, stimuli)
        else:
            with pytest.raises(InputError, match="of 65 tokens"):
                check_lengths("short", model, stimuli)


def test_what_reads_no_stimuli_is_not_stopped(tree: Path):
    check_stimuli(tree, {"extract_embeddings@short", "measure_similarity@short"})
    with pytest.raises(InputError, match="short.yaml: the model reads 64"):
        check_stimuli(tree, NEEDING)


def test_a_window_that_the_file_of_the_model_sets_is_named_as_its_key(tree: Path):
    write(tree, "short", tiny_description(tree / "long") | {"window": 32})
    with pytest.raises(InputError, match=r"(?s)key 'window': found 32, .*ways out: a window of"):
        check_stimuli(tree, NEEDING)


def test_a_model_of_many_positions_is_not_loaded(tree: Path, monkeypatch: pytest.MonkeyPatch):
    folder = build_tiny_bert(tree / "vast", positions=512)
    write(tree, "vast", tiny_description(folder))
    monkeypatch.setattr("embspace.app.checks.long_stimuli.load_tokenizer", None)
    monkeypatch.setattr("embspace.app.checks.long_stimuli.empty_model", None)
    check_stimuli(tree, {"extract_stimuli@vast"})


def test_positions_are_read_from_the_heads_of_files(tree: Path):
    model = describe_model("short", tiny_description(tree / "short"))
    assert listed_positions(model, tree / "short") == SHORT
    (tree / "short/model.safetensors").unlink()
    assert listed_positions(model, tree / "short") is None


def test_a_model_without_a_tokenizer_reads_none(tree: Path, root: Path):
    bare = {"source": "random", "seed": 0, "config": {"model_type": "bert"}}
    given = {key: value for key, value in tiny_description(root).items() if key != "path"}
    stimuli = local_stimuli()
    assert stimuli is not None
    check_lengths("bare", describe_model("bare", given | bare), stimuli)


def test_stimuli_at_an_address_are_left_to_the_stage(tree: Path):
    file = tree / "conf/prepare/stimuli.yaml"
    file.write_text(file.read_text().replace("data/stimuli/diff", "https://pairs.invalid/diff"))
    assert local_stimuli() is None
    check_stimuli(tree, NEEDING)


def test_the_chapters_that_are_named_as_ways_out_read_no_stimuli(root: Path):
    reading = "data/extracted/stimuli"
    for chapter in ("learned", "positional", "texts", "layers"):
        assert reading not in (root / f"pipeline/{chapter}/dvc.yaml").read_text()
    for chapter in ("words", "sentences"):
        assert reading in (root / f"pipeline/{chapter}/dvc.yaml").read_text()
    assert "results/homonyms" in str(read_stages(root)["measure_ledger"].entry["deps"])
