"""Models that lack a learned table, or whose tables have two widths, through their stages."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from embspace.draw.learned.__main__ import DRAWINGS as LEARNED
from embspace.draw.page.saving import draw_and_save
from embspace.draw.positional.__main__ import DRAWINGS as POSITIONAL
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, checked_settings, settings_path
from tests.zoo import ANIMALS, build_animal

# In the order in which one takes another's results.
STAGES = (
    "extract.embeddings",
    "measure.regimes",
    "measure.similarity",
    "measure.mean_embedding",
    "measure.interrelations",
    "measure.separability",
    "measure.explained_variance",
    "measure.nearest_neighbors",
    "measure.positions",
    "measure.helix",
    "measure.sinusoidal_positions",
    "measure.architecture",
    "measure.vocabulary",
    "project.pca",
)
FAST = {"n_simulations": 99, "n_shuffles": 5, "n_null_draws": 2, "max_iterations": 10_000}
# The figures that show positions, alone or beside tokens.
NEED_POSITIONS = ("regimes", "positions", "helix", "separability", "sinusoidal_positions")
NEED_POSITIONS += ("interrelations", "similarity", "explained_variance", "pca")


def stage_of(root: Path, verb: str, noun: str) -> tuple[Any, dict[str, Any]]:
    """The module of a stage, and its settings, with fewer draws."""
    file = settings_path(verb, noun, root)
    name = ".".join(file.relative_to(root / "conf").with_suffix("").parts)
    module = import_module(f"embspace.{name}")
    settings = {key: FAST.get(key, value) for key, value in read_yaml(file).items()}
    params = {"seed": 0, "device": "cpu"}
    return module, checked_settings(getattr(module, f"{verb}_{noun}"), settings, params, str(file))


def run_all(root: Path, name: str, drawn: tuple[str, ...]) -> None:
    """The stages of a small model in the current folder, and figures and tables of some."""
    content = read_yaml(root / f"conf/model/{ANIMALS[name].described_as}.yaml")
    for key in ("revision", "checkpoints", "padding_rows", "parameters"):
        content.pop(key, None)
    content |= {"source": "path", "path": str(build_animal(name, Path("model")))}
    for stage in STAGES:
        module, settings = stage_of(root, *stage.split("."))
        config = StageConfig(
            model_name=name,
            model=content,
            corpus_name="",
            corpus={},
            models=[name],
            corpora=[],
            settings=settings,
        )
        module.main(config)
    drawings = {noun: drawing for noun, drawing in (LEARNED | POSITIONAL).items() if noun in drawn}
    settings = {noun: read_yaml(settings_path("draw", noun, root)) for noun in drawn}
    draw_and_save("learned", drawings, name, content["label"], settings)


@pytest.mark.parametrize(
    "nouns",
    [("positions", "interrelations"), pytest.param(NEED_POSITIONS, marks=pytest.mark.slow)],
    ids=["two", "all"],
)
def test_without_positions_and_segments_every_stage_says_why(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nouns: tuple[str, ...]
):
    monkeypatch.chdir(tmp_path)
    run_all(root, "gpt_neox", nouns)
    reason = "Pythia 70M has no learned positional table: its file in conf/model says"
    for noun in nouns:
        assert reason in Path(f"figures/{noun}/gpt_neox.md").read_text(), noun
        has_figure = not (LEARNED | POSITIONAL)[noun].drawn_in
        assert Path(f"figures/{noun}/gpt_neox.png").is_file() == has_figure
    text = Path("figures/interrelations/gpt_neox.md").read_text()
    assert "Pythia 70M has no learned segment table" in text


@pytest.mark.parametrize("name", ["opt_350m", "roberta"])
def test_tables_of_two_widths_and_of_one_segment_pass_through_every_stage(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.chdir(tmp_path)
    run_all(root, name, ("interrelations",))
    text = Path(f"figures/interrelations/{name}.md").read_text()
    assert "no learned positional" not in text
    assert ("no learned segment" in text) == (name == "opt_350m")
