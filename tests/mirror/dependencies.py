"""Rules 5 and 6: dvc.yaml names all that a stage reads."""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.mirror.imports import dotted_name, holds_code, importers_of, imports_of, listing
from tests.mirror.names import keywords_of
from tests.mirror.paths import ITEM, covers, gives, is_home_of
from tests.mirror.source import assigned_to, function_named, paths_in, strings_in
from tests.mirror.tree import (
    COMPARE,
    DESCRIPTIONS,
    DRAW,
    FROM_PARAMS,
    TOY,
    TOYS,
    UNTRACKED,
    Name,
    Stage,
    Tree,
)

MODELS = "embspace.models."
LOADER = re.compile(r"embspace\.models\.\w+\.load_\w+")
PIN = "data/prepared/model/{}.json"  # what changes when a model's files do

# Rule 5: DVC does not follow imports, nor does it see which files are opened. dvc.yaml names both.


def imports_are_deps(tree: Tree) -> Iterator[str]:
    for stage in tree.runnable:
        importers = importers_of(tree, dotted_name(stage.name))
        yield from _missing_deps(tree, stage, importers)
        yield from _missing_styles(tree, stage, importers)
        yield from _needless_deps(tree, stage, {tree.modules[name] for name in importers})


def _missing_deps(tree: Tree, stage: Stage, importers: dict[str, str]) -> Iterator[str]:
    for name, importer in sorted(importers.items()):
        path = tree.modules[name]
        if holds_code(tree, path) and not any(covers(dep, path) for dep in stage.source_deps):
            by = "the stage runs" if importer == name else f"{tree.modules[importer]} imports"
            yield f"{stage}: deps lacks {path}, which {by}; an edit of it would re-run nothing."


def _missing_styles(tree: Tree, stage: Stage, importers: Iterable[str]) -> Iterator[str]:
    """Style files, which lie beside the module that opens them."""
    for path in (tree.modules[name] for name in importers):
        for text in strings_in(tree.module(path)):
            style = f"{Path(path).parent}/{text}"
            if style.endswith(".mplstyle") and not any(covers(d, style) for d in stage.source_deps):
                yield f"{stage}: deps lacks {style}, which {path} opens."


def _needless_deps(tree: Tree, stage: Stage, imported: set[str]) -> Iterator[str]:
    modules = {path for path in tree.modules.values() if holds_code(tree, path)}
    for dep in stage.source_deps:
        below = {path for path in modules | imported if covers(dep, path)}
        if Path(dep).suffix not in ("", ".py") and tree.has(dep):
            continue  # what a module opens, as a style file
        if not below & imported:
            yield f"{stage}: deps has {dep}, which {stage.name.module} imports nowhere."
        elif below - imported and (dep, str(stage.name)) != (DRAW, "draw"):
            needed = {path for path in below & imported if holds_code(tree, path)}
            yield (
                f"{stage}: the dep {dep} is too wide; list what the stage imports of it, "
                f"{listing(sorted(needed))}."
            )


def files_are_deps(tree: Tree) -> Iterator[str]:
    for stage in tree.runnable:
        opened = list(_opened(tree, stage))
        for path in opened:
            if not any(gives(dep, path) for dep in stage.data_deps):
                yield f"{stage}: deps lacks {path}, which {stage.name.module} reads."
        for dep in stage.data_deps:
            if not any(gives(dep, path) for path in opened):
                yield f"{stage}: deps has {dep}, which {stage.name.module} does not read."


def _opened(tree: Tree, stage: Stage) -> Iterator[str]:
    """Data and results that a stage reads: its paths, less those that it writes."""
    name = stage.name
    if name.draws_all:
        for drawing in tree.drawings_of(name):
            if name.noun == COMPARE:
                yield f"results/compare/{drawing.noun}.csv"
            else:
                yield from _drawn_results(tree, drawing, TOY if name.noun == TOYS else "{}")
        return
    for path in paths_in(tree.module(name.module)):
        if not is_home_of(path, name):
            yield path
            yield from _named_in(tree, path)
    if "model" in stage.matrix and _loads_a_model(tree, stage):
        yield PIN
    if {"corpus", "train"} & _config_reads(tree, stage) and name.verb == "prepare":
        described = (tree.yaml(path) for path in tree.glob("conf/corpus/*.yaml"))
        named = (str(value) for each in described for value in each.values())
        yield from (value for value in named if value.startswith("data/"))
    for file in (each.conf for each in tree.settings_of(stage)):
        # As JSON, settings within settings are found too. A path has a slash and no blank.
        yield from re.findall(r'"([^"\s]+/[^"\s]+)"', json.dumps(tree.yaml(file)))


def _loads_a_model(tree: Tree, stage: Stage) -> bool:
    """Whether what a stage runs of its own, outside of embspace.models, reads a model's files."""
    for name in importers_of(tree, dotted_name(stage.name)):
        path = tree.modules[name]
        imported = imports_of(tree.module(path), name, path)
        if not name.startswith(MODELS) and any(map(LOADER.fullmatch, imported)):
            return True
    return False


def _named_in(tree: Tree, path: str) -> set[str]:
    """The results that a file of published numbers names, for who holds ours against them."""
    if not (path.startswith("data/published/") and tree.has(path)):
        return set()
    named = re.findall(r"results/[\w/{}.]+\.(?:csv|json)", tree.text(path))
    return {each.replace("{model}", "{}") for each in named}


def _drawn_results(tree: Tree, drawing: Name, drawn_of: str) -> Iterator[str]:
    """What RESULTS of a drawing stands for: `csv` is the unnamed table, `pairs.csv` a named one."""
    homes = {"safetensors": "data/measured", "parquet": "data/projected"}
    names = assigned_to(tree.module(drawing.module), "RESULTS")
    for name in ast.literal_eval(names) if names else ():
        table, _, suffix = name.rpartition(".")
        home = homes.get(suffix, "results")
        yield f"{home}/{drawing.noun}/{table + '/' if table else ''}{drawn_of}.{suffix}"


# Rule 6: what a stage reads of params.yaml and conf/ stands under its `params:`, nothing else.


def settings_are_params(tree: Tree) -> Iterator[str]:
    for stage in tree.runnable:
        files = _settings_files(tree, stage)
        for file in files:
            if file not in stage.param_files:
                yield f"{stage}: params lacks `- {file}:`, which the stage reads."
            elif stage.param_files[file] is not None:
                yield f"{stage}: params has some keys of {file}; expected all, `- {file}:`."
        for file in stage.param_files:
            if file not in files:
                yield f"{stage}: params has {file}, which the stage does not read."
        yield from _key_problems(tree, stage, files)


def _settings_files(tree: Tree, stage: Stage) -> list[str]:
    reads = _config_reads(tree, stage)
    described = [f"conf/{kind}/${{item.{kind}}}.yaml" for kind in DESCRIPTIONS if kind in reads]
    return [*described, *(name.conf for name in tree.settings_of(stage))]


def _key_problems(tree: Tree, stage: Stage, files: list[str]) -> Iterator[str]:
    known = set(tree.yaml("params.yaml"))
    reads = dict.fromkeys(_config_reads(tree, stage), f"{stage.name.module} reads it")
    for name in tree.settings_of(stage):
        taken = keywords_of(tree.functions[name]) if name in tree.functions else set()
        reads |= dict.fromkeys(taken & FROM_PARAMS, f"{name}() takes it")
    for file in files:
        for key in _interpolated(tree, file):
            yield f"{file}: has ${{{key}}}; DVC reads the file alone, and `dvc exp run -S` fails."
    for key in sorted(stage.param_keys & UNTRACKED):
        yield f"{stage}: params has {key}; expected it nowhere, for it changes no number."
    for key in sorted(set(reads) & known - UNTRACKED - stage.param_keys):
        yield f"{stage}: params lacks `- {key}`: {reads[key]}."
    for key in sorted(stage.param_keys - set(reads) - UNTRACKED):
        yield f"{stage}: params has {key}, which neither the module nor its settings read."


def _interpolated(tree: Tree, file: str) -> set[str]:
    """The x of each `${x}` in a settings file."""
    contents = [json.dumps(tree.yaml(path)) for path in tree.glob(ITEM.sub("*", file))]
    return {key for content in contents for key in re.findall(r"\$\{(\w+)", content)}


def _config_reads(tree: Tree, stage: Stage) -> set[str]:
    """The attributes that `main` touches of its one argument, the composed settings.

    And of what it assigns from `read_params()`, for whoever takes all that is named there.
    """
    main = function_named(tree.module(stage.name.module), "main")
    if main is None or not main.args.args:
        return set()
    configs = {main.args.args[0].arg}
    for node in ast.walk(main):
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "read_params()":
            configs |= {ast.unparse(target) for target in node.targets}
    return {
        node.attr
        for node in ast.walk(main)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in configs
    }
