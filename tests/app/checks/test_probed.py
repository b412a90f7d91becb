from pathlib import Path

import pytest
import yaml

from embspace.app.checks.probed import PROBES, check_fetched, check_probed, digest_of
from embspace.errors import RefusedModel
from embspace.settings.model import VectorsModel, describe_model
from tests.models.sentence.folders import pooling, write_modules
from tests.tiny import build_tiny_bert, tiny_description
from tests.tiny_architectures import build_tiny


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree whose conf/model has an FNet, without a word on how it is read."""
    folder = build_tiny("fnet", tmp_path / "fnet")
    description = tiny_description(folder) | {"batches": "any"}
    (tmp_path / "conf/model").mkdir(parents=True)
    describe(tmp_path, description)
    return tmp_path


def describe(root: Path, content: dict[str, object]) -> None:
    (root / "conf/model/mine.yaml").write_text(yaml.safe_dump(content))


def test_what_a_file_does_not_say_is_refused_and_what_it_says_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(RefusedModel, match=r"conf/model/mine\.yaml: key 'batches': found 'any'"):
        check_probed("mine", root)
    assert not (root / PROBES).exists()
    describe(root, tiny_description(root / "fnet") | {"batches": "equal_lengths"})
    check_probed("mine", root)
    assert len(list((root / PROBES).iterdir())) == 1
    monkeypatch.setattr("embspace.app.checks.probed._probe", None)
    check_probed("mine", root)  # nothing is loaded
    weights = root / "fnet/model.safetensors"
    weights.write_bytes(weights.read_bytes())
    with pytest.raises(TypeError):  # other weights, so it is probed again
        check_probed("mine", root)


def test_a_tokenizer_elsewhere_that_changes_makes_another_model(root: Path, tmp_path: Path):
    base = build_tiny_bert(tmp_path / "base")
    elsewhere = {"tokenizer": {"source": "path", "path": str(base)}}
    content = tiny_description(root / "fnet") | elsewhere
    model = describe_model("mine", content)
    assert not isinstance(model, VectorsModel)
    before = digest_of("mine", model, content)
    assert digest_of("mine", model, content) == before
    file = base / "tokenizer.json"
    file.write_text(file.read_text() + "\n")
    assert digest_of("mine", model, content) != before


def test_where_nothing_can_be_kept_it_is_probed_again(root: Path):
    describe(root, tiny_description(root / "fnet") | {"batches": "alone"})
    (root / ".cache").write_text("")  # a file in the place of the folder
    check_probed("mine", root)
    check_probed("mine", root)


def test_what_is_no_fetched_model_is_not_probed(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("embspace.app.checks.probed._probe", None)
    check_fetched("mine", root)


def test_a_fetched_model_for_a_larger_machine_is_not_loaded(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("embspace.app.checks.probed._probe", None)
    content = tiny_description(root) | {"source": "hub", "repository": "a/b"}
    del content["path"]
    describe(root, content | {"parameters": 10**15})
    check_fetched("mine", root)
    describe(root, content)
    with pytest.raises(TypeError):
        check_fetched("mine", root)


def test_what_follows_the_transformer_is_read_and_tells_a_model(root: Path):
    folder = write_modules(build_tiny_bert(root / "bert"), [pooling("mean")])
    describe(root, tiny_description(folder))
    check_probed("mine", root)
    file = folder / "1_Pooling/config.json"
    file.write_text(file.read_text().replace("mean", "median"))
    with pytest.raises(RefusedModel, match="key 'pooling_mode': found 'median'"):
        check_probed("mine", root)
