"""Rules 1 to 5: a stage, its module, settings, test and outputs share one name and one chapter."""

import ast
import re
from collections.abc import Iterable, Iterator

from tests.mirror.paths import (
    IN_GIT,
    ITEM,
    blanked,
    figure_of,
    gives,
    is_home_of,
    pattern_of,
    places_of,
)
from tests.mirror.source import assigned_to, calls_of, function_named, functions_in, paths_in
from tests.mirror.tree import (
    ALL_RUNS,
    DESCRIPTIONS,
    FROM_PARAMS,
    MAKERS,
    ROOTED,
    TOY,
    VERBS,
    Stage,
    Tree,
)

SAVING = "src/embspace/draw/page/saving.py"  # what all drawing stages call
WDIR = "../.."  # so that all graphs name paths from the root


def listing(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"


# Rule 1: a stage of a graph, a module, a function and a command share one name.


def stages_have_modules(tree: Tree) -> Iterator[str]:
    for stage in tree.stages:
        if stage.verb not in VERBS or not stage.noun:
            yield f"{stage}: expected the name <verb>_<noun> with a verb of {listing(VERBS)}."
            continue
        if (stage.verb in ROOTED) != (not stage.chapter):
            expected = "dvc.yaml" if stage.verb in ROOTED else "pipeline/<chapter>/dvc.yaml"
            yield f"{stage}: expected it in {expected}."
        if stage.entry.get("wdir") != (WDIR if stage.chapter else None):
            yield f"{stage}: expected {f'`wdir: {WDIR}`' if stage.chapter else 'no `wdir`'}."
        if tree.has(stage.module):
            yield from _module_problems(tree, stage)
        else:
            yield f"{stage}: expected the module {stage.module}, which does not exist."
    for function in tree.functions.values():
        if function.verb != "draw" and function.name not in tree.called:
            yield f"{function.module}: defines {function.name}(), but no graph has such a stage."


def _module_problems(tree: Tree, stage: Stage) -> Iterator[str]:
    module = tree.module(stage.module)
    own = [] if stage.draws_chapter else [stage.function]
    for name in own if tree.is_declared(stage.module) else [*own, "main"]:
        if not function_named(module, name):
            yield f"{stage.module}: expected a function {name}(), for the stage {stage.name}."
    takes = "functions_of(DRAWINGS)" if stage.verb == "draw" else stage.function
    call = next(iter(calls_of(module, "run_stage")), None)
    if call is None or [ast.unparse(argument) for argument in call.args[:2]] != ["main", takes]:
        yield f"{stage.module}: expected it to end in run_stage(main, {takes})."
    elif (groups := _groups(call)) != [*stage.matrix]:
        yield (
            f"{stage.module}: run_stage picks a file of conf/ for {listing(groups)}, but the "
            f"matrix of the stage has {listing(stage.matrix)}; expected the same."
        )
    choices = [f"{key}={stage.place_of(key)}" for key in stage.matrix]
    dotted = stage.module.removeprefix("src/").removesuffix(".py").removesuffix("/__main__")
    expected = " ".join(["PYTHONPATH=src python -m", dotted.replace("/", "."), *choices])
    if stage.entry.get("cmd") != expected:
        yield f"{stage}: cmd is `{stage.entry.get('cmd')}`, expected `{expected}`."


def _groups(call: ast.Call) -> list[str]:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    return list(ast.literal_eval(given["groups"])) if "groups" in given else ["model"]


def nouns_have_one_chapter(tree: Tree) -> Iterator[str]:
    chapters: dict[str, dict[str, None]] = {}
    for noun, chapter in [
        *((stage.noun, stage.chapter) for stage in tree.stages if not stage.draws_chapter),
        *((function.noun, function.chapter) for function in tree.functions.values()),
    ]:
        if chapter:
            chapters.setdefault(noun, {})[chapter] = None
    for noun, where in chapters.items():
        if len(where) > 1:
            yield f"{noun}: stands in the chapters {listing(where)}; expected it in one."


# Rule 2: a stage draws all of its chapter that has the same items and no stage of its own.


def drawings_are_drawn(tree: Tree) -> Iterator[str]:
    drawn = {function.name for stage in tree.stages for function in tree.functions_of(stage)}
    for function in tree.functions.values():
        if function.verb == "draw" and function.name not in drawn:
            yield f"{function.module}: expected a stage draw_{function.chapter}, which draws it."
    for stage in tree.runnable:
        if stage.verb == "draw":
            yield from _drawing_problems(tree, stage)
            yield from _item_problems(tree, stage)


def _drawing_problems(tree: Tree, stage: Stage) -> Iterator[str]:
    module = tree.module(stage.module)
    functions = sorted(tree.functions_of(stage), key=lambda function: function.noun)
    nouns = [function.noun for function in functions]
    drawings = assigned_to(module, "DRAWINGS")
    written = ast.unparse(drawings) if drawings else "none"
    if not stage.draws_chapter:
        is_declared = assigned_to(module, "RESULTS") is None
        made, given = ("drawing_of", "TABLES") if is_declared else ("Drawing", "RESULTS")
        given += ", FURTHER_RESULTS" if assigned_to(module, "FURTHER_RESULTS") else ""
        expected = f"{{'{stage.noun}': {made}({stage.name}, {given})}}"
    else:
        expected = f"drawings_of({', '.join(nouns)})"
        written = _sorted_call(drawings) if drawings else written
    if written != expected:
        yield f"{stage.module}: DRAWINGS is {written}; expected {expected}."
    names = {TOY: f"'{TOY}'", ALL_RUNS: "ALL_RUNS", "${key}": "config.pair"}
    item = names.get(stage.item, f"config.{next(iter(stage.matrix))}_name" if stage.matrix else "")
    given = [f"'{stage.noun}'", "DRAWINGS", item]
    calls = calls_of(module, "draw_and_save")
    if [[ast.unparse(argument) for argument in call.args[:3]] for call in calls] != [given]:
        yield f"{stage.module}: expected one call draw_and_save({', '.join(given)}, ...)."


def _sorted_call(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ast.unparse(node)
    return f"{ast.unparse(node.func)}({', '.join(sorted(map(ast.unparse, node.args)))})"


def _item_problems(tree: Tree, stage: Stage) -> Iterator[str]:
    nouns = {function.noun for function in tree.functions_of(stage)}
    for maker in tree.stages:
        if maker.verb in MAKERS and maker.noun in nouns:
            matrix, made = stage.matrix or None, maker.matrix or None
            is_of_all = stage.item == ALL_RUNS and set(maker.matrix) == {"train"}
            if matrix != made and not is_of_all:
                yield (
                    f"{stage}: its matrix is {matrix}, that of {maker.name} {made}; expected the "
                    f"same, or a stage draw_{maker.noun} beside it."
                )


# Rule 3: the keyword-only arguments of the function are the keys of its settings file.


def settings_are_arguments(tree: Tree) -> Iterator[str]:
    for function in tree.functions.values():
        name, arguments = function.name, function.keywords - FROM_PARAMS
        if function.verb in DESCRIPTIONS:
            if arguments:
                yield f"{function.module}: {name}() has settings; expected none but a description."
        elif not tree.has(function.conf):
            yield f"{function.conf}: does not exist; expected the settings of {name}()."
        elif wrong := set(tree.yaml(function.conf)) ^ arguments:
            parts = {"lacks": sorted(wrong & arguments), "has unknown": sorted(wrong - arguments)}
            yield (
                f"{function.conf}: its keys are not the keyword-only arguments of {name}(): "
                f"{'; '.join(f'{what} {listing(keys)}' for what, keys in parts.items() if keys)}."
            )
        if function.node.args.defaults or any(function.node.args.kw_defaults):
            yield (
                f"{function.module}: an argument of {name}() has a default; expected none, since "
                f"a value lives in {function.conf} or nowhere."
            )


# Rule 4: a test lies where one looks for it.


def modules_have_tests(tree: Tree) -> Iterator[str]:
    for path in tree.modules.values():
        folder, _, name = path.rpartition("/")
        if name.startswith("_") or not functions_in(tree.module(path)):
            continue
        test = f"{folder.replace('src/embspace', 'tests', 1)}/test_{name}"
        function = tree.functions.get(path)
        if not tree.has(test):
            yield f"{path}: expected its test at {test}, which does not exist."
        elif function and not re.search(rf"\b{function.name}\b", tree.text(test)):
            yield f"{test}: expected it to test {function.name}() of {path}."


# Rule 5: an output lies where its name says, and the module and the graph spell its path alike.


def outputs_lie_in_their_place(tree: Tree) -> Iterator[str]:
    for stage in tree.stages:
        for out, cached in stage.outs.items():
            in_git = out.startswith(IN_GIT)
            if in_git and cached:
                yield f"{stage}: expected `{out}: {{cache: false}}`, since results are in git."
            if not in_git and not cached:
                yield f"{stage}: {out} has `cache: false`; expected none, since data is not in git."
    for stage in tree.runnable:
        if stage.verb == "draw":
            yield from _drawn_outputs(tree, stage)
        elif not tree.is_declared(stage.module):
            yield from _outputs(tree, stage)


def _outputs(tree: Tree, stage: Stage) -> Iterator[str]:
    written = [path for path in paths_in(tree.module(stage.module)) if is_home_of(path, stage)]
    for out in stage.outs:
        if not any(re.fullmatch(pattern_of(place), blanked(out)) for place in places_of(stage)):
            expected = " or ".join(places_of(stage))
            yield f"{stage}: the output {out} is not where it belongs, {expected}."
        elif not any(gives(out, path) for path in written):
            yield f"{stage.module}: expected the path {ITEM.sub('{name}', out)}, spelled out."
    for path in written:
        if not any(gives(out, path) for out in stage.outs):
            yield f"{stage}: {stage.module} writes {path}, which is not among the outs."


def _drawn_outputs(tree: Tree, stage: Stage) -> Iterator[str]:
    functions = tree.functions_of(stage)
    figures = {function.noun: figure_of(stage, function.noun) for function in functions}
    expected = {f"{figure}.md" for figure in figures.values()}
    expected |= {
        f"{figures[function.noun]}.png"
        for function in functions
        if assigned_to(tree.module(function.module), "DRAWN_IN") is None
    }
    expected |= {f"data/drawn/{stage.noun}/{stage.item}"}
    for out in sorted(expected - stage.outs.keys()):
        yield f"{stage}: outs lacks {out}, which it draws."
    for out in sorted(stage.outs.keys() - expected):
        yield f"{stage}: the output {out} is not where it belongs, {figure_of(stage, '<noun>')}."
    item = rf"{ITEM.pattern}|\b(?:{TOY}|{ALL_RUNS})\b|<noun>"
    path = re.sub(item, "{}", figure_of(stage, "<noun>"))
    if path not in paths_in(tree.module(SAVING)):
        yield f"{SAVING}: expected the path {path}, spelled out."
