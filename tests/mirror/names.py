"""Rules 1 to 4: a stage, its module, settings, test and outputs share one name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.mirror.imports import listing
from tests.mirror.paths import ITEM, blanked, is_home_of, pattern_of, spells
from tests.mirror.source import assigned_to, calls_of, does_something, function_named, paths_in
from tests.mirror.tree import (
    CHECKPOINTED,
    COMPARE,
    DESCRIPTIONS,
    DRAW,
    DRAWN,
    DRAWN_APART,
    DRAWS,
    FROM_PARAMS,
    IN_GIT,
    PROFILED,
    TOY,
    TOYS,
    TRAINED,
    VERBS,
    Name,
    Stage,
    Tree,
)

# Rule 1: a stage in dvc.yaml, a module, a function and a command share one name.


def stages_have_modules(tree: Tree) -> Iterator[str]:
    for stage in tree.stages:
        name = stage.name
        if not name.is_stage:
            verbs = listing(verb for verb in VERBS if verb != "draw")
            yield (
                f"{stage}: expected the name <verb>_<noun> with a verb of {verbs}, or `draw`, "
                "the one stage that draws all, or `draw_toys`, all that has no model, "
                "`draw_profiled`, all of a model's layers, `draw_checkpointed`, all of its "
                "published training, `draw_trained`, all of a run, or "
                "`draw_compare`, all that compares models."
            )
        elif not tree.has(name.module):
            yield f"{stage}: expected the module {name.module}, which does not exist."
        else:
            yield from _module_problems(tree, stage)
            yield from _command_problems(tree, stage)
    named = {stage.name for stage in tree.stages}
    for name in tree.functions:
        if name.verb != "draw" and name not in named:
            yield f"{name.module}: defines {name}(), but dvc.yaml has no stage {name}."


def _module_problems(tree: Tree, stage: Stage) -> Iterator[str]:
    name, module = stage.name, tree.module(stage.name.module)
    expected = ["main"] if name.draws_all else [str(name), "main"]
    for function in expected:
        if not function_named(module, function):
            yield f"{name.module}: expected a function {function}(), for the stage {name}."
    takes = "DRAWINGS" if name.draws_all else str(name)
    call = next(calls_of(module, "run_stage"), None)
    if call is None or [ast.unparse(each) for each in call.args[:2]] != ["main", takes]:
        yield f"{name.module}: expected it to end in run_stage(main, {takes})."
    elif (groups := _groups(call)) != stage.matrix:
        yield (
            f"{name.module}: run_stage picks a file of conf/ for {listing(groups)}, but the "
            f"matrix of the stage in dvc.yaml has {listing(stage.matrix)}; expected the same."
        )


def _groups(call: ast.Call) -> list[str]:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    return list(ast.literal_eval(given["groups"])) if "groups" in given else ["model"]


def _command_problems(tree: Tree, stage: Stage) -> Iterator[str]:
    choices = [f"{key}=${{item.{key}}}" for key in stage.matrix]
    expected = " ".join(["python -m", stage.name.command, *choices])
    # Variables of the environment may stand in front.
    if re.sub(r"^(\w+=\S* )*", "", str(stage.entry.get("cmd"))) != expected:
        yield f"{stage}: cmd is `{stage.entry.get('cmd')}`, expected `{expected}`."


def draw_knows_all_drawings(tree: Tree) -> Iterator[str]:
    for name in (Name("draw", noun) for noun in DRAWN_APART):
        drawings = tree.drawings_of(name)
        if drawings and name not in {stage.name for stage in tree.stages}:
            nouns = listing(drawing.noun for drawing in drawings)
            yield f"dvc.yaml: expected a stage {name}, which draws {nouns}."
        if tree.has(name.module):
            yield from _dictionary_problems(tree, name, "DRAWINGS", "draw_{noun}")
            yield from _dictionary_problems(tree, name, "RESULTS", "RESULTS")
            yield from _saving_problems(tree, name)


def _saving_problems(tree: Tree, name: Name) -> Iterator[str]:
    """Whether all is drawn under the name of the model, that of the toys, or that of the noun."""
    function, expected = "draw_and_save", ["DRAWINGS", "RESULTS"]
    if name.noun == COMPARE:
        function = "draw_compared_and_save"
    else:
        names = {TOYS: repr(TOY), TRAINED: "config.train_name"}
        expected.append(names.get(name.noun, "config.model_name"))
    calls = calls_of(tree.module(name.module), function)
    given = [[ast.unparse(each) for each in call.args[: len(expected)]] for call in calls]
    if given != [expected]:
        yield f"{name.module}: expected one call {function}({', '.join(expected)}, ...)."


def _dictionary_problems(tree: Tree, stage: Name, variable: str, value: str) -> Iterator[str]:
    """Whether a dictionary has the noun of each of its drawings, and `value` of its module."""
    main = stage.module
    content = assigned_to(tree.module(main), variable)
    if not isinstance(content, ast.Dict):
        yield f"{main}: expected {variable} = {{'<noun>': <module>.{value}, ...}}, written out."
        return
    known = {
        ast.literal_eval(key): ast.unparse(given)
        for key, given in zip(content.keys, content.values, strict=True)
        if key
    }
    nouns = [drawing.noun for drawing in tree.drawings_of(stage)]
    expected = {noun: f"{noun}.{value.format(noun=noun)}" for noun in nouns}
    for noun in expected:
        if known.get(noun) != expected[noun]:
            yield f"{main}: expected {variable} to have '{noun}': {expected[noun]}."
    for noun in known:
        if noun not in expected:
            whose = {
                TOYS: "no model",
                PROFILED: "a profiled model",
                CHECKPOINTED: "a model's published training",
                TRAINED: "a run",
                COMPARE: "several models",
            }.get(stage.noun, "a model")
            yield (
                f"{main}: {variable} has '{noun}', but no {DRAW}/{noun}.py defines draw_{noun}() "
                f"for what a stage measures of {whose}."
            )


# Rule 2: the keyword-only arguments of the function are the keys of its settings file.


def settings_are_arguments(tree: Tree) -> Iterator[str]:
    for name, function in tree.functions.items():
        arguments = keywords_of(function) - FROM_PARAMS
        if name.verb in DESCRIPTIONS:
            if arguments:
                yield f"{name.module}: {name}() has settings; expected none but its description."
        elif not tree.has(name.conf):
            yield f"{name.conf}: does not exist; expected the settings of {name}() ({{}} for none)."
        elif wrong := set(tree.yaml(name.conf)) ^ arguments:
            yield (
                f"{name.conf}: its keys are not the keyword-only arguments of {name}() in "
                f"{name.module}: {_difference(wrong, arguments)}."
            )
        for argument in _with_default(function):
            yield (
                f"{name.module}: the argument {argument} of {name}() has a default; expected "
                f"none, since a value lives in {name.conf} or nowhere."
            )


def keywords_of(function: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in function.args.kwonlyargs}


def _difference(wrong: set[str], arguments: set[str]) -> str:
    parts = {"lacks": sorted(wrong & arguments), "has unknown": sorted(wrong - arguments)}
    return "; ".join(f"{what} {listing(keys)}" for what, keys in parts.items() if keys)


def _with_default(function: ast.FunctionDef) -> Iterator[str]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    for argument in positional[len(positional) - len(arguments.defaults) :]:
        yield argument.arg
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg


# Rule 3: a test lies where one looks for it.


def modules_have_tests(tree: Tree) -> Iterator[str]:
    functions = {name.module: name for name in tree.functions}
    for path in tree.modules.values():
        if Path(path).stem.startswith("_") or not does_something(tree.module(path)):
            continue
        within = Path(path).relative_to("src/embspace")
        test = (Path("tests") / within.with_name(f"test_{within.name}")).as_posix()
        function = functions.get(path)
        if not tree.has(test):
            yield f"{path}: expected its test at {test}, which does not exist."
        elif function and not re.search(rf"\b{function}\b", tree.text(test)):
            yield f"{test}: expected it to test {function}() of {path}, which it never mentions."


# Rule 4: an output lies where its name says, and module and dvc.yaml spell its path alike.


def outputs_lie_in_their_place(tree: Tree) -> Iterator[str]:
    for stage in tree.stages:
        for out, cached in stage.outs.items():
            in_git = out.startswith(IN_GIT)
            if in_git and cached:
                yield f"{stage}: expected `{out}: {{cache: false}}`, since results are in git."
            if not in_git and not cached:
                yield f"{stage}: {out} has `cache: false`; expected none, since data is not in git."
    for stage in tree.runnable:
        yield from _drawn_outputs(tree, stage) if stage.name.draws_all else _outputs(tree, stage)


def _outputs(tree: Tree, stage: Stage) -> Iterator[str]:
    name = stage.name
    written = [path for path in paths_in(tree.module(name.module)) if is_home_of(path, name)]
    for out in stage.outs:
        if not any(re.fullmatch(pattern_of(place), blanked(out)) for place in stage.places):
            expected = " or ".join(stage.places)
            yield f"{stage}: the output {out} is not where it belongs, {expected}."
        elif not any(_writes(stage, path, out) for path in written):
            path = f'"{out}"' if stage.is_toy else f'f"{ITEM.sub("{name}", out)}"'
            yield (
                f"{name.module}: expected the path {path}, an output of {name} in dvc.yaml, "
                "spelled out, so that one search finds both."
            )
    for path in written:
        if not any(_writes(stage, path, out) for out in stage.outs):
            yield f"{stage}: {name.module} writes {path}, which is not among the outs."


def _writes(stage: Stage, path: str, out: str) -> bool:
    """Whether a path of the module is an output; the whole word `toy` where there is no model."""
    return spells(path, out) and not (stage.is_toy and "{}" in path)


def _drawn_outputs(tree: Tree, stage: Stage) -> Iterator[str]:
    place = _figures_of(stage)
    nouns = [drawing.noun for drawing in tree.drawings_of(stage.name)]
    drawn = {place.replace("<noun>", noun): noun for noun in nouns}
    expected = {f"{path}{suffix}": noun for path, noun in drawn.items() for suffix in DRAWN}
    for out in sorted(set(expected) - set(stage.outs)):
        yield f"{stage}: outs lacks {out}, which {DRAW}/{expected[out]}.py draws."
    for out in sorted(set(stage.outs) - set(expected)):
        yield (
            f"{stage}: the output {out} is not where it belongs, "
            f"{place}[.png] of a {DRAW}/<noun>.py."
        )
    path = re.sub(r"\$\{item\.\w+\}|<noun>|\btoy\b", "{}", place)
    if path not in paths_in(tree.module(DRAWS)):
        yield f'{DRAWS}: expected the path f"{path}", spelled out.'


def _figures_of(stage: Stage) -> str:
    """Where a stage that draws all puts the figure of a noun, but for the suffix."""
    if stage.name.noun == COMPARE:
        return "figures/compare/<noun>"
    names = {TOYS: TOY, TRAINED: "${item.train}"}
    return f"figures/<noun>/{names.get(stage.name.noun, '${item.model}')}"
