import shutil
from pathlib import Path

import pytest

from embspace.app.drawn import ALL_RUNS, check_drawn, drawn_nouns
from embspace.app.paper import known_figures
from embspace.draw.page import saving
from embspace.errors import InputError


def test_stages_make_a_figure_of_each_analysis_that_a_module_draws():
    assert drawn_nouns(Path()) == {*known_figures()}
    assert ALL_RUNS == saving.ALL_RUNS


@pytest.mark.parametrize(
    ("noun", "name"),
    [
        ("helix", "minilm"),
        ("cubes", "toy"),
        ("training", ALL_RUNS),
        ("training", "sentiment"),
        ("measures", "minilm--other"),
    ],
)
def test_what_has_results_or_may_have_them_is_let_through(noun: str, name: str):
    check_drawn(noun, name)


def test_what_git_has_no_results_of_may_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shutil.copytree("pipeline", tmp_path / "pipeline")
    monkeypatch.chdir(tmp_path)
    check_drawn("helix", "anything")


def test_what_cannot_be_drawn_is_refused_with_the_reason():
    with pytest.raises(InputError, match=r"'helx': no such analysis; did you mean 'helix'.*cubes"):
        check_drawn("helx", "minilm")
    with pytest.raises(InputError, match=r"results/helix: nothing of 'x\[y'; 'x\[y' is no model"):
        check_drawn("helix", "x[y")
    with pytest.raises(InputError, match=r"nothing of 'bert_base_cased'; .*not listed under"):
        check_drawn("helix", "bert_base_cased")
