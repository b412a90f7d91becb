"""Rules 6 to 8: a graph names all that a stage reads, and nothing else."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache

from tests.mirror.paths import gives, is_home_of
from tests.mirror.source import assigned_to, calls_of, dotted, function_named, imports_of, paths_in
from tests.mirror.tree import CODE, DESCRIPTIONS, FROM_PARAMS, TOY, Function, Stage, Tree

LOADER = re.compile(r"embspace\.models\.\w+\.load_\w+")
PIN = "data/prepared/model/{}.json"  # what changes when a model's files do
WHOLE = {"src", "requirements.lock"}  # what `prepare_code` reads
# An edit of it re-runs nothing, for it may change no number beyond tolerance.
UNTRACKED = {"device"}
# What a stage of a pair reads to call the models by their labels.
PAIR_DESCRIPTIONS = ["conf/model/${item.model}.yaml", "conf/model/${item.other_model}.yaml"]
# Files that a corpus names, by which `placed_sequences` finds where the sites of classes are.
GENE_FILES = ("reference", "lineages")
# What imports a module by a name that only a run knows.
DYNAMIC = ("import_module", "__import__", "run_module", "run_path", "exec_module")

# Rule 6: a stage depends on the code that `prepare_code` found for it, which follows imports.


def code_is_a_dep(tree: Tree) -> Iterator[str]:
    for stage in tree.stages:
        expected = WHOLE if stage.name == "prepare_code" else {f"{CODE}/{stage.function}.txt"}
        for dep in sorted(expected - stage.code_deps):
            yield f"{stage}: deps lacks {dep}, the code that it runs."
        for dep in sorted(stage.code_deps - expected):
            yield f"{stage}: deps has {dep}; expected no code but {' and '.join(expected)}."
    for path in sorted(tree.closure(*(stage.module for stage in tree.runnable))):
        for name in DYNAMIC:
            for call in calls_of(tree.module(path), name):
                yield (
                    f"{path}: calls {name} in line {call.lineno}; expected an import that "
                    "`prepare_code` can follow."
                )


# Rule 7: DVC does not see which files are opened. The graph names them.


def files_are_deps(tree: Tree) -> Iterator[str]:
    for stage in tree.runnable:
        if tree.is_declared(stage.module):  # written from the declaration that loads them
            continue
        opened = list(_opened(tree, stage))
        deps = [_resolved(tree, stage, dep) for dep in stage.deps if dep not in stage.code_deps]
        for path in opened:
            if not any(gives(dep, path) for dep in deps):
                yield f"{stage}: deps lacks {path}, which {stage.module} reads."
        # `draw_and_save` reads the labels of all corpora for every figure.
        shared = {"conf/corpus"} if stage.module.startswith("src/embspace/draw/") else set()
        for dep in sorted({*deps} - shared):
            if not any(gives(dep, path) for path in opened):
                yield f"{stage}: deps has {dep}, which {stage.module} does not read."


def _resolved(tree: Tree, stage: Stage, dep: str) -> str:
    """Return the path that a setting of the stage has, where a dependency is `${<setting>}`."""
    setting = re.fullmatch(r"\$\{(\w+)\}", dep)
    if not setting:
        return dep
    settings = (tree.yaml(function.conf) for function in tree.functions_of(stage))
    return next((str(conf[setting[1]]) for conf in settings if setting[1] in conf), dep)


def _opened(tree: Tree, stage: Stage) -> Iterator[str]:
    """Yield data and results that a stage reads: its paths, less those that it writes."""
    yield from _without_keys(tree, stage)
    if stage.verb == "draw":
        for function in tree.functions_of(stage):
            yield from _drawn_results(tree, function, stage)
        return
    for path in paths_in(tree.module(stage.module)):
        if not is_home_of(path, stage):
            yield path
            yield from _named_in(tree, path)
    if {"model", "pair"} & stage.matrix.keys() and _loads_a_model(tree, stage):
        yield PIN
    if stage.verb == "prepare" and {"corpus", "train"} & _config_reads(tree, stage):
        described = (tree.yaml(path) for path in tree.glob("conf/corpus/*.yaml"))
        named = (str(value) for description in described for value in description.values())
        yield from (value for value in named if value.startswith("data/"))
    if calls_of(tree.module(stage.module), "placed_sequences"):
        simulated = (tree.yaml(path) for path in tree.glob("conf/corpus/*.yaml"))
        yield from (
            str(description[key])
            for description in simulated
            for key in GENE_FILES
            if key in description
        )
    for function in [] if stage.verb in DESCRIPTIONS else tree.functions_of(stage):
        # As JSON, settings within settings are found too. A path has a slash and no blank.
        yield from re.findall(r'"([^"\s]+/[^"\s]+)"', json.dumps(tree.yaml(function.conf)))


def _drawn_results(tree: Tree, drawing: Function, stage: Stage) -> Iterator[str]:
    """Yield what RESULTS stands for: `csv` is the unnamed table, `pairs.csv` a named one.

    `other/pairs.csv` is a named one of another noun, `other/.csv` its unnamed one; what begins
    with `data/` or `conf/` is a path. Of a declared analysis, tables.yaml beside the drawing has
    these names.
    """
    homes = {"safetensors": "data/measured", "parquet": "data/projected"}
    written = f"{drawing.module.rpartition('/')[0]}/tables.yaml"
    declared = tree.yaml(written).get(drawing.noun) if tree.has(written) else None
    names = assigned_to(tree.module(drawing.module), "FURTHER_RESULTS" if declared else "RESULTS")
    tables = [
        *(declared["results"] if declared else []),
        *(ast.literal_eval(names) if names else []),
    ]
    for name in tables:
        table, _, suffix = name.rpartition(".")
        home = f"{homes.get(suffix, 'results')}/{drawing.noun}/" if "/" not in table else "results/"
        home = "" if table.startswith("data/") else home
        item = stage.item if stage.item == TOY else "{}"
        path = f"{home}{table.removesuffix('/') + '/' if table else ''}{item}.{suffix}"
        yield name if table.startswith("conf/") else path


def _loads_a_model(tree: Tree, stage: Stage) -> bool:
    """Return whether what a stage runs, outside of embspace.models, reads a model's files."""
    for path in tree.closure(stage.module):
        is_loader = dotted(path).startswith("embspace.models.")
        if not is_loader and any(map(LOADER.fullmatch, imports_of(tree.module(path), ""))):
            return True
    return False


def _named_in(tree: Tree, path: str) -> set[str]:
    """Return the results that a file of published numbers names, for who compares them.

    Claims on layers are compared by `embspace verify` alone.
    """
    if not (re.match(r"data/published/.*\.yaml$", path) and tree.has(path)):
        return set()
    read = {key: setting for key, setting in tree.yaml(path).items() if key != "claims_on_layers"}
    named = re.findall(r"results/[\w/{}.]+\.(?:csv|json)", str(read))
    return {file.replace("{model}", "{}") for file in named}


# Rule 8: what a stage reads of params.yaml and conf/ stands under its `params:`, nothing else. A
# settings file without keys stands under `deps:`: as params it has no hash for DVC, which takes
# no run of a stage with one from its run cache, and going back would run the stage again.


def settings_are_params(tree: Tree) -> Iterator[str]:
    for stage in tree.runnable:
        if tree.is_declared(stage.module):
            continue
        without_keys = set(_without_keys(tree, stage))
        files = [file for file in _settings_files(tree, stage) if file not in without_keys]
        for file in sorted(without_keys & {*stage.param_files}):
            yield f"{stage}: params has {file}, which has no keys; expected it among deps."
        for file in files:
            if file not in stage.param_files:
                yield f"{stage}: params lacks `- {file}:`, which the stage reads."
            elif stage.param_files[file] is not None:
                yield f"{stage}: params has some keys of {file}; expected all, `- {file}:`."
        for file in stage.param_files:
            if file not in files and file not in without_keys:
                yield f"{stage}: params has {file}, which the stage does not read."
        yield from _key_problems(tree, stage)


def _settings_files(tree: Tree, stage: Stage) -> list[str]:
    reads = _config_reads(tree, stage)
    described = [f"conf/{kind}/${{item.{kind}}}.yaml" for kind in DESCRIPTIONS if kind in reads]
    if any(calls_of(tree.module(stage.module), "labels_of")):
        described += PAIR_DESCRIPTIONS
    own = [] if stage.verb in DESCRIPTIONS else tree.functions_of(stage)
    return [*described, *(function.conf for function in own)]


def _without_keys(tree: Tree, stage: Stage) -> Iterator[str]:
    """Yield the stage's own settings files in which there is nothing to set."""
    own = [] if stage.verb in DESCRIPTIONS else tree.functions_of(stage)
    yield from (
        function.conf
        for function in own
        if tree.has(function.conf) and not tree.yaml(function.conf)
    )


def _key_problems(tree: Tree, stage: Stage) -> Iterator[str]:
    known = set(tree.yaml("params.yaml"))
    reads = dict.fromkeys(_config_reads(tree, stage), f"{stage.module} reads it")
    for function in tree.functions_of(stage):
        reads |= dict.fromkeys(function.keywords & FROM_PARAMS, f"{function.name}() takes it")
    for key in sorted(stage.param_keys & UNTRACKED):
        yield f"{stage}: params has {key}; expected it nowhere, for it changes no number."
    for key in sorted(set(reads) & known - UNTRACKED - stage.param_keys):
        yield f"{stage}: params lacks `- {key}`: {reads[key]}."
    for key in sorted(stage.param_keys - set(reads) - UNTRACKED):
        yield f"{stage}: params has {key}, which the stage does not read."


def _config_reads(tree: Tree, stage: Stage) -> frozenset[str]:
    """Return the attributes that `main` touches of its one argument, the composed settings.

    And of what it assigns from `read_params()`, for whoever takes all that is named there.
    """
    return _reads_of_main(tree.module(stage.module))


@cache
def _reads_of_main(module: ast.Module) -> frozenset[str]:
    main = function_named(module, "main")
    if main is None or not main.args.args:
        return frozenset()
    configs = {main.args.args[0].arg}
    for node in ast.walk(main):
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "read_params()":
            configs |= {ast.unparse(target) for target in node.targets}
    return frozenset(
        node.attr
        for node in ast.walk(main)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in configs
    )
