"""Writes the stages of declared analyses into pipeline/<chapter>/dvc.yaml."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from embspace.analysis import ITEMS, SCALARS
from embspace.graph.declarations import (
    ALL_RUNS,
    VERBS,
    Declared,
    drawings_of,
    modules,
    plain_question,
)
from embspace.settings.params import TOY
from embspace.settings.schema import read_yaml
from embspace.settings.stage import FROM_PARAMS, settings_file

UNTRACKED = "device"  # changes no number beyond tolerance, so that no stage depends on it
COMMENT, BODY = r"(?:^  #.*\n)*", r"(?:^    .*\n)*"  # above a stage, and below its name
RESULTS = re.compile(r"(?:results|data/measured)/[\w/{}.]+\.(?:csv|json|parquet)")
BLANKS = {
    "model": "${item.model}",
    "other_model": "${item.other_model}",
    "run": "${item.train}",
    "pair": "${key}",
}
"""Name in a declared path -> the same in a graph."""
GROUPS = {"run": "train"}  # kind of item -> its folder of conf/, and its name on the command line
RUN_PAGES = "run_pages"  # the list in params.yaml with the pages over all runs


def with_stages(text: str, chapter: str, members: Iterable[Declared], root: Path) -> str:
    """Return a graph with the stages of the declared analyses, new stages before the drawings.

    `members` are all of the chapter: other stages of declared nouns go, with their comments.
    """
    members = [*members]
    together = drawings_of(chapter, chapter) if members else {}
    lists = {
        chapter if member.analysis.noun in together else member.analysis.noun: member.analysis.over
        for member in members
        if member.analysis.is_drawn
    }
    declared_here = {member.analysis.stage for member in members} | {f"draw_{n}" for n in lists}
    for stage in re.findall(r"^  (\w+):$", text, re.MULTILINE):
        verb, _, noun = stage.partition("_")
        if verb in (*VERBS, "draw") and noun in modules() and stage not in declared_here:
            text = re.sub(rf"{COMMENT}^  {stage}:\n{BODY}\n?", "", text, flags=re.MULTILINE)
    for member in members:
        question = plain_question(member.analysis)
        comment = f"  # {question}\n" if question else ""
        entry = _as_yaml(member.analysis.stage, stage_entry(member, root))
        text = _with_stage(text, comment + entry, f"draw_{chapter}")
    for name, over in lists.items():
        drawing = _as_yaml(f"draw_{name}", drawing_entry(chapter, name, over, root))
        text = _with_stage(text, drawing, f"draw_{chapter}")
    return text


def _with_stage(text: str, block: str, following: str) -> str:
    """Return a graph with a stage in its place; a new stage comes before the following stage.

    A comment above the stage stays unless the block brings a comment. Without a following stage,
    the new stage is the last.
    """
    [name] = re.findall(r"^  (\w+):$", block, re.MULTILINE)
    present = rf"{COMMENT if block.startswith('  #') else ''}^  {name}:\n{BODY}"
    place = rf"(?={COMMENT}^  {following}:\n)"
    for pattern, new in ((present, block), (place, f"{block}\n")):
        if match := re.search(pattern, text, re.MULTILINE):
            return text[: match.start()] + new + text[match.end() :]
    return f"{text}\n{block}"


def stage_entry(member: Declared, root: Path) -> dict[str, Any]:
    """Return the stage of an analysis."""
    analysis, module = member.analysis, member.function.__module__
    settings = read_yaml(root / member.settings)
    blanks = {key: f"${{{key}}}" for key in settings} | BLANKS
    blanks |= {} if analysis.over else {"model": TOY}
    paths = {name: path.format_map(blanks) for name, path in analysis.outputs.items()}
    scalars = paths.pop(SCALARS, None)
    arguments = inspect.signature(member.function).parameters
    keys = [key for key in FROM_PARAMS if key in arguments and key != UNTRACKED]
    group = GROUPS.get(analysis.item, analysis.item)
    described = [f"conf/{group}/{BLANKS[analysis.item]}.yaml"] if analysis.is_described else []
    deps, params = _settings([*described, member.settings], root)
    named = [key for key, value in settings.items() if str(value).startswith("data/")]
    read = [*analysis.deps()]
    read += [result for path in (*read, member.settings) for result in _results_in(root / path)]
    if analysis.item == "pair":
        read += [path.replace("{model}", "{other_model}") for path in read]
    deps += [path.format_map(blanks) for path in read]
    deps += [f"${{{key}}}" for key in named]
    in_paths = [key for key in settings if any(f"{{{key}}}" in path for path in analysis.deps())]
    named = [*dict.fromkeys([*named, *in_paths])]
    lists = [key for key in analysis.lists if key not in settings]
    listed = [*lists, *keys, *params]
    return {
        "wdir": "../..",
        **_call(module, analysis.over, [f"{member.settings}:{','.join(named)}"] if named else []),
        "deps": [f"data/prepared/code/{analysis.stage}.txt", *sorted({*deps})],
        **({"params": listed} if listed else {}),
        "outs": [_kept(path) for path in sorted(paths.values())],
        **({"metrics": [_kept(scalars)]} if scalars else {}),
    }


def _results_in(file: Path) -> list[str]:
    """Return the results that settings or a publication names, except in claims on layers."""
    if file.suffix != ".yaml" or "{" in file.name:
        return []
    content = {key: value for key, value in read_yaml(file).items() if key != "claims_on_layers"}
    return [path.replace("{}", "{model}") for path in RESULTS.findall(str(content))]


def drawing_entry(chapter: str, name: str, over: str, root: Path) -> dict[str, Any]:
    """Return the stage that draws a chapter, or a single noun of the chapter.

    Runs share a page. The stage depends on folders, as runs that `trained` no longer names stay
    there.
    """
    from embspace.draw.page.saving import functions_of

    drawings, kind = drawings_of(chapter, name), ITEMS.get(over, "model")
    item = (ALL_RUNS if kind == "run" else BLANKS[kind]) if over else TOY
    functions = functions_of(drawings).values()
    read = {path for noun, drawing in drawings.items() for path in drawing.paths(noun, item)}
    read = {"/".join(path.split("/")[:2]) if "*" in path else path for path in read}
    arguments = {name for draw in functions for name in inspect.signature(draw).parameters}
    files = sorted({str(settings_file(draw, root).relative_to(root)) for draw in functions})
    models = {"model": ["model"], "pair": ["model", "other_model"]}.get(kind, []) if over else []
    described = [f"conf/model/{BLANKS[model]}.yaml" for model in models]
    corpora = ["conf/corpus"] if over else []
    deps, params = _settings([*described, *files], root)
    nouns = sorted(drawings)
    tables = [f"figures/{noun}/{item}.md" for noun in nouns]
    pictures = [f"figures/{noun}/{item}.png" for noun in nouns if not drawings[noun].drawn_in]
    return {
        "wdir": "../..",
        **_call(
            f"embspace.draw.{chapter}" + (f".{name}" if name != chapter else ""),
            RUN_PAGES if kind == "run" else over,
        ),
        # Whose labels figures show.
        "deps": [f"data/prepared/code/draw_{name}.txt", *sorted({*read, *deps, *corpora})],
        "params": [*(key for key in ("seed", "roles") if key in arguments), *params],
        "outs": [f"data/drawn/{name}/{item}", *map(_kept, tables)],
        **({"plots": [*map(_kept, pictures)]} if pictures else {}),
    }


def _call(module: str, over: str, files: Sequence[str] = ()) -> dict[str, Any]:
    """Return the items of a stage, if any, the settings that name files, and the command."""
    kind, items = ITEMS.get(over, "model"), f"${{{over}}}"
    group = "pages" if over == RUN_PAGES else GROUPS.get(kind, kind)
    argument = f" {group}={BLANKS[kind]}" if over not in ("", RUN_PAGES) else ""
    repeated = {"foreach": items} if kind == "pair" else {"matrix": {group: items}}
    command = {"cmd": f"PYTHONPATH=src python -m {module}{argument}"}
    return {**(repeated if over else {}), **({"vars": files} if files else {}), **command}


def _settings(files: Iterable[str], root: Path) -> tuple[list[str], list[dict[str, None]]]:
    """Return the settings files without keys, for `deps`, and the rest, for `params`."""
    without_keys = [file for file in files if "${" not in file and not read_yaml(root / file)]
    return without_keys, [{file: None} for file in files if file not in without_keys]


def _kept(path: str) -> str | dict[str, dict[str, bool]]:
    """Return an output: git keeps results and figures, DVC the rest."""
    return path if path.startswith("data/") else {path: {"cache": False}}


def _as_yaml(name: str, entry: Mapping[str, Any]) -> str:
    """Return the text of a stage in a graph, with one line for every entry of a list."""
    repeated, indent = f"    foreach: {entry.get('foreach')}\n    do:\n", "    "
    lines = []
    for key, value in entry.items():
        if isinstance(value, list):
            lines += [f"{key}:", *(f"  - {_flow(item)}" for item in value)]
        elif isinstance(value, dict):
            items = ", ".join(f'{inner}: "{named}"' for inner, named in value.items())
            lines.append(f"{key}: {{{items}}}")
        elif key != "foreach":
            lines.append(f"{key}: {value}")
    is_repeated = "foreach" in entry
    body = "".join(f"{indent}{'  ' * is_repeated}{line}\n" for line in lines)
    return f"  {name}:\n{repeated if is_repeated else ''}{body}"


def _flow(item: Any) -> str:
    if isinstance(item, str):
        return item
    [(path, option)] = item.items()
    return f"{path}: {{cache: false}}" if option else f"{path}:"
