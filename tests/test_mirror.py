"""Holds the project to its mirror, and the mirror to the breaks that it should notice."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mirror import problems

Break = Callable[[Path], None]
FOLDERS = ("conf", "src", "tests")
FILES = ("dvc.yaml", "params.yaml", "README.md")
LISTED = ("results", "figures")  # what their files hold is of no interest


def test_every_name_stands_in_its_eight_places(root: Path) -> None:
    found = problems(root)
    assert not found, "\n" + "\n".join(found)


@pytest.fixture(scope="module")
def whole(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the mirror sees of the project; treat it as read-only."""
    target = tmp_path_factory.mktemp("mirror")
    for name in FOLDERS:
        shutil.copytree(root / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(root / name, target / name)
    for name in LISTED:
        for file in (root / name).rglob("*.*"):
            written(file.relative_to(root).as_posix(), "")(target)
    return target


@pytest.fixture(scope="module")
def known(whole: Path) -> list[str]:
    """What is wrong before anything is broken."""
    return problems(whole)


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """The project, to be broken."""
    return shutil.copytree(whole, tmp_path, dirs_exist_ok=True)


def edited(file: str, old: str, new: str, *, after: str = "") -> Break:
    """The first `old` that stands after `after` becomes `new`."""

    def edit(root: Path) -> None:
        before, mark, rest = (root / file).read_text().partition(after or "\n")
        assert old in rest, f"{file} holds no {old!r} after {after!r}"
        (root / file).write_text(before + mark + rest.replace(old, new, 1))

    return edit


def in_stage(stage: str, old: str, new: str = "") -> Break:
    """Something of a stage in dvc.yaml becomes something else; without `new`, a line goes."""
    return edited("dvc.yaml", *((old, new) if new else (f"{old}\n", "\n")), after=f"\n  {stage}:")


def written(file: str, text: str) -> Break:
    def write(root: Path) -> None:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)

    return write


def deleted(file: str) -> Break:
    return lambda root: (root / file).unlink()


def stage_deleted(stage: str) -> Break:
    def delete(root: Path) -> None:
        before, mark, rest = (root / "dvc.yaml").read_text().partition(f"\n  {stage}:")
        assert mark, f"dvc.yaml has no stage {stage}"
        following = re.search(r"\n  \w+:", rest)
        (root / "dvc.yaml").write_text(before + (rest[following.start() :] if following else "\n"))

    return delete


def readme_row_deleted(root: Path) -> None:
    lines = (root / "README.md").read_text().splitlines()
    kept = [line for line in lines if not ("`similarity`" in line and "figures/similarity" in line)]
    assert kept != lines, "README.md holds no row of `similarity`"
    (root / "README.md").write_text("\n".join(kept))


def output_moved(root: Path) -> None:
    """Its old folder goes too, as it would in git."""
    old, new = "results/similarity/pairs/${", "data/similarity/pairs/${"
    in_stage("measure_similarity", old, new)(root)
    shutil.rmtree(root / "results/similarity/pairs", ignore_errors=True)


SEPARABILITY = "src/embspace/measure/learned/separability.py"
DRAW = "src/embspace/draw/__main__.py"
DRAWS = "src/embspace/draw/page/saving.py"
TOYS = "src/embspace/draw/toys.py"
COMPARE = "src/embspace/draw/compare.py"
CUBES = "src/embspace/measure/toys/cubes.py"
EMBEDDINGS_TEST = "tests/extract/test_embeddings.py"

# What is broken, and all that the mirror then says, as regular expressions.
BREAKS: dict[str, tuple[Break, *tuple[str, ...]]] = {
    # Rule 1: stage, module, function, command.
    "stage renamed": (
        edited("dvc.yaml", "\n  measure_similarity:", "\n  measure_alikeness:"),
        r"stage measure_alikeness: expected the module src/embspace/measure/alikeness\.py",
        r"measure/similarity\.py: defines measure_similarity\(\), but dvc\.yaml has no stage",
    ),
    "stage of an unknown verb": (
        edited("dvc.yaml", "\nstages:", "\nstages:\n  inspect_pairs: {cmd: 'true'}"),
        r"stage inspect_pairs: expected the name <verb>_<noun>",
    ),
    "command of another stage": (
        in_stage(
            "measure_similarity",
            "embspace.measure.learned.similarity",
            "embspace.measure.tables.summary",
        ),
        r"stage measure_similarity: cmd is .*expected `python -m embspace\.measure\.similarity ",
    ),
    "command without the corpus": (
        in_stage("extract_hidden_states", " corpus=${item.corpus}"),
        r"stage extract_hidden_states: cmd is .*corpus=\$\{item\.corpus\}`",
    ),
    "settings group that the matrix lacks": (
        edited(SEPARABILITY, "ity)", 'ity, groups=("corpus",))', after="__main__"),
        r"separability\.py: run_stage picks a file of conf/ for corpus, but the matrix .*has model",
    ),
    "drawing that draw does not know": (
        edited(DRAW, '"separability": separability.draw_separability,', "", after="DRAWINGS"),
        r"__main__\.py: expected DRAWINGS to have 'separability': separability\.draw_separability",
    ),
    # Rule 2: arguments and settings.
    "setting renamed": (
        edited("conf/measure/learned/similarity.yaml", "n_pairs:", "pairs:"),
        r"similarity\.yaml: .*measure_similarity\(\).*: lacks n_pairs; has unknown pairs\.",
    ),
    "argument with a default": (
        edited(SEPARABILITY, "seed: NonNegativeInt,", "seed: NonNegativeInt = 0,"),
        r"separability\.py: the argument seed of measure_separability\(\) has a default",
    ),
    # Rule 3: tests.
    "test deleted": (
        deleted(EMBEDDINGS_TEST),
        r"extract/embeddings\.py: expected its test at tests/extract/test_embeddings\.py",
    ),
    "test of something else": (
        written(EMBEDDINGS_TEST, "def test_nothing(): ...\n"),
        r"test_embeddings\.py: expected it to test extract_embeddings\(\)",
    ),
    # Rule 4: outputs.
    "output moved": (
        output_moved,
        r"data/similarity/pairs/\S+: \{cache|data/similarity/pairs/\S+ has `cache: false`",
        r"the output data/similarity/pairs/\S+ is not where it belongs, results/similarity/",
        r"similarity\.py writes results/similarity/pairs/\{\}\.csv, which is not among the outs",
    ),
    "output renamed in the module alone": (
        edited(SEPARABILITY, "separability/{name}.json", "separability/{name}.txt"),
        r'separability\.py: expected the path f"results/separability/\{name\}\.json"',
        r"separability\.py writes results/separability/\{\}\.txt, which is not among the outs",
    ),
    "result in the cache": (
        in_stage(
            "measure_separability", "${item.model}.json: {cache: false}", "${item.model}.json"
        ),
        r"stage measure_separability: expected `results/separability/\S+ \{cache: false\}`",
    ),
    "figure that is no output": (
        in_stage("draw", "      - figures/separability/${item.model}: {cache: false}"),
        r"stage draw: outs lacks figures/separability/\$\{item\.model\},",
        r"figures/separability/minilm/: belongs to nothing",
    ),
    # Rule 5: imports and files that are read.
    "dep removed": (
        in_stage("measure_similarity", "      - src/embspace/errors.py"),
        r"stage measure_similarity: deps lacks src/embspace/errors\.py, which \S+ imports",
    ),
    "dep that is not imported": (
        in_stage(
            "measure_separability", "    deps:", "    deps:\n      - src/embspace/spaces/pooling.py"
        ),
        r"stage measure_separability: deps has src/embspace/pooling\.py, .* imports nowhere",
    ),
    "dep too wide": (
        in_stage("measure_separability", "src/embspace/files/tensors.py", "src/embspace/files"),
        r"measure_separability: the dep src/embspace/files is too wide; .*/tensors\.py\.",
    ),
    "import inside a function": (
        edited(SEPARABILITY, "    rows = []", "    rows = []\n    import embspace.spaces.pooling"),
        r"stage measure_separability: deps lacks src/embspace/pooling\.py",
    ),
    "name of a package that loads its names on demand": (
        edited(
            SEPARABILITY, "    rows = []", "    rows = []\n    from embspace.geometry import bm25"
        ),
        r"stage measure_separability: deps lacks src/embspace/geometry/retrieval\.py",
    ),
    "data that is read but no dep": (
        in_stage("measure_similarity", "      - data/extracted/embeddings/${item.model}.parquet"),
        r"stage measure_similarity: deps lacks data/extracted/embeddings/\{\}\.parquet",
    ),
    "model that is read, but whose pin is no dep": (
        in_stage("measure_evolution", "      - data/prepared/model/${item.model}.json"),
        r"stage measure_evolution: deps lacks data/prepared/model/\{\}\.json, which \S+ reads",
    ),
    "pin of a model that is not read": (
        in_stage(
            "measure_similarity",
            "    deps:",
            "    deps:\n      - data/prepared/model/${item.model}.json",
        ),
        r"stage measure_similarity: deps has data/prepared/model/\S+, which \S+ does not read",
    ),
    "lock that is no dep": (
        in_stage("prepare_model", "      - models.lock"),
        r"stage prepare_model: deps lacks models\.lock, which src/embspace/prepare/model\.py reads",
    ),
    "texts that are no dep": (
        in_stage("prepare_texts", "      - data/texts"),
        r"stage prepare_texts: deps lacks data/texts, which \S+ reads",
        r"stage prepare_texts: deps lacks data/texts/articles\.jsonl, which \S+ reads",
        r"stage prepare_texts: deps lacks data/texts/model_card\.jsonl",
        r"stage prepare_texts: deps lacks data/texts/posts\.jsonl",
        r"stage prepare_texts: deps lacks data/texts/reviews\.jsonl",
        r"stage prepare_texts: deps lacks data/texts/wikipedia_pages\.csv",
    ),
    "texts of a setting that are no dep": (
        in_stage("measure_pretraining_dynamics", "      - data/prepared/texts/${corpus}.parquet"),
        r"pretraining_dynamics: deps lacks data/prepared/texts/\{\}\.parquet, which \S+ reads",
    ),
    "result that is drawn but no dep": (
        in_stage("draw", "      - results/separability/${item.model}.json"),
        r"stage draw: deps lacks results/separability/\{\}\.json",
    ),
    "data that nobody reads": (
        in_stage("measure_separability", "    deps:", "    deps:\n      - data/texts"),
        r"stage measure_separability: deps has data/texts, which \S+ does not read",
    ),
    # Rule 6: params.
    "seed not in params": (
        in_stage("measure_separability", "      - seed"),
        r"params lacks `- seed`: measure_separability\(\) takes it",
    ),
    "corpora not in params": (
        in_stage("measure_sentence_similarity", "      - corpora"),
        r"params lacks `- corpora`: src/embspace/measure/sentence_similarity\.py reads it",
    ),
    "own settings not in params": (
        in_stage("measure_similarity", "      - conf/measure/learned/similarity.yaml:"),
        r"measure_similarity: params lacks `- conf/measure/similarity\.yaml:`",
    ),
    "model not in params": (
        in_stage("draw", "      - conf/model/${item.model}.yaml:"),
        r"stage draw: params lacks `- conf/model/\$\{item\.model\}\.yaml:`",
    ),
    "some settings in params": (
        in_stage("measure_similarity", "similarity.yaml:\n", "similarity.yaml: [n_bins]\n"),
        r"measure_similarity: params has some keys of conf/measure/similarity\.yaml",
    ),
    "settings of another noun in params": (
        in_stage(
            "measure_similarity", "params:", "params:\n      - conf/draw/learned/similarity.yaml:"
        ),
        r"measure_similarity: params has conf/draw/similarity\.yaml, .* does not read",
    ),
    "device in params": (
        in_stage("extract_hidden_states", "    params:", "    params:\n      - device"),
        r"stage extract_hidden_states: params has device; expected it nowhere",
    ),
    "seed in params without need": (
        in_stage("measure_similarity", "    params:", "    params:\n      - seed"),
        r"stage measure_similarity: params has seed, which neither",
    ),
    # Rule 7: leftovers.
    "settings left over": (
        written("conf/measure/isotropy.yaml", "{}\n"),
        r"conf/measure/isotropy\.yaml: belongs to nothing",
    ),
    "module left over": (
        written("src/embspace/measure/isotropy.py", '"""Once a stage."""\n'),
        r"src/embspace/measure/isotropy\.py: belongs to nothing",
    ),
    "test left over": (
        written("tests/measure/test_isotropy.py", ""),
        r"tests/measure/test_isotropy\.py: tests nothing",
    ),
    "results left over": (
        written("results/isotropy/minilm.csv", ""),
        r"results/isotropy/: belongs to nothing",
    ),
    "model without a file": (
        edited("params.yaml", "models:\n", "models:\n  - word2vec\n"),
        r"params\.yaml: models has word2vec; expected a file conf/model/word2vec\.yaml",
    ),
    "figure outside of its folder": (
        written("figures/similarity/minilm.svg", "x"),
        r"figures/similarity/minilm\.svg: belongs to nothing",
    ),
    # Rule 8: README.
    "row of the README deleted": (
        readme_row_deleted,
        r"README\.md: expected a table row of measure_similarity",
    ),
    # Rule 9: figures.
    "title that names no stage": (
        edited(DRAWS, 'title=f"{stage_of(figure)}{item}"', 'title=f"{noun}{item}"'),
        r'results\.py: expected save_figure\(\.\.\., title=f"\{stage_of\(figure\)\}@\{name\}"\)',
    ),
    "figure that names another stage": (
        edited(
            "src/embspace/draw/learned/similarity.py",
            '"measure_similarity"',
            '"measure_separability"',
        ),
        r'draw/similarity\.py: expected stage="measure_similarity"',
    ),
    # Toys: what is measured without a model is named `toy`, and drawn by a stage of its own.
    "stage of toys gone": (
        stage_deleted("draw_toys"),
        r"expected a stage draw_toys, which draws cubes, estimators, grammar, hopf_link\.",
        r"src/embspace/draw/toys\.py: belongs to nothing",
        r"figures/cubes/: belongs to nothing",
        r"figures/cubes/toy/: belongs to nothing",
        r"figures/estimators/: belongs to nothing",
        r"figures/estimators/toy/: belongs to nothing",
        r"figures/grammar/: belongs to nothing",
        r"figures/grammar/toy/: belongs to nothing",
        r"figures/hopf_link/: belongs to nothing",
        r"figures/hopf_link/toy/: belongs to nothing",
    ),
    "stage of published trainings gone": (
        stage_deleted("draw_checkpointed"),
        r"expected a stage draw_checkpointed, which draws pretraining_dynamics\.",
        r"src/embspace/draw/checkpointed\.py: belongs to nothing",
    ),
    "command of toys with a model": (
        in_stage("draw_toys", "embspace.draw.toys", "embspace.draw.toys model=minilm"),
        r"stage draw_toys: cmd is .*expected `python -m embspace\.draw\.toys`",
    ),
    "toy that its stage does not know": (
        edited(TOYS, '"cubes": cubes.draw_cubes,', "", after="DRAWINGS"),
        r"toys\.py: expected DRAWINGS to have 'cubes': cubes\.draw_cubes",
    ),
    "toy without its results": (
        edited(TOYS, '"cubes": cubes.RESULTS,', "", after="RESULTS"),
        r"toys\.py: expected RESULTS to have 'cubes': cubes\.RESULTS",
    ),
    "toy among the drawings of a model": (
        edited(DRAW, '"umap": umap.draw_umap,', '"umap": umap.draw_umap, "cubes": umap.draw_umap,'),
        r"__main__\.py: DRAWINGS has 'cubes', but no .* of a model",
    ),
    "drawing of a model among the toys": (
        edited(TOYS, "{", '{\n    "umap": cubes.draw_cubes,', after="DRAWINGS"),
        r"toys\.py: DRAWINGS has 'umap', but no .* of no model",
    ),
    "toys saved under another name": (
        edited(TOYS, '"toy"', '"toys"', after="draw_and_save("),
        r"toys\.py: expected one call draw_and_save\(DRAWINGS, RESULTS, 'toy', \.\.\.\)",
    ),
    "models saved under one name": (
        edited(DRAW, "config.model_name", '"toy"', after="draw_and_save("),
        r"__main__\.py: expected one call draw_and_save\(DRAWINGS, RESULTS, config\.model_name",
    ),
    "settings of a toy with a model": (
        edited(CUBES, "groups=()", 'groups=("model",)'),
        r"cubes\.py: run_stage picks a file of conf/ for model, but the matrix .* has none",
    ),
    "output of a toy under the name of a model": (
        in_stage("measure_cubes", "curve/toy.csv", "curve/minilm.csv"),
        r"the output results/cubes/curve/minilm\.csv is not where it belongs, .*\]toy\.",
        r"cubes\.py writes results/cubes/curve/toy\.csv, which is not among the outs",
    ),
    "output of a model under the name of toys": (
        in_stage(
            "measure_separability", "separability/${item.model}.json", "separability/toy.json"
        ),
        r"the output results/separability/toy\.json is not where it belongs, .*<model>",
    ),
    "output of a toy not spelled out": (
        edited(CUBES, '"results/cubes/curve/toy.csv"', 'f"results/cubes/curve/{main}.csv"'),
        r'cubes\.py: expected the path "results/cubes/curve/toy\.csv", an output',
        r"cubes\.py writes results/cubes/curve/\{\}\.csv, which is not among the outs",
    ),
    "figure of a toy that is no output": (
        in_stage("draw_toys", "      - figures/cubes/toy: {cache: false}"),
        r"stage draw_toys: outs lacks figures/cubes/toy,",
        r"figures/cubes/toy/: belongs to nothing",
    ),
    "figure of a toy for a model": (
        in_stage("draw", "    outs:", "    outs:\n      - figures/cubes/toy: {cache: false}"),
        r"stage draw: the output figures/cubes/toy is not where it belongs",
    ),
    "result of a toy that is drawn but no dep": (
        in_stage("draw_toys", "      - results/cubes/curve/toy.csv"),
        r"stage draw_toys: deps lacks results/cubes/curve/toy\.csv",
    ),
    "result of a model among those of toys": (
        in_stage("draw_toys", "cubes/curve/toy.csv", "cubes/curve/minilm.csv"),
        r"stage draw_toys: deps lacks results/cubes/curve/toy\.csv",
        r"stage draw_toys: deps has results/cubes/curve/minilm\.csv, which \S+ does not read",
    ),
    "result of a toy among those of a model": (
        in_stage("draw", "    deps:", "    deps:\n      - results/cubes/curve/toy.csv"),
        r"stage draw: deps has results/cubes/curve/toy\.csv, which \S+ does not read",
    ),
    "all drawings a dep of toys": (
        in_stage("draw_toys", "src/embspace/draw/toys/cubes.py", "src/embspace/draw"),
        r"stage draw_toys: the dep src/embspace/draw is too wide",
    ),
    "style that is no dep": (
        in_stage("draw_toys", "      - src/embspace/draw/embspace.mplstyle"),
        r"stage draw_toys: deps lacks src/embspace/draw/embspace\.mplstyle, which \S+ opens",
    ),
    "settings of a toy's drawing not in params": (
        in_stage("draw_toys", "      - conf/draw/toys/cubes.yaml:"),
        r"stage draw_toys: params lacks `- conf/draw/cubes\.yaml:`",
    ),
    "settings of a toy's drawing in those of a model": (
        in_stage("draw", "    params:", "    params:\n      - conf/draw/toys/cubes.yaml:"),
        r"stage draw: params has conf/draw/cubes\.yaml, .* does not read",
    ),
    # What compares models, and the stage that draws it.
    "settings that name another file": (
        edited("conf/compare/measures.yaml", "results/positions/profiles/", "results/positions/x/"),
        r"stage compare_measures: deps lacks results/positions/x/\{\}\.csv, which \S+ reads",
        r"stage compare_measures: deps has results/positions/profiles, which \S+ does not read",
    ),
    "file of halves that no settings name": (
        edited("conf/compare/measures.yaml", "data/measured/probing/{}.parquet", "null"),
        r"stage compare_measures: deps has data/measured/probing, which \S+ does not read",
    ),
    "stage of comparisons gone": (
        stage_deleted("draw_compare"),
        r"dvc\.yaml: expected a stage draw_compare, which draws alignment, measures, voca",
        r"src/embspace/draw/compare\.py: belongs to nothing",
        r"figures/compare/: belongs to nothing",
        *(rf"figures/compare/{noun}\w*/: belongs" for noun in ("alignment", "measures", "voca")),
    ),
    "comparison saved otherwise": (
        edited(COMPARE, "(DRAWINGS", "(RESULTS", after="def main"),
        r"draw/compare\.py: expected one call draw_compared_and_save\(DRAWINGS, RESULTS, \.\.\.\)",
    ),
    "comparison with a model of its own": (
        in_stage("compare_alignment", "compare/alignment.csv", "alignment/minilm.csv"),
        r"stage compare_alignment: the output results/alignment/minilm\.csv is not where",
        r"stage compare_alignment: \S+/alignment\.py writes results/compare/alignment\.csv, which",
    ),
    "figure of a comparison under a model's name": (
        in_stage("draw_compare", "figures/compare/measures.png", "figures/measures/minilm.png"),
        r"stage draw_compare: outs lacks figures/compare/measures\.png",
        r"stage draw_compare: the output figures/measures/minilm\.png is not where it belongs",
    ),
    "result of a comparison not drawn": (
        in_stage("draw_compare", "      - results/compare/measures.csv"),
        r"stage draw_compare: deps lacks results/compare/measures\.csv",
    ),
    "models not in params": (
        in_stage("compare_vocabularies", "      - models"),
        r"stage compare_vocabularies: params lacks `- models`",
    ),
    "settings of all toys together": (
        written("conf/draw/toys.yaml", "{}\n"),
        r"conf/draw/toys\.yaml: belongs to nothing",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_break_is_noticed_and_nothing_else(name: str, copy: Path, known: list[str]) -> None:
    break_it, *expected = BREAKS[name]
    break_it(copy)
    found = [sentence for sentence in problems(copy) if sentence not in known]
    assert len(found) == len(expected), "\n".join(found)
    for sentence, pattern in zip(found, expected, strict=True):
        assert re.search(pattern, sentence), sentence


def test_an_import_for_the_type_checker_is_no_dep(copy: Path, known: list[str]) -> None:
    pool = "\nif TYPE_CHECKING:\n    from embspace.spaces.pooling import pool\n"
    edited(SEPARABILITY, "\nVectors", f"{pool}\nVectors")(copy)
    assert problems(copy) == known
