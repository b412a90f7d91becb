from pathlib import Path

import pytest

from embspace.errors import RefusedModel
from embspace.models.encoder import RULE, batch_rule
from embspace.models.probe.probe import rows_of
from embspace.models.probe.together import needed_batches
from tests.lazy import torch
from tests.models.probe.loaded import IDS, load_tiny


@pytest.mark.parametrize("kind", ["fnet", "convbert", "mobilebert", "nystromformer", "yoso"])
def test_a_text_beside_a_longer_one_is_another(kind: str, tmp_path: Path):
    assert needed_batches(load_tiny(kind, tmp_path), rows_of(IDS, None)) == "equal_lengths"


@pytest.mark.parametrize("kind", ["bert", "gpt2", "deepseek_v3", "xlnet", "t5"])
def test_masks_and_decoders_keep_texts_apart(kind: str, tmp_path: Path):
    assert needed_batches(load_tiny(kind, tmp_path), rows_of(IDS, None)) == "any"


def test_a_model_that_mixes_texts_is_read_alone(tmp_path: Path):
    module = load_tiny("bert", tmp_path)
    # A norm over the batch: the states of a text hang on those beside it.
    module.embeddings.register_forward_hook(lambda _, __, made: made - made.mean(dim=0))
    assert torch.is_grad_enabled()
    assert needed_batches(module, rows_of(IDS, None)) == "alone"


def test_the_rule_of_a_module_is_that_of_its_description(tmp_path: Path):
    module = load_tiny("bert", tmp_path)
    assert batch_rule(module) == "any"
    setattr(module.config, RULE, "alone")
    assert batch_rule(module) == "alone"


@pytest.mark.parametrize(("size", "rule"), [(3e-5, "any"), (3e-4, "alone")])
def test_without_float64_rounding_of_experts_is_no_other_text(
    size: float, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(_: object) -> None:
        raise RefusedModel("knows no float64")

    monkeypatch.setattr("embspace.models.probe.together._in_double", refuse)
    module = load_tiny("bert", tmp_path)
    module.embeddings.register_forward_hook(lambda _, __, made: made + size * (len(made) - 1))
    assert needed_batches(module, rows_of(IDS, None)) == rule
