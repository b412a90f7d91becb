from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from embspace.draw.toys.__main__ import DRAWINGS, main
from embspace.files.rows import save_rows
from embspace.files.tables import save_table
from embspace.measure.toys.cubes import measure_cubes
from embspace.measure.toys.estimators import measure_estimators
from embspace.measure.toys.grammar import measure_grammar
from embspace.project.hopf_link import project_hopf_link
from embspace.settings.stage import StageConfig
from tests.drawn import figure_files, keep_nouns, one_noun_by_day
from tests.grammar.languages import LOPSIDED, language
from tests.measure.toys.test_cubes import SETTINGS as CUBES
from tests.measure.toys.test_estimators import SETTINGS as ESTIMATORS
from tests.measure.toys.test_grammar import SETTINGS as GRAMMAR
from tests.project.test_hopf_link import SETTINGS as HOPF_LINK


def test_all_nouns_of_the_chapter_are_drawn():
    assert DRAWINGS.keys() == {"hopf_link", "cubes", "estimators", "grammar"}


def save_cubes() -> None:
    cubes = measure_cubes(**CUBES)
    save_table(cubes.curve, "results/cubes/curve/toy.csv")
    save_table(cubes.dimensions, "results/cubes/dimensions/toy.csv")


def save_link() -> None:
    link = project_hopf_link(**HOPF_LINK | {"n_runs": 1, "min_dists": [0.1]})
    save_rows(link.coordinates, "data/projected/hopf_link/toy.parquet")
    for name in ("links", "quality"):
        save_table(getattr(link, name), f"results/hopf_link/{name}/toy.csv")


def save_estimators() -> None:
    estimators = measure_estimators(**ESTIMATORS)
    save_table(estimators.dimension, "results/estimators/dimension/toy.csv")
    save_table(estimators.spectrum, "results/estimators/spectrum/toy.csv")


def save_grammar() -> None:
    grammar = measure_grammar(language(**LOPSIDED), **GRAMMAR)
    save_table(grammar.summary, "results/grammar/summary/toy.csv")
    save_table(grammar.agreement, "results/grammar/agreement/toy.csv")


MADE: dict[str, Callable[[], None]] = {
    "cubes": save_cubes,
    "hopf_link": save_link,
    "estimators": save_estimators,
    "grammar": save_grammar,
}


@one_noun_by_day(DRAWINGS, "cubes")
def test_toys_are_drawn_without_a_model(
    nouns: tuple[str, ...], root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    keep_nouns(monkeypatch, "toys", nouns)
    conf = {noun: root / f"conf/draw/toys/{noun}.yaml" for noun in nouns}
    settings = {noun: yaml.safe_load(file.read_text()) for noun, file in conf.items()}
    monkeypatch.chdir(tmp_path)
    for noun in nouns:
        MADE[noun]()
    main(StageConfig("", {}, "", {}, [], [], settings))
    drawn = {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}
    assert drawn == {file for noun in nouns for file in figure_files(noun, "toy")}
    assert all(Path(file).stat().st_size < 800_000 for file in drawn)
