"""The claims of publications, asked of a report's model with random weights."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.app import report
from embspace.app.report import twins_of
from embspace.app.reporting.parts import item_of
from embspace.app.reporting.subject import Subject
from embspace.app.reporting.untrained_claims import (
    _further_draws,
    _with_tokenizer_at_hand,
    describe_twins,
    forget_verdicts,
    keep_draws,
    ledgers,
)
from embspace.app.repro.side_by_side import Step
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError
from embspace.published.untrained import KEPT, load_verdicts
from embspace.settings.schema import read_yaml
from tests.tiny import tiny_description
from tests.tiny_architectures import build_tiny

TEXTS = OwnTexts("mine", "my texts", ".txt", b"one\ntwo\n")


@pytest.fixture
def said() -> list[str]:
    """What a report has printed."""
    return []


def users_report(*options: str, model: str = "minilm") -> Subject:
    return Subject(model, ["mine"], TEXTS, None, options, n_untrained=1)


def test_a_declared_twin_is_taken_and_another_is_described(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
):
    monkeypatch.chdir(root)
    assert describe_twins("minilm", None, said.append, 1) == {"minilm_random": None}
    described = tiny_description(build_tiny("bert", tmp_path / "m")) | {"language": "English"}
    [(name, twin)] = describe_twins("m", described, said.append, 1).items()
    assert name == "m_random" and twin and twin["source"] == "random"
    assert twin["matrices"] == described["matrices"] and not said


def test_further_draws_differ_by_the_seed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
):
    monkeypatch.chdir(root)
    assert describe_twins("minilm", None, said.append, 0) == {}
    twins = describe_twins("minilm", None, said.append, 3)
    assert [*twins] == ["minilm_random", "minilm_random_1", "minilm_random_2"]
    first, second = read_yaml(root / "conf/model/minilm_random.yaml"), twins["minilm_random_2"]
    assert second and second["seed"] == first["seed"] + 2
    assert {key for key in first if first[key] != second[key]} == {"seed", "label"}
    described = tiny_description(build_tiny("bert", tmp_path / "m")) | {"language": "English"}
    twins = describe_twins("m", described, said.append, 2)
    assert [twin and twin["seed"] for twin in twins.values()] == [0, 1] and not said


def test_random_weights_and_decoders_have_no_twin(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
):
    monkeypatch.chdir(root)
    random = read_yaml(root / "conf/model/minilm_random.yaml")
    assert describe_twins("noise", random, said.append, 1) == {}
    vectors = {"source": "vectors", "label": "x", "path": "x.npy"}
    assert describe_twins("points", vectors, said.append, 1) == {}
    matrices = {"input": "wte.weight", "positional": "wpe.weight", "segment": None}
    decoder = tiny_description(build_tiny("gpt2", tmp_path / "d")) | {"matrices": matrices}
    assert describe_twins("d", decoder, said.append, 1) == {} and not said


def test_only_a_report_with_the_ledger_and_other_texts_asks_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
):
    monkeypatch.chdir(root)
    assert twins_of(users_report("all"), said.append) == {"minilm_random": None}
    assert (
        twins_of(users_report(), said.append)
        == twins_of(users_report("all", "no-maps"), print)
        == {}
    )
    corpora = read_yaml(root / "params.yaml")["corpora"]
    assert twins_of(Subject("minilm", corpora, None, None, ("all",)), said.append) == {}


class Tree:
    """Keeps what it was to run; fails at the stages of a twin, if it shall."""

    def __init__(self, folder: Path, *, fails: bool) -> None:
        self.folder, self._fails, self.runs = folder, fails, list[tuple[str, ...]]()

    def stages(self, *_: str) -> set[str]:
        return set()

    def reproduce(self, *targets: str, **_: Any) -> Iterator[Step]:
        self.runs.append(targets)
        for target in targets:
            stage = item_of(target)
            if self._fails and stage.endswith("_random"):
                raise InputError(f"stage {stage} failed with status 1")
            yield Step(stage, "ends")


@pytest.mark.parametrize("fails", [False, True])
def test_the_ledger_is_last_and_random_weights_end_no_report(
    root: Path, monkeypatch: pytest.MonkeyPatch, said: list[str], fails: bool
):
    monkeypatch.chdir(root)
    monkeypatch.setattr(report, "durations_of", lambda *_: None)
    monkeypatch.setattr(report, "keep_draws", lambda *_: None)
    tree: Any = Tree(root, fails=fails)
    stages = report.stages_of(root, users_report("all"))
    steps = [*report._steps(tree, users_report("all"), {"m_random": None}, stages, said.append, 1)]
    [own, other] = ledgers(root, ["minilm", "m_random"])
    assert other in tree.runs[0] and own not in tree.runs[0] and tree.runs[-1] == (own,)
    assert steps[-1].stage == "measure_ledger@minilm"
    assert len(tree.runs) == 2 + fails and other not in tree.runs[1]
    assert ["not compared with random weights" in words for words in said] == [True] * fails


def test_a_tokenizer_of_the_hub_is_read_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("embspace.models.locate.locate_files", lambda *_: tmp_path)
    hub = {"source": "hub", "repository": "a/b", "revision": "main"}
    content = {"label": "b", "license": "MIT", "language": "English", **hub}
    content["matrices"] = {"input": "x", "positional": None, "segment": None}
    twin = _with_tokenizer_at_hand({"tokenizer": hub}, "b", content)
    assert twin["tokenizer"] == {"source": "path", "path": str(tmp_path)}


def test_a_twin_of_a_file_has_one_draw():
    assert _further_draws("other", {"source": "path", "label": "x"}, 3) == {}


def test_the_studys_verdicts_are_forgotten_on_further_texts(tmp_path: Path):
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/m.yaml").write_text("untrained: noise\n")
    verdicts = tmp_path / "data/published/verdicts"
    verdicts.mkdir(parents=True)
    for name in ("noise", "m_random", "another"):
        (verdicts / f"{name}.csv").touch()
    forget_verdicts(tmp_path, "m")
    assert [file.name for file in verdicts.iterdir()] == ["another.csv"]


def test_verdicts_are_kept_in_the_tree(tmp_path: Path):
    (tmp_path / "results/ledger").mkdir(parents=True)
    (tmp_path / "data/published/verdicts").mkdir(parents=True)
    row = dict.fromkeys(KEPT, "x") | {"kind": "claim", "about": "weights", "value": 1.0}
    pd.DataFrame([row]).to_csv(tmp_path / "results/ledger/m_random.csv", index=False)
    keep_draws(tmp_path, ["m_random"])
    kept = load_verdicts(tmp_path / "data/published/verdicts/m_random.csv")
    assert kept["verdict"].tolist() == ["x"]
