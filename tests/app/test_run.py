"""Finds what `dvc repro` takes for the short names of analyses."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from embspace.app import run
from embspace.app.repro.side_by_side import Step
from embspace.app.run import addresses_of, run_stages, summary
from embspace.errors import InputError
from embspace.settings.pipeline import read_stages

PARAMS = {
    "models": ["minilm", "gpt2"],
    "corpora": ["articles"],
    "profiled": [],
    "trained": ["sentiment"],
    "run_pages": ["all_runs"],
    "seed": 0,
    "device": "cpu",
}
STAGES = {
    "measure_training": {"matrix": {"train": "${trained}"}, "cmd": "true"},
    "measure_dynamics": {"matrix": {"model": "${models}"}, "cmd": "true"},
    "measure_states": {"matrix": {"model": "${models}", "corpus": "${corpora}"}, "cmd": "true"},
    "draw_all": {"cmd": "true"},
}
GRAPH = "pipeline/runs/dvc.yaml"
LAYERS = "pipeline/layers/dvc.yaml"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / GRAPH).parent.mkdir(parents=True)
    (tmp_path / GRAPH).write_text(yaml.safe_dump({"stages": STAGES}, sort_keys=False))
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "model", "stages"),
    [
        ("training", None, ["measure_training"]),
        ("training", "sentiment", ["measure_training@sentiment"]),
        ("runs", None, sorted(STAGES)),
        ("runs", "gpt2", ["measure_dynamics@gpt2", "measure_states@gpt2-articles"]),
        ("states", "minilm", ["measure_states@minilm-articles"]),
    ],
)
def test_a_name_is_what_dvc_takes_for_all_items_or_those_of_one_model(
    tree: Path, name: str, model: str | None, stages: list[str]
):
    assert sorted(addresses_of(tree, name, model)) == [f"{GRAPH}:{stage}" for stage in stages]


@pytest.mark.parametrize("model", ["gpt3", "sentiment"])
def test_a_model_that_the_stages_do_not_take_is_answered_with_those_they_do(tree: Path, model: str):
    with pytest.raises(InputError, match=rf"--model: .*{model}.*gpt2.*params\.yaml names them"):
        addresses_of(tree, "dynamics", model)


STEP = Step("measure_training@sentiment", "starts", ", up to 3 min left", ("measure_states@x",))


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """The runs that were called for, each of which starts and ends one stage."""
    calls: list[dict[str, object]] = []

    def run_side_by_side(
        folder: Path, targets: list[str], show: Callable[[str, str], None], **options: object
    ) -> Iterator[Step]:
        calls.append({"targets": targets, **options})
        yield STEP
        show(STEP.stage, "said by \x1bit")
        yield Step(STEP.stage, "runs", ", up to 2 min left", ("one", "two"), 33)
        yield Step(STEP.stage, "ends", seconds=95, n_done=7, n_stages=61)
        yield Step("other", "cached", n_done=8, n_stages=61)
        yield Step("another", "current", n_done=9, n_stages=61)

    monkeypatch.setattr(run, "run_side_by_side", run_side_by_side)
    return calls


def test_a_run_tells_what_starts_what_it_says_and_what_has_ended(
    tree: Path, requests: list[dict[str, object]], capsys: pytest.CaptureFixture[str]
):
    run_stages("training", "sentiment", jobs=3)
    said = capsys.readouterr().out.splitlines()
    assert said[:5] == [
        "measure_training@sentiment starts, beside measure_states@x, up to 3 min left",
        "measure_training@sentiment: said by \\x1bit",
        "measure_training@sentiment has run for 33 s, beside one, two, up to 2 min left",
        "[7 of 61] measure_training@sentiment done in 2 min",
        "[8 of 61] other taken from the cache",
    ]
    assert said[5] == "3 stages in 0 s: 1 computed, 1 taken from the cache, 1 up to date"
    targets = [f"{GRAPH}:measure_training@sentiment"]
    assert requests == [{"targets": targets, "jobs": 3, "force": False}]


def test_without_a_number_the_cores_decide(tree: Path, requests: list[dict[str, object]]):
    run_stages(None, None, force=True)
    assert requests == [{"targets": [], "jobs": None, "force": True}]


def test_a_run_with_nothing_to_do_says_so_in_one_line():
    assert summary(Counter(current=61), 2.0) == "61 stages: all up to date"


def test_outside_of_a_tree_nothing_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"params\.yaml: not found in .*run in a study"):
        run_stages("helicx", None)


def test_all_is_of_all_models(tree: Path):
    with pytest.raises(InputError, match="--model: needs an analysis or a chapter"):
        run_stages(None, "minilm")


@pytest.fixture
def layers(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's graph, with two models whose layers are profiled."""
    params = yaml.safe_load((root / "params.yaml").read_text())
    params |= {"models": ["one", "two", "three"], "profiled": ["one", "two"]}
    params |= {"compared": {"one--two": {"model": "one", "other_model": "two"}}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    (tmp_path / "pipeline").symlink_to(root / "pipeline", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "model", "expected"),
    [
        ("direction", None, ["measure_direction"]),
        ("hubs", "one", ["measure_hubs@one"]),
        ("measure_atlas", None, ["measure_atlas"]),
        ("atlas", "two", ["measure_atlas@two"]),
    ],
)
def test_the_items_of_a_name(
    layers: Path, name: str, model: str | None, expected: list[str]
) -> None:
    assert addresses_of(layers, name, model) == [f"{LAYERS}:{key}" for key in expected]


def test_a_pair_is_an_item_as_a_model_is(layers: Path) -> None:
    stages = [f"pipeline/compare/dvc.yaml:compare_measures{item}" for item in ("", "@one--two")]
    assert addresses_of(layers, "measures", None) == stages[:1]
    assert addresses_of(layers, "measures", "one--two") == stages[1:]
    with pytest.raises(InputError, match="--model: found 'one', .*one--two"):
        addresses_of(layers, "measures", "one")
    params = yaml.safe_load((layers / "params.yaml").read_text())
    (layers / "params.yaml").write_text(yaml.safe_dump(params | {"compared": {}}))
    with pytest.raises(InputError, match=r"key 'compared' in params.yaml names nothing.* \{\}$"):
        addresses_of(layers, "measures", None)


def test_a_model_that_is_not_profiled_is_named(layers: Path) -> None:
    with pytest.raises(InputError, match="--model: found 'three', allowed: one, two; params.yaml"):
        addresses_of(layers, "direction", "three")


@pytest.mark.parametrize("name", ["direction", "measure_atlas", "layers"])
def test_what_has_no_item_is_refused_for_dvc_would_run_all(layers: Path, name: str) -> None:
    params = yaml.safe_load((layers / "params.yaml").read_text())
    (layers / "params.yaml").write_text(yaml.safe_dump(params | {"profiled": []}))
    said = f"{name}: key '(checkpointed|profiled)' in params.yaml names nothing"
    with pytest.raises(InputError, match=said):
        addresses_of(layers, name, None)


def test_every_name_of_the_graph_has_items_or_is_refused(layers: Path) -> None:
    """No address of a stage without items is handed on, whatever the name."""
    stages = read_stages(layers)
    empty = {
        stage.address()
        for stage in stages.values()
        if "checkpointed" in str(stage.entry.get("matrix"))
    }
    assert empty and not yaml.safe_load((layers / "params.yaml").read_text())["checkpointed"]
    names = {name for stage in stages.values() for name in (stage.name, stage.chapter)} - {""}
    for name in names:
        with suppress(InputError):
            assert not empty & set(addresses_of(layers, name, None)), name
