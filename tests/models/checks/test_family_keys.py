"""Keys of BART's family: each class does what its own published files say, and no other."""

from pathlib import Path
from typing import Any

import pytest

from embspace.errors import RefusedModel
from embspace.models.checks.config_keys import check_config_keys
from embspace.models.checks.family_keys import CHECKS, is_as_class
from tests.models.checks.changed import with_config
from tests.tiny_architectures import tiny_config

KEYS = [key for key in CHECKS if key != "max_position_embeddings"]
# What the makers' files say: before, at the end, variant, of the embeddings, by a formula, rows.
PUBLISHED: dict[str, tuple[bool, bool, str | None, bool, bool, int]] = {
    "bart": (False, False, None, True, False, 2),
    "mbart": (True, True, None, True, False, 2),
    "pegasus": (True, True, None, False, True, 1),
    "marian": (False, False, None, False, True, 0),
    "blenderbot": (True, True, "prelayernorm", False, False, 0),
    "blenderbot-small": (False, False, "xlm", True, False, 0),
}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_published_values_are_taken_and_others_refused(kind: str, tmp_path: Path):
    folder = tmp_path / kind
    tiny_config(kind, 50).save_pretrained(folder)
    values: dict[str, Any] = dict(zip(KEYS, PUBLISHED[kind], strict=True))
    check_config_keys(with_config(folder, tmp_path / "published", **values), [])
    for key, value in values.items():
        if not isinstance(value, bool):
            continue
        other = with_config(folder, tmp_path / key, **values | {key: not value})
        with pytest.raises(RefusedModel, match=f"key '{key}': found {not value}"):
            check_config_keys(other, [])
    positions = {"extra_pos_embeddings": 7}
    if kind in ("pegasus", "marian"):  # a formula has no rows
        check_config_keys(with_config(folder, tmp_path / "rows", **positions), [])
    else:
        with pytest.raises(RefusedModel, match="'extra_pos_embeddings': found 7"):
            check_config_keys(with_config(folder, tmp_path / "rows", **positions), [])


def test_other_families_and_keys_have_no_answer():
    assert is_as_class("normalize_before", False, tiny_config("bert", 50)) is None
    assert is_as_class("hidden_size", 16, tiny_config("bart", 50)) is None


def test_led_counts_the_rows_of_its_encoder_by_another_key(tmp_path: Path):
    tiny_config("led", 50).save_pretrained(tmp_path / "led")
    left = {"max_position_embeddings": 1024, "normalize_embedding": True}
    left |= {"attention_dilation": [1, 1], "attention_mode": "sliding_chunks"}
    left |= {"autoregressive": False, "classif_dropout": 0.0}
    check_config_keys(with_config(tmp_path / "led", tmp_path / "left", **left), [])
    other = with_config(tmp_path / "led", tmp_path / "other", attention_dilation=[1, 2])
    with pytest.raises(RefusedModel, match="'attention_dilation': found"):
        check_config_keys(other, [])
