"""The claims of publications, asked of a report's model with random weights."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.app.report import Subject, stages_of, twins_of
from embspace.app.reporting.parts import OF_ALL
from embspace.app.reporting.untrained_claims import describe_twin, keep_all_verdicts, ledgers
from embspace.app.working_tree import OwnTexts
from embspace.published.untrained import KEPT, load_verdicts
from embspace.settings.schema import read_yaml
from tests.tiny import tiny_description
from tests.tiny_architectures import build_tiny

TEXTS = OwnTexts("mine", "my texts", ".txt", b"one\ntwo\n")


@pytest.fixture
def said() -> list[str]:
    """What a report has printed."""
    return []


def of_user(*options: str, model: str = "minilm") -> Subject:
    return Subject(model, ["mine"], TEXTS, None, options)


def test_a_declared_twin_is_taken_and_another_is_described(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
):
    monkeypatch.chdir(root)
    assert describe_twin("minilm", None, said.append) == {"minilm_random": None}
    described = tiny_description(build_tiny("bert", tmp_path / "m")) | {"language": "English"}
    [(name, twin)] = describe_twin("m", described, said.append).items()
    assert name == "m_random" and twin and twin["source"] == "random"
    assert twin["matrices"] == described["matrices"] and not said


def test_random_weights_and_decoders_have_no_twin(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
):
    monkeypatch.chdir(root)
    random = read_yaml(root / "conf/model/minilm_random.yaml")
    assert describe_twin("noise", random, said.append) == {}
    assert len(said) == 1 and "noise: has source 'random'" in said[0]
    matrices = {"input": "wte.weight", "positional": "wpe.weight", "segment": None}
    decoder = tiny_description(build_tiny("gpt2", tmp_path / "d")) | {"matrices": matrices}
    assert describe_twin("d", decoder, said.append) == {} and len(said) == 1


def test_only_a_report_with_the_ledger_and_other_texts_asks_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
):
    monkeypatch.chdir(root)
    assert twins_of(of_user("all"), said.append) == {"minilm_random": None}
    assert twins_of(of_user(), said.append) == twins_of(of_user("all", "no-maps"), print) == {}
    corpora = read_yaml(root / "params.yaml")["corpora"]
    assert twins_of(Subject("minilm", corpora, None, None, ("all",)), said.append) == {}


def test_the_ledger_waits_for_that_of_random_weights(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    stages = stages_of(root, of_user("all"), ["minilm_random"])
    [addresses] = [addresses for analysis, addresses in stages.items() if analysis.noun == OF_ALL]
    assert addresses[0] == ledgers(root, ["minilm_random"])[0]
    assert ledgers(root, ["minilm"])[0] in addresses[1:]


def test_verdicts_are_kept_in_the_tree(tmp_path: Path):
    (tmp_path / "results/ledger").mkdir(parents=True)
    (tmp_path / "data/published/verdicts").mkdir(parents=True)
    row = dict.fromkeys(KEPT, "x") | {"kind": "claim", "about": "weights", "value": 1.0}
    pd.DataFrame([row]).to_csv(tmp_path / "results/ledger/m_random.csv", index=False)
    keep_all_verdicts(tmp_path, ["m_random"])
    kept = load_verdicts(tmp_path / "data/published/verdicts/m_random.csv")
    assert kept["verdict"].tolist() == ["x"]
