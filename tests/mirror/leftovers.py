"""Rules 7 to 9: nothing is left over, and a reader finds the way from a figure."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.mirror.imports import dotted_path, importers_of
from tests.mirror.paths import blanked
from tests.mirror.source import calls_of, strings_in
from tests.mirror.tree import (
    COMPARE,
    DESCRIPTIONS,
    DRAW,
    DRAWN_APIECE,
    DRAWS,
    VERBS,
    Name,
    Tree,
)

# Rule 7: no file and no folder is left over from something that is gone.


def nothing_is_left_over(tree: Tree) -> Iterator[str]:
    yield from _settings_left_over(tree)
    yield from _modules_left_over(tree)
    yield from _tests_left_over(tree)
    yield from _folders_left_over(tree)
    yield from _figures_left_over(tree)
    for folder, key in DESCRIPTIONS.items():
        for name in tree.yaml("params.yaml").get(key) or []:
            if not tree.has(f"conf/{folder}/{name}.yaml"):
                yield f"params.yaml: {key} has {name}; expected a file conf/{folder}/{name}.yaml."


def _settings_left_over(tree: Tree) -> Iterator[str]:
    expected = {name.conf for name in tree.names if not name.draws_all}
    for path in tree.glob("conf/*/*"):
        folder = path.split("/")[1]
        if folder not in DESCRIPTIONS and path not in expected:
            wanted = f"src/embspace/{folder}/{Path(path).stem}.py"
            yield f"{path}: belongs to nothing; expected a stage and {wanted}, or no such file."


def _modules_left_over(tree: Tree) -> Iterator[str]:
    stages = {name.module for name in tree.names}
    imported = set()
    for path in stages & set(tree.modules.values()):
        imported |= {tree.modules[name] for name in importers_of(tree, dotted_path(path))}
    for path in tree.modules.values():
        verb, stem = Path(path).parts[-2], Path(path).stem
        if verb in VERBS and stem != "__init__" and path not in stages | imported:
            yield f"{path}: belongs to nothing; expected {verb}_{stem}(), or a stage to import it."


def _tests_left_over(tree: Tree) -> Iterator[str]:
    for verb in VERBS:
        for path in tree.glob(f"tests/{verb}/test_*.py"):
            tested = f"src/embspace/{verb}/{Path(path).stem.removeprefix('test_')}.py"
            # `main` tests __main__.
            if not tree.has(tested) and not tree.has(tested.replace("/main.py", "/__main__.py")):
                yield f"{path}: tests nothing; expected {tested}."


def _folders_left_over(tree: Tree) -> Iterator[str]:
    outs = [blanked(out).split("/") for stage in tree.stages for out in stage.outs]
    files = [*tree.glob("results/**/*.*"), *tree.glob("figures/**/*.*")]
    for path in sorted({Path(file).parent.as_posix() for file in files}):
        parts = path.split("/")
        if not any(all(a in (b, "{}") for a, b in zip(out, parts, strict=False)) for out in outs):
            yield f"{path}/: belongs to nothing; expected a stage in dvc.yaml with an output there."


def _figures_left_over(tree: Tree) -> Iterator[str]:
    files = (path for path in tree.glob("figures/**/*.*") if (tree.root / path).is_file())
    for path in files:
        _, folder, name, *rest = Path(path).parts
        noun = name if folder == COMPARE else folder
        apiece = [[f"{noun}.{suffix}"] for suffix in DRAWN_APIECE]
        if rest not in apiece and (rest or not name.endswith(".png")):
            expected = f"<model>.png and <model>/{noun}.{{{','.join(DRAWN_APIECE)}}}"
            yield f"{path}: belongs to nothing; expected figures/{folder}/{expected}."


# Rule 8: whoever has a question finds the figure and the name.


def readme_has_a_row_for_each_measure(tree: Tree) -> Iterator[str]:
    if not tree.has("README.md"):
        yield "README.md: does not exist; expected a table, | question | figure | `noun` |."
        return
    rows = [line for line in tree.text("README.md").splitlines() if line.lstrip().startswith("|")]
    for name in _measured(tree):
        noun = name.noun
        figures = f"figures/{COMPARE}/{noun}." if name.verb == COMPARE else f"figures/{noun}/"
        if not any(f"`{noun}`" in row and figures in row for row in rows):
            yield (
                f"README.md: expected a table row of {name}: a question, a link to "
                f"{figures} and the noun, `{noun}`."
            )


# Rule 9: every measurement is drawn, and whoever has only the figure's file finds its stage.


def figures_name_their_stage(tree: Tree) -> Iterator[str]:
    drawn = {name.noun: name for name in tree.drawings}
    for name in _measured(tree):
        if name.noun not in drawn:
            yield f"{DRAW}/{name.noun}.py: expected draw_{name.noun}(), the figure of {name}."
    for noun, name in drawn.items():
        stages = [f"{verb}_{noun}" for verb in VERBS[:-2] if Name(verb, noun) in tree.names]
        if not stages:
            yield f"{name.module}: draws what no stage measures; expected measure_{noun}."
        elif not set(stages) & set(strings_in(tree.module(name.module))):
            yield f'{name.module}: expected stage="{stages[0]}", which stands on the figure.'
    yield from _title_problems(tree)


def _title_problems(tree: Tree) -> Iterator[str]:
    if not tree.has(DRAWS):
        yield f"{DRAWS}: does not exist; expected draw_and_save(), which saves all figures."
        return
    titles = [
        ast.unparse(keyword.value)
        for call in calls_of(tree.module(DRAWS), "save_figure")
        for keyword in call.keywords
        if keyword.arg == "title"
    ]
    if not titles or not all("stage_of(figure)" in title for title in titles):
        yield f'{DRAWS}: expected save_figure(..., title=f"{{stage_of(figure)}}@{{name}}").'


def _measured(tree: Tree) -> list[Name]:
    """What is measured for people; what only other stages read lies under data/ alone."""
    published = (any(out.startswith("results/") for out in stage.outs) for stage in tree.stages)
    inner = {
        stage.name for stage, is_read in zip(tree.stages, published, strict=True) if not is_read
    }
    verbs = ("measure", "project", COMPARE)
    return [name for name in tree.functions if name.verb in verbs and name not in inner]
