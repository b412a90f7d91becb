"""Holds the project to its mirror, and the mirror to the breaks that it should notice."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mirror import RULES, problems
from tests.mirror.tree import Tree

Break = Callable[[Path], None]
Rule = Callable[[Tree], Iterator[str]]
FOLDERS = ("conf", "pipeline", "src", "tests")
FILES = ("dvc.yaml", "params.yaml", "docs/analyses.md")
LISTED = ("results", "figures")  # what their files hold is of no interest


@pytest.fixture(scope="module")
def tree(root: Path) -> Tree:
    """What the rules have read of the project."""
    return Tree(root)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_name_stands_in_its_eight_places(rule: Rule, tree: Tree) -> None:
    sentences = [*rule(tree)]
    assert not sentences, "\n" + "\n".join(sentences)


@pytest.fixture(scope="module")
def whole(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the mirror sees of the project; treat it as read-only."""
    target = tmp_path_factory.mktemp("mirror")
    ignored = shutil.ignore_patterns("__pycache__", "baselines")
    for name in FOLDERS:
        shutil.copytree(root / name, target / name, ignore=ignored)
    for name in FILES:
        (target / name).parent.mkdir(exist_ok=True)
        shutil.copy(root / name, target / name)
    for name in LISTED:
        for file in (root / name).rglob("*.*"):
            write(file.relative_to(root).as_posix(), "")(target)
    return target


@pytest.fixture(scope="module")
def known(whole: Path) -> list[str]:
    """What is wrong before anything is broken."""
    return problems(whole)


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """The project, to be broken: a copy of links, which takes half the time of one of files."""
    return shutil.copytree(whole, tmp_path, copy_function=os.link, dirs_exist_ok=True)


def edit(file: str, old: str, new: str = "", after: str = "") -> Break:
    """The first `old` that stands after `after` becomes `new`; without `new`, its line goes."""

    def change(root: Path) -> None:
        before, mark, rest = (root / file).read_text().partition(after or "\n")
        match = re.search(re.escape(old) if new else rf".*{re.escape(old)}.*\n", rest)
        assert match, f"{file} holds no {old!r} after {after!r}"
        write(file, before + mark + rest[: match.start()] + new + rest[match.end() :])(root)

    return change


def stage(name: str, old: str, new: str = "") -> Break:
    """Something of a stage becomes something else; without `new`, its line goes."""

    def change(root: Path) -> None:
        graphs = [root / "dvc.yaml", *root.glob("pipeline/*/dvc.yaml")]
        graph = next(graph for graph in graphs if f"\n  {name}:\n" in graph.read_text())
        edit(graph.relative_to(root).as_posix(), old, new, after=f"\n  {name}:\n")(root)

    return change


def lacks(name: str, dep: str) -> tuple[Break, str]:
    """A dependency of a stage goes, and is missed."""
    missed = re.escape(re.sub(r"\$\{[\w.]+\}", "{}", dep))
    pattern = rf"stage {name}: deps lacks {missed}, (which \S+ reads|the code that it runs)"
    return stage(name, f"- {dep}"), pattern


def lacks_param(name: str, param: str, why: str = "") -> tuple[Break, str]:
    """What a stage reads of params.yaml or conf/ goes, and is missed."""
    return stage(name, f"- {param}"), rf"{name}: params lacks `- {re.escape(param)}`{why}"


def has(
    name: str, entry: str, why: str = ", which .* does not read", section: str = "deps"
) -> tuple[Break, str]:
    """A stage gets one more entry, which it may not have."""
    pattern = rf"stage {name}: {section} has {re.escape(entry.rstrip(':'))}{why}"
    return stage(name, f"    {section}:", f"    {section}:\n      - {entry}"), pattern


def write(file: str, text: str) -> Break:
    def change(root: Path) -> None:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).unlink(missing_ok=True)  # else all that link to it have the new text
        (root / file).write_text(text)

    return change


def append(file: str, text: str) -> Break:
    return lambda root: write(file, f"{(root / file).read_text()}\n{text}\n")(root)


def imports(file: str, module: str, allowed: str) -> tuple[Break, str]:
    """A module imports one that it may not."""
    pattern = re.escape(f"{file}: imports {module}; expected, of its kind, only {allowed}")
    return append(file, f"import {module}"), pattern


def move(old: str, new: str) -> Break:
    def change(root: Path) -> None:
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / new)

    return change


def delete(file: str) -> Break:
    return lambda root: (root / file).unlink()


def both(*breaks: Break) -> Break:
    def change(root: Path) -> None:
        for one_break in breaks:
            one_break(root)

    return change


MEASURE, DRAW, TABLES = "src/embspace/measure", "src/embspace/draw", "src/embspace/measure/tables"
SEPARABILITY = f"{MEASURE}/learned/separability.py"
CHECKPOINTS = "extract_checkpoints"
CUBES = f"{MEASURE}/toys/cubes.py"
TEST = "tests/extract/test_embeddings.py"
LEARNED, TOYS = "pipeline/learned/dvc.yaml", "pipeline/toys/dvc.yaml"
NO_CODE = "; expected no code but"
LONG = "def long() -> int:\n" + "    print()\n" * 50 + "    return 1"

# What is broken, and all that the mirror then says, as regular expressions.
BREAKS: list[tuple[Break, *tuple[str, ...]]] = [
    # Rule 1: stage, module, function, command, graph.
    (
        edit(LEARNED, "\n  measure_similarity:", "\n  measure_alikeness:"),
        r"stage measure_alikeness: expected the module \S+/measure/learned/alikeness\.py",
        r"learned/similarity\.py: defines measure_similarity\(\), but no graph has such a stage",
        r"stage measure_alikeness: deps lacks data/prepared/code/measure_alikeness\.txt",
        r"stage measure_alikeness: deps has data/prepared/code/measure_similarity\.txt; expected",
        r"docs/analyses\.md: expected a table row of measure_alikeness",
        r"draw/learned/alikeness\.py: expected draw_alikeness\(\), the figure of",
        r"draw/learned/similarity\.py: draws what no stage makes",
    ),
    (
        edit("dvc.yaml", "\nstages:", "\nstages:\n  inspect_pairs: {cmd: 'true'}"),
        r"inspect_pairs: expected the name <verb>_<noun>",
        r"inspect_pairs: deps lacks data/prepared/code/inspect_pairs\.txt",
    ),
    (
        stage("measure_similarity", "learned.similarity model", "tables.summary model"),
        r"cmd is .*expected `PYTHONPATH=src python -m embspace\.measure\.learned\.similarity mod",
    ),
    (
        stage("extract_hidden_states", " corpus=${item.corpus}", " "),
        r"cmd is .*corpus=\$\{item\.corpus\}`",
    ),
    (stage("measure_cubes", "wdir"), r"stage measure_cubes: expected `wdir: \.\./\.\.`"),
    (
        both(
            edit("dvc.yaml", "\n  prepare_model:", "\n  prepare_gone:"),
            append(TOYS, "  prepare_model:\n    deps: [data/prepared/code/prepare_model.txt]"),
        ),
        r"dvc\.yaml, stage prepare_gone: expected the module \S+/prepare/gone\.py",
        r"toys/dvc\.yaml, stage prepare_model: expected it in dvc\.yaml",
        r"toys/dvc\.yaml, stage prepare_model: expected `wdir",
        r"run_stage picks a file of conf/ for model, but the matrix of the stage has none",
        r"cmd is `None`",
        r"prepare/model\.py writes data/prepared/model/\{\}\.json",
        r"prepare_gone: deps lacks data/prepared/code/prepare_gone\.txt",
        r"prepare_gone: deps has data/prepared/code/prepare_model\.txt",
        r"prepare_model: deps lacks conf/prepare/model\.yaml",
        r"prepare_model: deps lacks models\.lock",
        r"prepare_model: params lacks `- conf/model/\$\{item\.model\}\.yaml:`",
    ),
    (
        edit(SEPARABILITY, "ity)", 'ity, groups=("corpus",))', after="__main__"),
        r"separability\.py: run_stage picks a file of conf/ for corpus, but the matrix .*has model",
    ),
    (
        edit(CUBES, "run_stage(main, measure_cubes", "run_stage(main, main"),
        r"cubes\.py: expected it to end in run_stage\(main, measure_cubes\)",
    ),
    # One chapter a noun.
    (
        both(
            move("conf/draw/toys/cubes.yaml", "conf/draw/words/cubes.yaml"),
            move(f"{DRAW}/toys/cubes.py", f"{DRAW}/words/cubes.py"),
            move("tests/draw/toys/test_cubes.py", "tests/draw/words/test_cubes.py"),
        ),
        r"cubes: stands in the chapters toys, words; expected it in one",
        r"toys/__main__\.py: DRAWINGS is .*; expected drawings_of\(estimators, grammar, hopf",
        r"words/__main__\.py: DRAWINGS is .*; expected drawings_of\(cubes, evolution,",
        r"draw_words: its matrix is .*, that of measure_cubes None; expected the same, or a stage",
        *[rf"draw_toys: the output figures/cubes/toy\.{end} is not where" for end in ("md", "png")],
        *[rf"draw_words: outs lacks figures/cubes/\S+?\.{end}, which" for end in ("md", "png")],
        *[rf"draw_toys: deps has results/cubes/{table}" for table in ("curve", "dimensions")],
        r"draw_toys: params has conf/draw/toys/cubes",
        r"draw_words: params lacks `- conf/draw/words/cubes",
    ),
    # Rule 2: what is drawn.
    (
        edit(f"{DRAW}/learned/__main__.py", "    separability,\n", "\n", after="drawings_of("),
        r"learned/__main__\.py: DRAWINGS is .*; expected drawings_of\(.*pca, .*, separability",
    ),
    (
        edit(f"{DRAW}/compare/ledger.py", '{"ledger": drawing', '{"book": drawing'),
        r"ledger\.py: DRAWINGS is .*book.*; expected \{'ledger': drawing_of\(draw_ledger",
    ),
    (
        edit(f"{DRAW}/toys/__main__.py", '"toy"', '"toys"', after="draw_and_save("),
        r"toys/__main__\.py: expected one call draw_and_save\('toys', DRAWINGS, 'toy', \.\.\.\)",
    ),
    (
        edit(f"{DRAW}/words/__main__.py", "config.model_name", '"toy"', after="draw_and_save("),
        r"expected one call draw_and_save\('words', DRAWINGS, config\.model_name, \.\.\.\)",
    ),
    (
        stage("draw_words", 'matrix: {model: "${models}"}', 'matrix: {model: "${profiled}"}'),
        *[rf"draw_words: its matrix is .*, that of measure_{noun}" for noun in "peht"],
    ),
    (
        edit(f"{DRAW}/compare/__main__.py", "DRAWINGS, config.pair,", 'DRAWINGS, "compare",'),
        r"expected one call draw_and_save\('compare', DRAWINGS, config\.pair, \.\.\.\)",
    ),
    (
        stage("compare_measures", "pair=${key}", "model=${key}"),
        r"compare_measures: cmd is .*, expected `PYTHONPATH=src \S+ -m \S+ pair=\$\{key\}`",
    ),
    # Rule 3: arguments and settings.
    (
        edit("conf/measure/learned/similarity.yaml", "n_bins:", "pairs:"),
        r"similarity\.yaml: .*measure_similarity\(\).*: lacks n_bins; has unknown pairs\.",
    ),
    (
        edit(SEPARABILITY, "seed: NonNegativeInt,", "seed: NonNegativeInt = 0,"),
        r"separability\.py: an argument of measure_separability\(\) has a default",
    ),
    (
        append("conf/measure/toys/cubes.yaml", "seed: 3"),
        r"toys/cubes\.yaml: .*: has unknown seed\.",
    ),
    # Rule 4: tests.
    (delete(TEST), r"embeddings\.py: expected its test at tests/extract/test_embeddings\.py"),
    (write(TEST, "\n"), r"test_embeddings\.py: expected it to test extract_embeddings\(\)"),
    # Rule 5: outputs.
    (
        stage(CHECKPOINTS, "data/extracted/checkpoints/$", "results/extracted/checkpoints/$"),
        r"results/extracted/checkpoints/\S+ \{cache: false\}`, since results are in git",
        r"the output results/extracted/checkpoints/\S+ is not where it belongs, data/extracted/ch",
        r"writes data/extracted/checkpoints/\{\}\.parquet, which is not among the outs",
    ),
    (
        edit("src/embspace/extract/embeddings.py", "{name}.parquet", "{name}.txt"),
        r"embeddings\.py: expected the path \S+/embeddings/\{name\}\.parquet, spelled out",
        r"embeddings\.py writes data/extracted/embeddings/\{\}\.txt, which is not among the outs",
    ),
    (
        stage("measure_separability", "${item.model}.json: {cache: false}", "${item.model}.json"),
        r"stage measure_separability: expected `results/separability/\S+ \{cache: false\}`",
    ),
    (
        stage("draw_learned", "figures/similarity/${item.model}.md: "),
        r"stage draw_learned: outs lacks figures/similarity/\$\{item\.model\}\.md,",
    ),
    (
        stage("draw_learned", "data/drawn/learned/${item.model}"),
        r"stage draw_learned: outs lacks data/drawn/learned/\$\{item\.model\},",
    ),
    (
        stage("draw_compare", "figures/measures/${key}.png", "figures/compare/${key}.png"),
        r"stage draw_compare: outs lacks figures/measures/\$\{key\}\.png",
        r"the output figures/compare/\S+ is not where it belongs, figures/<noun>/\$\{key\}",
    ),
    (
        edit(f"{DRAW}/page/saving.py", 'f"figures/{noun}/{name}"', '"figures/" + noun'),
        r"saving\.py: expected the path figures/\{\}/\{\}, spelled out",
    ),
    # Rule 6: code.
    lacks("measure_separability", "data/prepared/code/measure_separability.txt"),
    has("measure_separability", "data/prepared/code/measure_similarity.txt", NO_CODE),
    has("measure_separability", "src/embspace/errors.py", NO_CODE),
    (stage("prepare_code", "- src"), r"stage prepare_code: deps lacks src"),
    (
        append("src/embspace/errors.py", 'import importlib\n\nimportlib.import_module("json")'),
        r"errors\.py: calls import_module in line \d+; expected an import that `prepare_code`",
    ),
    # Rule 7: files that are read.
    lacks(CHECKPOINTS, "data/trained/${item.train}"),
    lacks("extract_hidden_states", "data/prepared/model/${item.model}.json"),
    has(CHECKPOINTS, "data/prepared/model/${item.train}.json"),
    lacks("prepare_model", "models.lock"),
    (
        *lacks("prepare_texts", "data/texts"),
        *[rf"prepare_texts: deps lacks data/texts/{name}" for name in ("a", "m", "p", "r", "w")],
    ),
    lacks("prepare_training_texts", "data/published/NC_045512.2.fasta"),
    lacks("prepare_texts", "data/published/sars_cov_2_lineages.csv"),
    lacks("draw_learned", "results/separability/${item.model}.json"),
    (
        stage("draw_toys", "cubes/curve/toy.csv", "cubes/curve/minilm.csv"),
        r"stage draw_toys: deps lacks results/cubes/curve/toy\.csv",
        r"stage draw_toys: deps has results/cubes/curve/minilm\.csv, which \S+ does not read",
    ),
    lacks("draw_compare", "results/measures/${key}.csv"),
    has(CHECKPOINTS, "data/texts"),
    # Rule 8: params.
    lacks_param("extract_stimuli", "seed", r": extract_stimuli\(\) takes it"),
    lacks_param("extract_stimuli", "conf/extract/stimuli.yaml:"),
    lacks_param("draw_words", "conf/draw/words/probing.yaml:"),
    lacks_param("draw_words", "conf/model/${item.model}.yaml:"),
    (
        stage("prepare_stimuli", "stimuli.yaml:\n", "stimuli.yaml: [least_words]\n"),
        r"params has some keys of conf/prepare/stimuli\.yaml; expected all",
    ),
    has(CHECKPOINTS, "conf/draw/learned/similarity.yaml:", section="params"),
    lacks("extract_embeddings", "conf/extract/embeddings.yaml"),
    has("extract_embeddings", "conf/extract/embeddings.yaml:", ", which has no keys", "params"),
    has("extract_hidden_states", "device", "; expected it nowhere", section="params"),
    has("extract_embeddings", "seed", section="params"),
    # Rule 9: leftovers.
    (write("conf/measure/words/gone.yaml", "{}\n"), r"words/gone\.yaml: belongs to nothing"),
    (write(f"{MEASURE}/words/gone.py", "\n"), r"words/gone\.py: belongs to nothing"),
    (write("src/embspace/verify/gone.py", "\n"), r"verify/gone\.py: belongs to nothing"),
    (write("tests/measure/words/test_gone.py", ""), r"words/test_gone\.py: tests nothing"),
    (write("results/gone/minilm.csv", ""), r"results/gone/: belongs to nothing"),
    (write("figures/similarity/minilm.svg", ""), r"minilm\.svg: belongs to nothing"),
    (
        edit("params.yaml", "models:\n", "models:\n  - word2vec\n"),
        r"params\.yaml: models has word2vec; expected a file conf/model/word2vec\.yaml",
    ),
    # Rules 10 and 11: the list of analyses and figures.
    (
        edit("docs/analyses.md", "| `similarity` |"),
        r"docs/analyses\.md: expected a table row of measure_similarity",
    ),
    (
        edit(f"{DRAW}/learned/separability.py", '"measure_separability"', '"measure_similarity"'),
        r'draw/learned/separability\.py: expected stage="measure_separability"',
    ),
    (
        edit(f"{DRAW}/page/saving.py", 'title=f"{stage_of(figure)}@{name}"', 'title=f"@{name}"'),
        r'saving\.py: expected save_figure\(\.\.\., title=f"\{stage_of\(figure\)\}',
    ),
    # Rule 12: who imports whom.
    imports(CUBES, "embspace.measure.learned.similarity", "toys and tables and layers"),
    imports(f"{TABLES}/nulls.py", "embspace.measure.layers.layer_batches", "tables"),
    (
        append(f"{DRAW}/toys/cubes.py", "from embspace.draw.words import probing"),
        r"toys/cubes\.py: imports embspace\.draw\.words; expected",
        r"toys/cubes\.py: imports embspace\.draw\.words\.probing; .* only toys and page",
    ),
    imports(f"{DRAW}/toys/cubes.py", "embspace.measure.tables.nulls", "draw"),
    imports("src/embspace/geometry/maps/lines.py", "embspace.errors", "geometry"),
    # Rule 13: sizes.
    (
        both(*(write(f"{TABLES}/new_{i}.py", "\n") for i in range(20))),
        *[rf"new_{i}\.py: belongs" for i in sorted(range(20), key=str)],
        r"measure/tables/: has \d+ modules; expected at most 20",
    ),
    (
        write("src/embspace/new.py", "\n"),
        r"embspace/new\.py: belongs to nothing",
        r"src/embspace/: has 4 modules; expected at most 3",
    ),
    (append(TOYS, "#\n" * 300), r"toys/dvc\.yaml: has \d+ lines; expected at most 300"),
    (append("dvc.yaml", "#\n" * 9), r"^dvc\.yaml: has \d+ lines; expected at most 200"),
    (append(CUBES, LONG), r"cubes\.py: long\(\) has 51 lines; expected at most 50"),
    (
        edit("conf/measure/toys/cubes.yaml", ": ", ": ${seed} # "),
        r"cubes\.yaml: has \$\{\.\.\.\}; DVC reads the file alone",
    ),
    (
        both(append(CUBES, "Nowhere = list[int]"), append(SEPARABILITY, "Nowhere = list[float]")),
        r"Nowhere: is a type in \S+separability\.py, \S+cubes\.py; expected one that",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("broken", BREAKS, ids=[expected for _, expected, *_ in BREAKS])
def test_a_break_is_noticed_and_nothing_else(
    broken: tuple[Any, ...], copy: Path, known: list[str]
) -> None:
    break_it, *expected = broken
    break_it(copy)
    noticed = [sentence for sentence in problems(copy) if sentence not in known]
    assert len(noticed) == len(expected), "\n".join(noticed)
    for sentence, pattern in zip(noticed, expected, strict=True):
        assert re.search(pattern, sentence), sentence


def test_an_import_for_the_type_checker_crosses_no_border(copy: Path, known: list[str]) -> None:
    pool = "if TYPE_CHECKING:\n    from embspace.measure.toys.cubes import Cubes"
    append(SEPARABILITY, pool)(copy)
    assert problems(copy) == known
