"""Rules 9 to 11: nothing is left over, and a reader finds the way from a figure."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.mirror.names import SAVING
from tests.mirror.paths import blanked
from tests.mirror.source import calls_of, strings_in
from tests.mirror.tree import DESCRIPTIONS, GRAPH, MAKERS, Stage, Tree

IN_GIT = (".md", ".png")  # of a figure

# Rule 9: no file and no folder is left over from something that is gone.


def nothing_is_left_over(tree: Tree) -> Iterator[str]:
    yield from _settings_left_over(tree)
    yield from _modules_left_over(tree)
    yield from _tests_left_over(tree)
    yield from _folders_left_over(tree)
    yield from _figures_left_over(tree)


def _settings_left_over(tree: Tree) -> Iterator[str]:
    expected = {function.conf for function in tree.functions.values()}
    for path in tree.glob("conf/*/**/*.*"):
        if path.split("/")[1] not in DESCRIPTIONS and path not in expected:
            yield f"{path}: belongs to nothing; expected a function with these settings."
    for folder, key in DESCRIPTIONS.items():
        for name in tree.yaml("params.yaml").get(key) or []:
            if not tree.has(f"conf/{folder}/{name}.yaml"):
                yield f"params.yaml: {key} has {name}; expected a file conf/{folder}/{name}.yaml."


def _modules_left_over(tree: Tree) -> Iterator[str]:
    """Yield what is reached neither from a stage nor from what a person calls."""
    stages = {stage.module for stage in tree.runnable}
    called = {path for path in tree.modules.values() if path.startswith("src/embspace/app/")}
    stubs = tree.glob("src/embspace/**/__init__.pyi")
    reached = tree.closure(*stages, *tree.functions, *called, *stubs, GRAPH)
    for path in tree.modules.values():
        if path not in reached and Path(path).stem != "__init__":
            yield f"{path}: belongs to nothing; expected a stage, or a module that imports it."


def _tests_left_over(tree: Tree) -> Iterator[str]:
    for path in tree.glob("tests/*/**/test_*.py"):
        folder, _, name = path.replace("tests", "src/embspace", 1).rpartition("/")
        stem = name.removeprefix("test_").removesuffix(".py")
        if tree.has("/".join(folder.split("/")[:3])) and not any(
            tree.has(f"{folder}/{name}.py") for name in (stem, f"_{stem}", f"__{stem}__")
        ):
            yield f"{path}: tests nothing; expected {folder}/{stem}.py."


def _folders_left_over(tree: Tree) -> Iterator[str]:
    outs = {tuple(blanked(out).split("/")) for stage in tree.stages for out in stage.outs}
    known = {out[:depth] for out in outs for depth in range(1, len(out) + 1)}
    files = [*tree.glob("results/**/*.*"), *tree.glob("figures/**/*.*")]
    folders = {tuple(Path(file).parent.parts) for file in files}
    for parts in sorted(folders - known):  # few: only these are compared part by part
        if not any(all(a in (b, "{}") for a, b in zip(out, parts, strict=False)) for out in outs):
            yield f"{'/'.join(parts)}/: belongs to nothing; expected a stage with an output there."


def _figures_left_over(tree: Tree) -> Iterator[str]:
    for path in tree.glob("figures/**/*.*"):
        if (tree.root / path).is_file() and (
            path.count("/") > 2 or Path(path).suffix not in IN_GIT
        ):
            yield f"{path}: belongs to nothing; expected figures/<noun>/<model>.{{md,png}}."


# Rule 10: whoever has a question finds the figure and the name.


def the_list_has_a_row_for_each_measure(tree: Tree) -> Iterator[str]:
    rows = [line for line in tree.text("docs/analyses.md").splitlines() if line.startswith("|")]
    for stage in _published(tree):
        figures = f"figures/{stage.noun}/"
        if not any(f"`{stage.noun}`" in row and figures in row for row in rows):
            row = f"`{stage.noun}`, a link to {figures}"
            yield f"docs/analyses.md: expected a table row of {stage.name}: {row}"


# Rule 11: every measurement is drawn, and whoever has only the figure's file finds its stage.


def figures_name_their_stage(tree: Tree) -> Iterator[str]:
    drawings = [function for function in tree.functions.values() if function.verb == "draw"]
    makers = [stage for stage in tree.stages if stage.verb in MAKERS]
    made: dict[str, list[str]] = {}
    for maker in makers:
        made.setdefault(maker.noun, []).append(maker.name)
    for stage in _published(tree):
        if stage.noun not in {drawing.noun for drawing in drawings}:
            place = f"src/embspace/draw/{stage.chapter}/{stage.noun}.py"
            yield f"{place}: expected draw_{stage.noun}(), the figure of {stage.name}."
    for drawing in drawings:
        said = set(strings_in(tree.module(drawing.module)))
        if drawing.noun not in made:
            # A further figure of a measurement has a noun of its own, and names the stage.
            if not said & {stage.name for stage in makers}:
                yield (
                    f"{drawing.module}: draws what no stage makes; expected measure_{drawing.noun}."
                )
            continue
        for name in set(made[drawing.noun]) - said:
            yield f'{drawing.module}: expected stage="{name}", for the figure.'
    for call in calls_of(tree.module(SAVING), "save_figure"):
        titles = [ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "title"]
        if "stage_of(figure)" not in "".join(titles):
            yield f'{SAVING}: expected save_figure(..., title=f"{{stage_of(figure)}}...").'


def _published(tree: Tree) -> list[Stage]:
    """Return what is measured for people; what others read lies under data/."""
    made = (stage for stage in tree.stages if stage.verb in MAKERS)
    return [stage for stage in made if any(out.startswith("results/") for out in stage.outs)]
