"""Each folder of tests/zoo_kinds.py: read as transformers reads it, or refused in a sentence."""

import io
import re
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file

from embspace.app.describe.description import check_complete
from embspace.app.describe.find import find_model
from embspace.errors import RefusedModel
from embspace.extract.hidden_states import extract_hidden_states, save_hidden_states
from embspace.models.probe.together import ROUNDED, SAME
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.app.cli.call import call
from tests.zoo import ROOT, texts
from tests.zoo_kinds import KINDS, READ, REFUSED, Kind

PAGE = "docs/models.md"
START, END = "<!-- the zoo: tests/test_zoo_kinds.py -->", "<!-- end of the zoo -->"
TEXTS = [" ".join(text.split()[:n]) for text, n in zip(texts(), (20, 3, 9, 1), strict=False)]
SETTINGS: dict[str, Any] = {
    "window_length": 16,
    "overlap": 2,
    "tokens_per_batch": 4096,
    "largest_unknown_share": 0.2,
}


def params(kinds: dict[str, Kind]) -> list[Any]:
    """Those by day as they are, the others slow."""
    return [
        pytest.param(kind, id=name, marks=() if kind.by_day else pytest.mark.slow)
        for name, kind in kinds.items()
    ]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree that knows no model."""
    (tmp_path / "tree/conf/model").mkdir(parents=True)
    return tmp_path / "tree"


def direct_states(folder: Path, rows: list[list[int]]) -> list[tuple[list[np.ndarray], Any]]:
    """What transformers itself makes of each row of tokens, alone, and its last output."""
    import torch
    from transformers import AutoModel

    module = AutoModel.from_pretrained(folder).eval()
    module = module.get_encoder() if module.config.is_encoder_decoder else module
    pairs = []
    for row in rows:
        ids = torch.tensor([row])
        with torch.inference_mode():
            output = module(
                input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
            )
        states = [state[0].numpy() for state in output.hidden_states]
        pairs.append((states, output.last_hidden_state[0].numpy()))
    return pairs


@pytest.mark.parametrize("kind", params(READ))
def test_it_is_read_as_transformers_reads_it(kind: Kind, root: Path, tmp_path: Path):
    folder = kind.build(tmp_path / "mine")
    plain = replace(kind, change=None).build(tmp_path / "plain")
    named = find_model(str(folder), root, None)
    check_complete(named, str(folder))
    assert named.described is not None
    model = describe_model(named.name, named.described)
    module, tokenizer = load_model(named.name, model), load_tokenizer(named.name, model)
    table = pd.DataFrame({"id": [f"t{n}" for n in range(len(TEXTS))], "text": TEXTS})
    made = extract_hidden_states(model, module, tokenizer, table, True, **SETTINGS, device="cpu")
    save_hidden_states(made, f"{tmp_path}/x")
    tensors = load_file(tmp_path / "x.safetensors")
    rows = [part["id"].tolist() for _, part in made.tokens.groupby("window")]
    assert len({len(row) for row in rows}) > 1
    start = 0
    for row, (states, last) in zip(rows, direct_states(plain, rows), strict=True):
        end = start + len(row)
        assert tensors["token"].shape[0] == len(states)
        own = list(tensors["token"][:, start:end])
        if "final_norm_token" in tensors:
            own.append(tensors["final_norm_token"][0, start:end])
            states = [*states[:-1], own[-2], last]
        # Rounding differs between batches, and its experts amplify it.
        assert_same(own, states, ROUNDED if kind.model_type == "deepseek_v2" else SAME)
        start = end


def assert_same(states: list[np.ndarray], expected: list[np.ndarray], largest: float) -> None:
    """Equal up to a share of the largest value of a layer."""
    for layer, (one, other) in enumerate(zip(states, expected, strict=True)):
        assert np.abs(one - other).max() <= largest * np.abs(other).max(), layer


@pytest.mark.parametrize("kind", params(REFUSED))
def test_it_is_refused_in_one_sentence(kind: Kind, root: Path, tmp_path: Path):
    folder = kind.build(tmp_path / "mine")
    with pytest.raises(RefusedModel, match=re.escape(kind.refused)) as raised:
        find_model(str(folder), root, None)
    sentence, *commands = str(raised.value).split("\n")
    assert "; " in sentence or ", " in sentence or ": " in sentence
    assert all(line.startswith("  ") or line.startswith("and ") for line in commands)


def test_a_refusal_ends_a_command_with_code_2(tmp_path: Path):
    folder = REFUSED["bert, alibi"].build(tmp_path / "mine")
    for command in (("describe",), ("report", "--quick")):
        said = call(*command, str(folder))
        assert said.exit_code == 2
        assert said.stderr.startswith("error: ")
        assert "Traceback" not in said.stderr


def zoo_table() -> str:
    """Return the list of folders that are read, and the table of refusals with their words."""
    read = ", ".join(f"*{name}*" for name in READ)
    lines = [f"Read: {read}.", "", "| words of the refusal | refused folders |", "| --- | --- |"]
    names_by_words: dict[str, list[str]] = {}
    for name, kind in REFUSED.items():
        names_by_words.setdefault(kind.refused or "", []).append(f"*{name}*")
    rows = names_by_words.items()
    return "\n".join([*lines, *(f"| …{words}… | {', '.join(names)} |" for words, names in rows)])


def test_at_least_seventy_folders_and_twelve_by_day():
    assert len(KINDS) >= 70
    assert sum(kind.by_day for kind in KINDS.values()) == 12


def test_the_page_has_the_table():
    _, written, _ = parts_of_page()
    assert written == f"\n{zoo_table()}\n", "write it with python -m tests.test_zoo_kinds"


def parts_of_page() -> tuple[str, str, str]:
    """What stands before the table, the table, and what stands after it."""
    before, rest = (ROOT / PAGE).read_text(encoding="utf-8").split(START)
    written, after = rest.split(END)
    return before, written, after


def test_a_refusal_says_nothing_else(root: Path, tmp_path: Path):
    folder = REFUSED["bert, adapter inside"].build(tmp_path / "mine")
    said = io.StringIO()
    with redirect_stderr(said), pytest.raises(RefusedModel):
        find_model(str(folder), root, None)
    assert said.getvalue() == ""


if __name__ == "__main__":
    first, _, last = parts_of_page()
    (ROOT / PAGE).write_text(f"{first}{START}\n{zoo_table()}\n{END}{last}", encoding="utf-8")
