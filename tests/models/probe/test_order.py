from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import RefusedModel
from embspace.models.probe.order import check_states
from tests.models.probe.loaded import IDS, load_tiny

ROW = np.array(IDS, dtype=np.int64)


@pytest.mark.parametrize("kind", ["bert", "albert", "xlnet", "longformer", "opt", "mt5", "bart"])
def test_states_of_blocks_in_order_are_taken(kind: str, tmp_path: Path):
    check_states(load_tiny(kind, tmp_path), ROW)


def test_states_without_an_embedding_output_are_refused(tmp_path: Path):
    with pytest.raises(RefusedModel, match="hidden state 1 is neither what block 1 gives"):
        check_states(load_tiny("mamba", tmp_path), ROW)


def test_states_of_four_axes_are_refused(tmp_path: Path):
    with pytest.raises(RefusedModel, match=r"shape \(1, 12, 4, 16\) at layer 0"):
        check_states(load_tiny("deepseek_v4", tmp_path), ROW)


class Changed:
    """A model that gives other hidden states than its own."""

    def __init__(self, module: Any, change: Any) -> None:
        self._module, self._change, self.config = module, change, module.config

    def modules(self) -> Any:
        """Those of the model itself."""
        return self._module.modules()

    def __call__(self, **given: Any) -> Any:
        output = self._module(**given)
        output.hidden_states = self._change(output.hidden_states)
        return output


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda states: states[1:], "gives 3 hidden states, expected 4"),
        (lambda states: states[::-1], "hidden state 1 is neither"),
        (lambda states: (states[0], states[2], states[1], states[3]), "hidden state 1 is neither"),
        (lambda states: None, "no hidden states by that name"),
        (lambda states: [layer[:, 1:] for layer in states], r"shape \(1, 11, 16\)"),
        (lambda states: [layer[..., :8] for layer in states], r"shape \(1, 12, 8\)"),
        (lambda states: [*states[:2], states[2] * float("nan"), states[3]], "finite at layer 2"),
    ],
)
def test_states_that_are_others_are_refused(change: Any, message: str, tmp_path: Path):
    with pytest.raises(RefusedModel, match=message):
        check_states(Changed(load_tiny("bert", tmp_path), change), ROW)
