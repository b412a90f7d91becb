"""The twin of a model: the same architecture and tokenizer, with random weights."""

from pathlib import Path

import pytest
import yaml

from embspace.app.untrained import check_draws, describe_untrained, write_untrained
from embspace.errors import InputError
from embspace.models.architecture import config_of
from embspace.settings.model import RandomModel, describe_model
from embspace.settings.schema import read_yaml
from tests.app.cli.call import call


@pytest.fixture
def tree(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default model's file under another name, without a twin."""
    own = (root / "conf/model/minilm.yaml").read_text(encoding="utf-8")
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/mine.yaml").write_text(own.replace("untrained: minilm_random", ""))
    (tmp_path / "dvc.yaml").write_text("stages: {}\n")
    (tmp_path / "params.yaml").write_text("models: [mine]\ncorpora: []\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_has_the_architecture_that_was_described_by_hand(tree: Path, root: Path):
    by_hand = read_yaml(root / "conf/model/minilm_random.yaml")
    described = describe_untrained("mine")
    ours, theirs = (
        config_of(description["config"], "config") for description in (described, by_hand)
    )
    shapes = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    for key in (*shapes, "vocab_size", "max_position_embeddings", "layer_norm_eps", "hidden_act"):
        assert getattr(ours, key) == getattr(theirs, key), key
    assert described["tokenizer"]["package"] == by_hand["tokenizer"]["package"]
    for key in ("matrices", "position_offset", "continuation_prefix", "unused_tokens", "seed"):
        assert described[key] == by_hand[key]
    assert isinstance(describe_model("mine_random", described), RandomModel)


def test_it_is_written_and_named_in_the_models_own_file(tree: Path):
    before = Path("conf/model/mine.yaml").read_text(encoding="utf-8")
    assert write_untrained("mine") == Path("conf/model/mine_random.yaml")
    own = Path("conf/model/mine.yaml").read_text(encoding="utf-8")
    assert own.startswith(before.rstrip("\n"))
    assert read_yaml(Path("conf/model/mine.yaml"))["untrained"] == "mine_random"
    assert read_yaml(Path("conf/model/mine_random.yaml")) == describe_untrained("mine")
    with pytest.raises(InputError, match="mine_random.yaml: is there already"):
        write_untrained("mine")
    Path("conf/model/mine_random.yaml").rename("conf/model/other.yaml")
    with pytest.raises(InputError, match="key 'untrained': is mine_random already"):
        write_untrained("mine")


def test_what_no_training_has_changed_has_no_twin(tree: Path, root: Path):
    random = (root / "conf/model/minilm_random.yaml").read_text(encoding="utf-8")
    (tree / "conf/model/noise.yaml").write_text(random)
    with pytest.raises(InputError, match="noise: has source 'random'"):
        describe_untrained("noise")


def test_the_command_prints_it_or_writes_it(tree: Path):
    printed = call("describe", "mine", "--untrained")
    assert printed.exit_code == 0
    assert yaml.safe_load(printed.stdout)["source"] == "random"
    assert not Path("conf/model/mine_random.yaml").exists()
    written = call("describe", "mine", "--untrained", "--write")
    assert (written.exit_code, written.stdout) == (0, "conf/model/mine_random.yaml\n")
    assert "embspace thesis mine_random --keep" in written.stderr
    unknown = call("describe", "mien", "--untrained")
    assert unknown.exit_code == 1
    assert "did you mean 'mine'?" in unknown.stderr


def test_draws_differ_by_the_seed_alone(tree: Path, root: Path):
    text = (root / "conf/model/minilm_random.yaml").read_text()
    (tree / "conf/model/minilm_random.yaml").write_text(text)
    check_draws("minilm_random", [])
    (tree / "conf/model/second.yaml").write_text(text.replace("seed: 0", "seed: 1"))
    (tree / "conf/model/wider.yaml").write_text(text.replace("size: 384", "size: 768"))
    check_draws("minilm_random", ["second"])
    for draw in ("minilm_random", "wider"):
        with pytest.raises(InputError, match=f"--draw: found {draw}, allowed: the same random"):
            check_draws("minilm_random", [draw])
