from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from embspace.analysis import Analysis, Outcome
from embspace.draw.toys.__main__ import DRAWINGS, main
from embspace.measure.toys.cubes import CUBES, measure_cubes
from embspace.measure.toys.estimators import ESTIMATORS, measure_estimators
from embspace.measure.toys.grammar import GRAMMAR, measure_grammar
from embspace.project.hopf_link import HOPF_LINK, project_hopf_link
from embspace.settings.params import TOY
from embspace.settings.stage import StageConfig
from tests.drawn import figure_files, keep_nouns, one_noun_by_day
from tests.grammar.languages import LOPSIDED, language
from tests.measure.toys.test_cubes import SETTINGS as CUBES_SETTINGS
from tests.measure.toys.test_estimators import SETTINGS as ESTIMATORS_SETTINGS
from tests.measure.toys.test_grammar import SETTINGS as GRAMMAR_SETTINGS
from tests.project.test_hopf_link import SETTINGS as HOPF_LINK_SETTINGS


def test_all_nouns_of_the_chapter_are_drawn():
    assert DRAWINGS.keys() == {"hopf_link", "cubes", "estimators", "grammar"}


MADE: dict[str, Callable[[], tuple[Analysis, Outcome]]] = {
    "cubes": lambda: (CUBES, measure_cubes(**CUBES_SETTINGS)),
    "hopf_link": lambda: (
        HOPF_LINK,
        project_hopf_link(**HOPF_LINK_SETTINGS | {"n_runs": 1, "min_dists": [0.1]}),
    ),
    "estimators": lambda: (ESTIMATORS, measure_estimators(**ESTIMATORS_SETTINGS)),
    "grammar": lambda: (GRAMMAR, measure_grammar(language(**LOPSIDED), **GRAMMAR_SETTINGS)),
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
        analysis, outcome = MADE[noun]()
        analysis.save(outcome, TOY)
    main(StageConfig("", {}, "", {}, [], [], settings))
    drawn = {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}
    assert drawn == {file for noun in nouns for file in figure_files(noun, "toy")}
    assert all(Path(file).stat().st_size < 800_000 for file in drawn)
