"""What every declared analysis owes: its tables, also where there is nothing, and its drawing."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import LOADERS, SCALARS, TABLE, Analysis, place
from embspace.clouds.learned import clouds_of
from embspace.errors import InputError
from embspace.files.tables import load_table
from embspace.graph.declarations import ALL_RUNS, Declared, declaration, drawing_of, modules
from embspace.models.spelling import Spelling
from embspace.settings.params import PAIR, TOY
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings, settings_file
from tests.analyses import as_drawn, settings_of
from tests.geometry.planted import helix
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import graphs_of

FEW = {"n_shuffles": 5, "n_simulations": 99, "n_null_draws": 2, "n_null_tables": 3, "n_bins": 256}
FEW |= {"n_resamples": 20, "n_half_samples": 20}
FEW |= {"n_seeds": 2, "n_seed_points": 100, "perplexity": 5.0, "n_iter": 60, "n_epochs": 30}
FEW |= {"early_exaggeration_iter": 30, "quality_n_neighbors": 5}
# Beginnings of kinds: also folds are drawn, and what an iterative map begins with.
BY_CHANCE = ("null_", "p_value", "auc", "map_", "seed_")
BOUNDS = ("low", "high", "deviations")  # ends of columns, by random halves
NULLS = ("null_", "p_value")  # which a seed must move, unlike folds and maps that settle
OF_TOKENS = (
    *("architecture", "mean_embedding", "nearest_neighbors", "vocabulary"),
    "vocabulary_clusters",
)
NOT_MEASURED = ("row", "name", "setting")
SLOW_TO_DRAW = ("head_pairs",)  # a cell a head
CURVES = ("explained_variance", "similarity")  # no panel is of positions alone
LABELS = {"pair": f"a model of a long name{PAIR}another one"}
MADE: dict[tuple[str, bool], dict[str, Any]] = {}
WRONG = [{}]  # neither a number, nor a word, nor a mapping, nor a list of any of these


def inputs(analysis: Analysis, *, with_positions: bool = True) -> dict[str, Any]:
    """Return the arguments that an analysis reads, of a small random model."""
    from embspace.models.architecture import config_of

    matrices = random_matrices() | {"positional": helix(64, dim=48)}
    if not with_positions:
        matrices = {"input": matrices["input"]}
    vocabulary = vocabulary_of(len(matrices["input"]))
    is_number = vocabulary["kind"] == "digit"
    vocabulary["token"] = vocabulary["token"].where(~is_number, vocabulary["id"].astype(str))
    known = {
        "matrices": matrices,
        "regimes": regimes_of(len(matrices.get("positional", ())), outlying=[0]),
        "vocabulary": vocabulary,
        "spelling": Spelling("WordPiece", "continuation", "##", byte_level=False),
        "ids_of": lambda text: [len(text)],
        "name": "tiny",
        "config": config_of({"model_type": "bert", "num_hidden_layers": 2}, "tiny"),
    }
    if "graphs" in analysis.reads:
        known["graphs"] = graphs_of(clouds_of(matrices, known["regimes"]))
    return {name: known[name] for name in analysis.reads}


def own_test(member: Declared) -> ModuleType:
    verb, *folders, noun = member.function.__module__.split(".")[1:]
    return import_module(".".join(["tests", verb, *folders, f"test_{noun}"]))


def arguments(member: Declared, *, with_positions: bool) -> dict[str, Any]:
    """Return what an analysis reads; what one alone reads, its own test plants."""
    test = own_test(member)
    if hasattr(test, "inputs"):
        return dict(test.inputs(is_empty=not with_positions))
    return inputs(member.analysis, with_positions=with_positions)


def made(member: Declared, *, with_positions: bool = True) -> dict[str, Any]:
    """Return what `measured` gives, once for all tests of the analysis."""
    place = (member.analysis.stage, with_positions)
    if place not in MADE:
        MADE[place] = measured(member, with_positions=with_positions)
    return {name: deepcopy(table) for name, table in MADE[place].items()}


def measured(member: Declared, *, with_positions: bool = True, **change: Any) -> dict[str, Any]:
    conf = read_yaml(settings_file(member.function, Path(__file__).parents[1]))
    few = {key: value for key, value in FEW.items() if key in conf}
    test = own_test(member)
    if hasattr(test, "inputs") or not member.analysis.reads:
        few |= getattr(test, "FEW", {})
    settings = settings_of(member.function, **few | change)
    return member.function(**arguments(member, with_positions=with_positions), **settings)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have joblib start no processes, whose start takes longer than small tables."""
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")


@pytest.fixture(params=modules())
def member(request: pytest.FixtureRequest) -> Declared:
    return declaration(request.param)


def test_a_small_model_has_every_declared_table_and_column(member: Declared):
    outcome = made(member)
    assert outcome.keys() == member.analysis.outputs.keys()
    for name, table in member.analysis.tables.items():
        assert len(outcome[name]), name
        declared = {column for column in table.columns if "*" not in column}
        assert set(table.of(outcome[name])) == set(outcome[name]), name
        assert declared <= set(outcome[name]), name


def test_a_model_without_positions_has_every_declared_table(
    member: Declared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    member.analysis.save(made(member, with_positions=False), "tiny")
    for name, table in member.analysis.tables.items():
        saved = load_table(place(member.analysis.outputs[name], "tiny"))
        assert set(table.of()) <= set(saved), name


def test_the_same_seed_gives_the_same_files(member: Declared, tmp_path: Path):
    first, again = tmp_path / "first", tmp_path / "again"
    member.analysis.save(made(member), "tiny", first)
    member.analysis.save(measured(member), "tiny", again)
    for path in (place(path, "tiny") for path in member.analysis.outputs.values()):
        assert (first / path).read_bytes() == (again / path).read_bytes(), path


def leaves(scalars: Mapping[str, Any], *keys: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of a nested dictionary by their keys, joined by dots."""
    for key, value in scalars.items():
        if isinstance(value, Mapping):
            yield from leaves(value, *keys, key)
        else:
            yield ".".join((*keys, key)), value


def names_of(column: str) -> tuple[str, str]:
    """Return the names that a declaration may have for a column or a dotted key of JSON."""
    return column, column.rpartition(".")[2]


def kind_of(kinds: Mapping[str, str], column: str) -> str:
    """Return the kind of a column or dotted key; empty if no name and no pattern fits."""
    names = names_of(column)
    exact = (kinds[name] for name in names if name in kinds)
    fits = (kind for pattern, kind in kinds.items() if any(fnmatchcase(n, pattern) for n in names))
    return next(chain(exact, fits), "")


def columns_of(outcome: Mapping[str, Any]) -> dict[tuple[str, str], pd.Series]:
    """Return all values by result and column, scalar or array."""
    return {
        (name, str(column)): pd.Series(np.ravel(values))
        for name, result in outcome.items()
        for column, values in (leaves(result) if name == SCALARS else result.items())
    }


def is_by_chance(member: Declared, result: str, column: str, kinds: tuple[str, ...]) -> bool:
    """Return whether chance decides a column, by its name or by the beginning of its kind."""
    analysis = member.analysis
    declared = analysis.tables[result].kinds if result in analysis.tables else analysis.scalars
    decided = getattr(own_test(member), "DECIDED_BY_SEED", ())  # values of random folds or maps
    return kind_of(declared, column).startswith(kinds) or any(
        name.startswith("null_") or name.endswith(BOUNDS) or name in decided
        for name in names_of(column)
    )


def test_another_seed_changes_what_chance_decides_and_nothing_else(member: Declared):
    if "seed" not in settings_of(member.function):
        pytest.skip("nothing is drawn")
    first, other = columns_of(made(member)), columns_of(measured(member, seed=1))
    both = first.keys() & other.keys()
    changed = (first.keys() ^ other.keys()) | {
        place for place in both if not first[place].equals(other[place])
    }
    wrong = [place for place in changed if not is_by_chance(member, *place, BY_CHANCE)]
    assert not wrong
    random = {
        place
        for place, values in first.items()
        if values.notna().any() and is_by_chance(member, *place, NULLS)
    }
    assert random
    assert {result for result, _ in random} == {result for result, _ in random & changed}


def test_scalars_have_declared_kinds_and_without_positions_are_counts_of_zero(member: Declared):
    analysis, test = member.analysis, own_test(member)
    if not analysis.scalars:
        pytest.skip("no scalars")
    scalars, empty = (
        dict(leaves(made(member, with_positions=is_whole)[SCALARS])) for is_whole in (True, False)
    )
    assert scalars
    assert not [key for key in scalars | empty if not kind_of(analysis.scalars, key)]
    names = {name for key in scalars | empty for name in names_of(key)}
    assert {key for key in analysis.scalars if "*" not in key} <= names
    if hasattr(test, "inputs") or "matrices" in analysis.reads:
        kinds = {
            key: kind_of(analysis.scalars, key) for key, value in empty.items() if value == value
        }
        assert {kind for kind in kinds.values() if kind not in NOT_MEASURED} <= {"count"}
        assert not any(empty[key] for key, kind in kinds.items() if kind == "count")


def test_every_setting_of_a_wrong_kind_is_refused_by_its_name(member: Declared, root: Path):
    file = settings_file(member.function, root)
    content, params = read_yaml(file), {"seed": 0, "device": "cpu"}
    for key in content:
        with pytest.raises(InputError, match=rf"{file.name}: key '{key}[.']?"):
            checked_settings(member.function, content | {key: WRONG}, params, str(file))
        with pytest.raises(InputError, match=f"'{key}'"):
            less = {other: value for other, value in content.items() if other != key}
            checked_settings(member.function, less, params, str(file))
    with pytest.raises(InputError, match="'no_such_setting'"):
        checked_settings(member.function, {**content, "no_such_setting": 1}, params, str(file))


def drawing_of_noun(member: Declared) -> Any:
    if not member.analysis.is_drawn:
        pytest.skip("no figure")
    return drawing_of(member)


def drawn(member: Declared, results: Any) -> tuple[str, str]:
    """Return the words of a figure, which fit, on one line, and its tables in Markdown."""
    from matplotlib.text import Text

    from embspace.draw.page.canvas import use_style
    from tests.draw.fits import assert_words_fit

    use_style()
    noun = member.analysis.noun
    draw = drawing_of_noun(member).draw
    label = LABELS.get(member.analysis.item, "a model of a long name")
    figure, text = draw(results, label, **settings_of(draw))
    if isinstance(figure, str):
        return figure, str(text)
    assert figure.get_label() == member.analysis.stage, noun
    assert_words_fit(figure)
    words = [word for label in figure.findobj(Text) for word in label.get_text().split()]
    return " ".join(words), str(text)


def name_in_git(analysis: Analysis) -> str:
    """Return the name of the figure that git has of an analysis, if any."""
    [model, *_] = read_yaml(Path("params.yaml"))["models"]
    names = {"": TOY, "trained": ALL_RUNS, "compared": f"{model}{PAIR}{model}_random"}
    return names.get(analysis.over, model)


def is_slow_to_draw(analysis: Analysis) -> bool:
    """Return whether a figure may take longer than a test by day: of runs, pairs, and grids."""
    return analysis.item != "model" or analysis.noun in SLOW_TO_DRAW


def test_a_figure_is_drawn_from_the_tables_in_git(
    member: Declared, root: Path, monkeypatch: pytest.MonkeyPatch
):
    if is_slow_to_draw(member.analysis):
        pytest.skip("may take longer")
    assert_drawn_as_in_git(member, root, monkeypatch)


@pytest.mark.slow
def test_a_large_figure_is_drawn_from_the_tables_in_git(
    member: Declared, root: Path, monkeypatch: pytest.MonkeyPatch
):
    if not is_slow_to_draw(member.analysis):
        pytest.skip("is drawn by day")
    assert_drawn_as_in_git(member, root, monkeypatch)


def assert_drawn_as_in_git(member: Declared, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = drawing_of_noun(member)
    if any(name.endswith(("parquet", "safetensors")) for name in drawing.results):
        pytest.skip("git has not all of its results")
    monkeypatch.chdir(root)
    name = name_in_git(member.analysis)
    if member.analysis.over == "checkpointed":
        pytest.skip("no model with published checkpoints is in git")
    committed = Path(f"figures/{member.analysis.noun}/{name}.md")
    if not committed.is_file() and member.analysis.noun == "model_changes":
        pytest.skip("git has no pair of trained models of one architecture")
    _, text = drawn(member, drawing.load(member.analysis.noun, name))
    assert text.count("\n|") == committed.read_text(encoding="utf-8").count("\n|")


def beside(member: Declared) -> dict[str, Any]:
    """Return what a drawing shows besides results of its own: settings, and tables without rows."""
    results = drawing_of_noun(member).results
    shown: dict[str, Any] = {
        file: read_yaml(Path(__file__).parents[1] / file)
        for file in results
        if file.startswith("conf/")
    }
    for result in results:
        noun, _, table = result.removesuffix(".csv").rpartition("/")
        if noun in modules():
            tables = declaration(noun).analysis.tables
            is_table = not table.endswith(SCALARS)
            shown[f"{noun}/{table}".rstrip("/")] = tables[table or TABLE].of() if is_table else {}
    return shown


def test_a_figure_is_drawn_of_a_model_without_positions(member: Declared, tmp_path: Path):
    member.analysis.save(made(member, with_positions=False), "tiny", tmp_path)
    files = {name: tmp_path / place(path, "tiny") for name, path in member.analysis.outputs.items()}
    results = {name: LOADERS[file.suffix](str(file)) for name, file in files.items()}
    read = arguments(member, with_positions=False)
    further = beside(member) | {
        "data/extracted/embeddings.parquet": read.get("vocabulary"),
        "data/extracted/embeddings.safetensors": read.get("matrices"),
        "regimes/positions": read.get("regimes"),
    }
    words, text = drawn(member, as_drawn(member.analysis, results, **further))
    assert "nan" not in text.lower().split()
    if "matrices" in member.analysis.reads and member.analysis.noun not in OF_TOKENS:
        reason = "has no learned positional table: its file in conf/model says"
        assert reason in text
        is_said = not drawing_of(member).drawn_in and member.analysis.noun not in CURVES
        assert (reason in words) == is_said
