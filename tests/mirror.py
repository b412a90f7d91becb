"""The mirror: each name stands in eight places, and every place knows the others.

A stage `measure_positions` has its settings in conf/measure/positions.yaml, its function in
src/embspace/measure/positions.py, its test in tests/measure/test_positions.py, and so on. What
is written here is read from the files alone: no module of embspace is imported, nothing is run.

`python tests/mirror.py`, at the root of the project, prints what does not fit.
"""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

VERBS = ("prepare", "train", "extract", "measure", "project", "compare", "draw", "report")
# Folders of conf/ that are no verbs: the key of params.yaml that names their files.
DESCRIPTIONS = {"model": "models", "corpus": "corpora"}
DRAW = "src/embspace/draw"
# Where a stage may write. [optional], {one,of,these}; <model>, <corpus>, <run> come from matrix.
PLACES = {
    "prepare": ("data/prepared/<noun>.<suffix>",),
    "train": ("data/trained/<run>[/<file>]",),
    "extract": ("data/extracted/<noun>/<model>[/<corpus>].<suffix>",),
    "measure": ("results/<noun>/[<table>/]<model>.{csv,json}",),
    "project": ("data/projected/<noun>/<model>.parquet", "results/<noun>/<model>.csv"),
    "compare": ("results/compare/<noun>.csv",),
    "draw": ("figures/<noun>/<model>.{md,pdf,png,svg}",),
    "report": ("results/report/<model>",),
}
DRAWN = ("md", "pdf", "png", "svg")
IN_GIT = ("results/", "figures/")
# An edit of it re-runs nothing, for it may change no number beyond tolerance.
UNTRACKED = {"device"}


@dataclass(frozen=True)
class Name:
    """A verb and a noun, and what lies where under this name."""

    verb: str
    noun: str

    def __str__(self) -> str:
        return f"{self.verb}_{self.noun}" if self.noun else self.verb

    @property
    def is_stage(self) -> bool:
        """Whether a stage may be called so: <verb>_<noun>, or `draw`, which draws all."""
        return self.verb in VERBS and (self.verb == "draw") == (not self.noun)

    @property
    def command(self) -> str:
        """What `python -m` runs."""
        return f"embspace.{self.verb}.{self.noun}" if self.noun else f"embspace.{self.verb}"

    @property
    def module(self) -> str:
        return f"src/embspace/{self.verb}/{self.noun or '__main__'}.py"

    @property
    def conf(self) -> str:
        return f"conf/{self.verb}/{self.noun}.yaml"


@dataclass(frozen=True)
class Stage:
    """What dvc.yaml says of a stage."""

    name: Name
    entry: dict[str, Any]

    def __str__(self) -> str:
        return f"dvc.yaml, stage {self.name}"

    def _list(self, key: str) -> list[Any]:
        return list(self.entry.get(key) or [])

    @property
    def matrix(self) -> list[str]:
        return self._list("matrix")

    @property
    def deps(self) -> list[str]:
        return self._list("deps")

    @property
    def source_deps(self) -> list[str]:
        return [dep for dep in self.deps if dep.startswith("src/")]

    @property
    def data_deps(self) -> list[str]:
        return [dep for dep in self.deps if not dep.startswith("src/")]

    @property
    def outs(self) -> dict[str, bool]:
        """Each output, and whether DVC caches it instead of leaving it to git."""
        listed = [out for kind in ("outs", "metrics", "plots") for out in self._list(kind)]
        options: dict[str, Any] = {}
        for out in listed:
            options |= out if isinstance(out, dict) else {out: {}}
        return {path: (option or {}).get("cache", True) for path, option in options.items()}

    @property
    def param_keys(self) -> set[str]:
        """Keys of params.yaml that the stage lists."""
        return {item for item in self._list("params") if isinstance(item, str)}

    @property
    def param_files(self) -> dict[str, Any]:
        """Settings files that the stage lists; None for a whole file, else some of its keys."""
        listed = [item for item in self._list("params") if isinstance(item, dict)]
        return {file: keys for item in listed for file, keys in item.items()}


@dataclass(frozen=True)
class Tree:
    """The files of a project. All paths are strings, relative to the root."""

    root: Path

    def has(self, path: str) -> bool:
        return (self.root / path).exists()

    def text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8")
        return self._texts[path]

    @cached_property
    def _texts(self) -> dict[str, str]:
        """What was read already; files do not change while they are looked at."""
        return {}

    def yaml(self, path: str) -> Any:
        return _loaded(self.text(path)) or {}

    def module(self, path: str) -> ast.Module:
        return _parsed(self.text(path))

    def glob(self, pattern: str) -> list[str]:
        found = (path.relative_to(self.root).as_posix() for path in self.root.glob(pattern))
        return sorted(path for path in found if "__pycache__" not in path)

    @cached_property
    def stages(self) -> list[Stage]:
        entries = self.yaml("dvc.yaml").get("stages", {})
        parts = [(name.partition("_"), entry) for name, entry in entries.items()]
        return [Stage(Name(verb, noun), entry) for (verb, _, noun), entry in parts]

    @cached_property
    def runnable(self) -> list[Stage]:
        """Stages with a name and a module as they should be; of the others rule 1 tells."""
        named = (stage for stage in self.stages if stage.name.is_stage)
        return [stage for stage in named if self.has(stage.name.module)]

    @cached_property
    def functions(self) -> dict[Name, ast.FunctionDef]:
        """The functions `<verb>_<noun>` in the modules of this name."""
        found = {}
        for verb in VERBS:
            for path in self.glob(f"src/embspace/{verb}/*.py"):
                name = Name(verb, Path(path).stem)
                if function := _function(self.module(path), str(name)):
                    found[name] = function
        return found

    @cached_property
    def names(self) -> set[Name]:
        """All that is a stage in dvc.yaml or a function in a module."""
        return {stage.name for stage in self.stages} | set(self.functions)

    @cached_property
    def drawings(self) -> list[Name]:
        return [name for name in self.functions if name.verb == "draw"]

    @cached_property
    def modules(self) -> dict[str, str]:
        """The path of each module by its dotted name."""
        found = {}
        for path in self.glob("src/embspace/**/*.py"):
            parts = Path(path).with_suffix("").parts[1:]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    def settings_of(self, stage: Stage) -> list[Name]:
        """The functions whose settings a stage takes: its own, or those of all drawings."""
        return self.drawings if str(stage.name) == "draw" else [stage.name]


def problems(root: Path) -> list[str]:
    """What breaks the mirror, one sentence each; empty when all fits."""
    tree = Tree(root)
    return list(dict.fromkeys(sentence for rule in RULES for sentence in rule(tree)))


# Rule 1: a stage in dvc.yaml, a module, a function and a command share one name.


def stages_have_modules(tree: Tree) -> Iterator[str]:
    for stage in tree.stages:
        name = stage.name
        if not name.is_stage:
            verbs = _list(verb for verb in VERBS if verb != "draw")
            yield (
                f"{stage}: expected the name <verb>_<noun> with a verb of {verbs}, or `draw`, "
                "the one stage that draws all."
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
    expected = [str(name), "main"] if name.noun else ["main"]
    for function in expected:
        if not _function(module, function):
            yield f"{name.module}: expected a function {function}(), for the stage {name}."
    takes = str(name) if name.noun else "DRAWINGS"
    call = next(_calls(module, "run_stage"), None)
    if call is None or [ast.unparse(each) for each in call.args[:2]] != ["main", takes]:
        yield f"{name.module}: expected it to end in run_stage(main, {takes})."
    elif (groups := _groups(call)) != stage.matrix:
        yield (
            f"{name.module}: run_stage picks a file of conf/ for {_list(groups)}, but the "
            f"matrix of the stage in dvc.yaml has {_list(stage.matrix)}; expected the same."
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
    main = f"{DRAW}/__main__.py"
    if not tree.has(main):
        return
    yield from _dictionary_problems(tree, main, "DRAWINGS", "draw_{noun}")
    # Where there is one, the loop over the drawings goes through it.
    if _assigned(tree.module(main), "RESULTS"):
        yield from _dictionary_problems(tree, main, "RESULTS", "RESULTS")


def _dictionary_problems(tree: Tree, main: str, variable: str, value: str) -> Iterator[str]:
    """Whether a dictionary of draw has each drawing's noun, and `value` of its module."""
    content = _assigned(tree.module(main), variable)
    if not isinstance(content, ast.Dict):
        yield f"{main}: expected {variable} = {{'<noun>': <module>.{value}, ...}}, written out."
        return
    known = {
        ast.literal_eval(key): ast.unparse(given)
        for key, given in zip(content.keys, content.values, strict=True)
        if key
    }
    expected = {name.noun: f"{name.noun}.{value.format(noun=name.noun)}" for name in tree.drawings}
    for noun in expected:
        if known.get(noun) != expected[noun]:
            yield f"{main}: expected {variable} to have '{noun}': {expected[noun]}."
    for noun in known:
        if noun not in expected:
            yield f"{main}: {variable} has '{noun}', but no {DRAW}/{noun}.py defines draw_{noun}()."


# Rule 2: the keyword-only arguments of the function are the keys of its settings file.


def settings_are_arguments(tree: Tree) -> Iterator[str]:
    for name, function in tree.functions.items():
        arguments = {argument.arg for argument in function.args.kwonlyargs}
        if not tree.has(name.conf):
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


def _difference(wrong: set[str], arguments: set[str]) -> str:
    parts = {"lacks": sorted(wrong & arguments), "has unknown": sorted(wrong - arguments)}
    return "; ".join(f"{what} {_list(keys)}" for what, keys in parts.items() if keys)


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
        if Path(path).stem.startswith("_") or not _does_something(tree.module(path)):
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
        yield from _drawn_outputs(tree, stage) if not stage.name.noun else _outputs(tree, stage)


def _outputs(tree: Tree, stage: Stage) -> Iterator[str]:
    name = stage.name
    places = PLACES.get(name.verb, ())
    written = [path for path in _paths(tree.module(name.module)) if _is_home(path, name)]
    for out in stage.outs:
        if not any(re.fullmatch(_pattern(place, name.noun), _blank(out)) for place in places):
            expected = " or ".join(place.replace("<noun>", name.noun) for place in places)
            yield f"{stage}: the output {out} is not where it belongs, {expected}."
        elif not any(_spells(path, out) for path in written):
            yield (
                f'{name.module}: expected the path f"{ITEM.sub("{name}", out)}", an output of '
                f"{name} in dvc.yaml, spelled out, so that one search finds both."
            )
    for path in written:
        if not any(_spells(path, out) for out in stage.outs):
            yield f"{stage}: {name.module} writes {path}, which is not among the outs."


def _drawn_outputs(tree: Tree, stage: Stage) -> Iterator[str]:
    nouns = [name.noun for name in tree.drawings]
    expected = {f"figures/{noun}/${{item.model}}.{suffix}" for noun in nouns for suffix in DRAWN}
    for out in sorted(expected - set(stage.outs)):
        yield f"{stage}: outs lacks {out}, which {DRAW}/{out.split('/')[1]}.py draws."
    for out in sorted(set(stage.outs) - expected):
        place = f"{PLACES['draw'][0]} of a {DRAW}/<noun>.py"
        yield f"{stage}: the output {out} is not where it belongs, {place}."
    if not any(path == "figures/{}/{}" for path in _paths(tree.module(stage.name.module))):
        yield f'{stage.name.module}: expected the path f"figures/{{noun}}/{{name}}", spelled out.'


# Rule 5: DVC does not follow imports, nor does it see which files are opened. dvc.yaml names both.


def imports_are_deps(tree: Tree) -> Iterator[str]:
    for stage in tree.runnable:
        importers = _importers(tree, _dotted(stage.name))
        yield from _missing_deps(tree, stage, importers)
        yield from _needless_deps(tree, stage, {tree.modules[name] for name in importers})
        yield from _lazy_imports(tree, importers)


def _missing_deps(tree: Tree, stage: Stage, importers: dict[str, str]) -> Iterator[str]:
    for name, importer in sorted(importers.items()):
        path = tree.modules[name]
        if _holds_code(tree, path) and not any(_covers(dep, path) for dep in stage.source_deps):
            by = "the stage runs" if importer == name else f"{tree.modules[importer]} imports"
            yield f"{stage}: deps lacks {path}, which {by}; an edit of it would re-run nothing."


def _needless_deps(tree: Tree, stage: Stage, imported: set[str]) -> Iterator[str]:
    modules = {path for path in tree.modules.values() if _holds_code(tree, path)}
    for dep in stage.source_deps:
        below = {path for path in modules | imported if _covers(dep, path)}
        if Path(dep).suffix not in ("", ".py") and tree.has(dep):
            continue  # what a module opens, as a style file
        if not below & imported:
            yield f"{stage}: deps has {dep}, which {stage.name.module} imports nowhere."
        elif below - imported and (dep, str(stage.name)) != (DRAW, "draw"):
            needed = {path for path in below & imported if _holds_code(tree, path)}
            yield (
                f"{stage}: the dep {dep} is too wide; list what the stage imports of it, "
                f"{_list(sorted(needed))}."
            )


def _lazy_imports(tree: Tree, importers: Iterable[str]) -> Iterator[str]:
    """Names taken from a package that loads them on demand: nobody can see what they load."""
    for name in importers:
        path = tree.modules[name]
        for imported in sorted(_imported(tree.module(path), name, path)):
            package = imported.rpartition(".")[0]
            lazy = package in tree.modules and _function(
                tree.module(tree.modules[package]), "__getattr__"
            )
            if lazy and imported not in tree.modules:
                yield f"{path}: imports {imported} from a package; name its module instead."


def files_are_deps(tree: Tree) -> Iterator[str]:
    for stage in tree.runnable:
        opened = list(_opened(tree, stage))
        for path in opened:
            if not any(_gives(dep, path) for dep in stage.data_deps):
                yield f"{stage}: deps lacks {path}, which {stage.name.module} reads."
        for dep in stage.data_deps:
            if not any(_gives(dep, path) for path in opened):
                yield f"{stage}: deps has {dep}, which {stage.name.module} does not read."


def _opened(tree: Tree, stage: Stage) -> Iterator[str]:
    """Data and results that a stage reads: its paths, less those that it writes."""
    name = stage.name
    if not name.noun:
        for drawing in tree.drawings:
            yield from _drawn_results(tree, drawing)
        return
    yield from (path for path in _paths(tree.module(name.module)) if not _is_home(path, name))
    if "corpus" in _config_reads(tree, stage):
        yield from (tree.yaml(path)["path"] for path in tree.glob("conf/corpus/*.yaml"))


def _drawn_results(tree: Tree, drawing: Name) -> Iterator[str]:
    """What RESULTS of a drawing stands for: `csv` is the unnamed table, `pairs.csv` a named one."""
    names = _assigned(tree.module(drawing.module), "RESULTS")
    for name in ast.literal_eval(names) if names else ():
        table, _, suffix = name.rpartition(".")
        yield f"results/{drawing.noun}/{table + '/' if table else ''}{{}}.{suffix}"


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
    for file in files:
        reads |= dict.fromkeys(
            _interpolated(tree, file),
            f"{file} interpolates it, and DVC hashes those letters, not the value",
        )
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
    """The attributes of its one argument, the composed settings, that `main` touches."""
    main = _function(tree.module(stage.name.module), "main")
    if main is None or not main.args.args:
        return set()
    config = main.args.args[0].arg
    return {
        node.attr
        for node in ast.walk(main)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == config
    }


# Rule 7: no file and no folder is left over from something that is gone.


def nothing_is_left_over(tree: Tree) -> Iterator[str]:
    yield from _settings_left_over(tree)
    yield from _modules_left_over(tree)
    yield from _tests_left_over(tree)
    yield from _folders_left_over(tree)
    for folder, key in DESCRIPTIONS.items():
        for name in tree.yaml("params.yaml").get(key) or []:
            if not tree.has(f"conf/{folder}/{name}.yaml"):
                yield f"params.yaml: {key} has {name}; expected a file conf/{folder}/{name}.yaml."


def _settings_left_over(tree: Tree) -> Iterator[str]:
    expected = {name.conf for name in tree.names}
    for path in tree.glob("conf/*/*"):
        folder = path.split("/")[1]
        if folder not in DESCRIPTIONS and path not in expected:
            wanted = f"src/embspace/{folder}/{Path(path).stem}.py"
            yield f"{path}: belongs to nothing; expected a stage and {wanted}, or no such file."


def _modules_left_over(tree: Tree) -> Iterator[str]:
    stages = {name.module for name in tree.names}
    imported = set()
    for path in stages & set(tree.modules.values()):
        imported |= {tree.modules[name] for name in _importers(tree, _dotted_path(path))}
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
    outs = [_blank(out).split("/") for stage in tree.stages for out in stage.outs]
    files = [*tree.glob("results/**/*.*"), *tree.glob("figures/**/*.*")]
    for path in sorted({Path(file).parent.as_posix() for file in files}):
        parts = path.split("/")
        if not any(all(a in (b, "{}") for a, b in zip(out, parts, strict=False)) for out in outs):
            yield f"{path}/: belongs to nothing; expected a stage in dvc.yaml with an output there."


# Rule 8: whoever has a question finds the figure and the name.


def readme_has_a_row_for_each_measure(tree: Tree) -> Iterator[str]:
    if not tree.has("README.md"):
        yield "README.md: does not exist; expected a table, | question | figure | `noun` |."
        return
    rows = [line for line in tree.text("README.md").splitlines() if line.lstrip().startswith("|")]
    for noun in _measured(tree):
        if not any(f"`{noun}`" in row and f"figures/{noun}/" in row for row in rows):
            yield (
                f"README.md: expected a table row of measure_{noun}: a question, a link to "
                f"figures/{noun}/ and the noun, `{noun}`."
            )


# Rule 9: every measurement is drawn, and whoever has only the figure's file finds its stage.


def figures_name_their_stage(tree: Tree) -> Iterator[str]:
    drawn = {name.noun: name for name in tree.drawings}
    for noun in _measured(tree):
        if noun not in drawn:
            yield f"{DRAW}/{noun}.py: expected draw_{noun}(), the figure of measure_{noun}."
    for noun, name in drawn.items():
        stages = [f"{verb}_{noun}" for verb in VERBS[:-2] if Name(verb, noun) in tree.names]
        if not stages:
            yield f"{name.module}: draws what no stage measures; expected measure_{noun}."
        elif not set(stages) & set(_strings(tree.module(name.module))):
            yield f'{name.module}: expected stage="{stages[0]}", which stands on the figure.'
    yield from _title_problems(tree)


def _title_problems(tree: Tree) -> Iterator[str]:
    main = f"{DRAW}/__main__.py"
    if not tree.has(main):
        return
    titles = [
        ast.unparse(keyword.value)
        for call in _calls(tree.module(main), "save_figure")
        for keyword in call.keywords
        if keyword.arg == "title"
    ]
    if not titles or not all("measure_{noun}" in title for title in titles):
        yield f'{main}: expected save_figure(..., title=f"measure_{{noun}}@{{name}}").'


def _measured(tree: Tree) -> list[str]:
    return [name.noun for name in tree.functions if name.verb == "measure"]


RULES: tuple[Callable[[Tree], Iterator[str]], ...] = (
    stages_have_modules,
    draw_knows_all_drawings,
    settings_are_arguments,
    modules_have_tests,
    outputs_lie_in_their_place,
    imports_are_deps,
    files_are_deps,
    settings_are_params,
    nothing_is_left_over,
    readme_has_a_row_for_each_measure,
    figures_name_their_stage,
)

# Paths. In `{}` form, the parts that vary are blanks: both `${item.model}` of dvc.yaml and
# `{name}` of an f-string.

ITEM = re.compile(r"\$\{item\.\w+\}")
SYNTAX = {
    r"\[": "(?:",
    r"\]": ")?",
    r"\{": "(?:",
    r"\}": ")",
    ",": "|",
    "<table>": r"\w+",
    "<file>": r"[\w.]+",
    "<suffix>": r"[\w.]+",
}


def _blank(path: str) -> str:
    return ITEM.sub("{}", path)


def _pattern(place: str, noun: str) -> str:
    """The regular expression of a place in PLACES, for paths in `{}` form."""
    pattern = re.escape(place.replace("<noun>", noun))
    for sign, meaning in SYNTAX.items():
        pattern = pattern.replace(sign, meaning)
    return re.sub(r"<\w+>", r"\\{\\}", pattern)


def _is_home(path: str, name: Name) -> bool:
    """Whether a path lies where the stage of this name writes."""
    homes = [place.replace("<noun>", name.noun).split("<")[0] for place in PLACES[name.verb]]
    return any(path.startswith(home.rstrip("[")) for home in homes)


def _spells(path: str, out: str) -> bool:
    """Whether the path of a module is that of an output, but for a suffix."""
    return _blank(out) == path or _blank(out).startswith(f"{path}.")


def _gives(dep: str, path: str) -> bool:
    """Whether a dep is the path that a module reads, the folder above it, or it and a suffix."""
    return _covers(_blank(dep), _blank(path)) or _spells(path, dep)


def _covers(dep: str, path: str) -> bool:
    return path == dep or path.startswith(f"{dep.rstrip('/')}/")


# Modules.


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def _loaded(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _function(module: ast.Module, name: str) -> ast.FunctionDef | None:
    functions = (node for node in module.body if isinstance(node, ast.FunctionDef))
    return next((function for function in functions if function.name == name), None)


def _does_something(module: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) for node in ast.walk(module))


def _calls(module: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            yield node


def _assigned(module: ast.Module, variable: str) -> ast.expr | None:
    """What a variable of a module is set to."""
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(each, ast.Name) and each.id == variable for each in targets):
            return getattr(node, "value", None)
    return None


@cache
def _strings(module: ast.Module) -> tuple[str, ...]:
    """All strings of a module; what an f-string fills in is `{}`."""
    formatted = [node for node in ast.walk(module) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for string in formatted for part in string.values}
    constants = [node for node in ast.walk(module) if isinstance(node, ast.Constant)]
    plain = [node.value for node in constants if id(node) not in inside]
    return (*map(_unfilled, formatted), *(text for text in plain if isinstance(text, str)))


def _unfilled(string: ast.JoinedStr) -> str:
    parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in string.values)
    return "".join(map(str, parts))


def _paths(module: ast.Module) -> list[str]:
    """The strings that are paths of data, results or figures."""
    return [text for text in _strings(module) if re.fullmatch(r"(data|results|figures)/\S+", text)]


# Imports.


def _dotted_path(path: str) -> str:
    return ".".join(Path(path).with_suffix("").parts[1:])


def _dotted(name: Name) -> str:
    return _dotted_path(name.module)


def _importers(tree: Tree, start: str) -> dict[str, str]:
    """All modules that are loaded with `start`, itself included, and who imports each first."""
    importers = {start: start}
    queue = [start]
    for name in queue:
        path = tree.modules[name]
        imported = {name} | _imported(tree.module(path), name, path)
        for each in sorted(package for module in imported for package in _with_packages(module)):
            if each in tree.modules and each not in importers:
                importers[each] = name
                queue.append(each)
    return importers


def _with_packages(name: str) -> Iterator[str]:
    """`a.b.c`, and `a` and `a.b`, whose __init__.py run first."""
    parts = name.split(".")
    return (".".join(parts[: end + 1]) for end in range(len(parts)))


@cache
def _imported(module: ast.Module, name: str, path: str) -> frozenset[str]:
    """What a module imports, also inside functions; `from a import b` may be a or a.b."""
    package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
    found: set[str] = set()
    for node in _running(module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return frozenset(each for each in found if each.split(".")[0] == "embspace")


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module, less what only a type checker reads or a lazy package loads later."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from child.orelse
        elif not (isinstance(child, ast.FunctionDef) and child.name == "__getattr__"):
            yield child
            yield from _running(child)


def _holds_code(tree: Tree, path: str) -> bool:
    """False for an __init__.py that holds only its docstring."""
    body = tree.module(path).body
    return not path.endswith("__init__.py") or any(not isinstance(node, ast.Expr) for node in body)


def _list(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"


if __name__ == "__main__":
    sys.exit("\n".join(problems(Path.cwd())) or None)
