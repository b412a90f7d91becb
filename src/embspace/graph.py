"""Writes files from the declarations of analyses: `python -m embspace.graph`.

Only declared parts are replaced: stages in pipeline/<chapter>/dvc.yaml, rows of docs/analyses.md,
compared tables in conf/compare/measures.yaml, the last entries of tests/baselines/tolerances.yaml,
questions in src/embspace/app/page/questions.yaml, all of src/embspace/draw/<chapter>/tables.yaml.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

import yaml

import embspace
from embspace.analysis import ITEMS, SCALARS, TABLE, Analysis
from embspace.files.atomic import write_bytes
from embspace.settings.params import PARAMS, TOY
from embspace.settings.pipeline import GRAPH
from embspace.settings.schema import read_yaml
from embspace.settings.stage import FROM_PARAMS, settings_file

SOURCE = Path(embspace.__file__).parent
VERBS = ("measure", "project", "compare")
UNTRACKED = "device"  # changes no number beyond tolerance, so that no stage depends on it
ANALYSES = Path("docs/analyses.md")
COMPARED = Path("conf/compare/measures.yaml")
TOLERANCES = Path("tests/baselines/tolerances.yaml")
QUESTIONS = Path("src/embspace/app/page/questions.yaml")
TABLES = "tables.yaml"  # beside the drawings of a chapter
WRITTEN = "Written by `python -m embspace.graph`"
NOTE = f"# {WRITTEN} from the declarations beside the functions of stages.\n"
BELOW = f"  # {WRITTEN} from here on.\n"
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
ALL_RUNS = "all_runs"  # as in draw/page/saving.py, which imports matplotlib
WIDTH = 100
PAGED = ("models", "profiled")  # lists whose analyses are sections of a model's page


class Declared(NamedTuple):
    """A declaration and the place of its module."""

    analysis: Analysis
    function: Callable[..., Any]
    chapter: str

    @property
    def settings(self) -> str:
        """The settings file."""
        parts = self.function.__module__.split(".")[1:]
        return f"conf/{'/'.join(parts)}.yaml"


@cache
def modules() -> dict[str, str]:
    """Return the dotted names of modules with a declaration, by noun; imports no module."""
    paths = sorted(path for verb in VERBS for path in (SOURCE / verb).rglob("*.py"))
    return {
        path.stem: path.relative_to(SOURCE.parent).with_suffix("").as_posix().replace("/", ".")
        for path in paths
        if " = Analysis(\n" in _text(path)
    }


def declared() -> list[Declared]:
    """Return all declarations, sorted by module."""
    return [declaration(noun) for noun in modules()]


@cache
def declaration(noun: str) -> Declared:
    """Return the declaration of a noun.

    Raises:
        ValueError: if declaration and module differ in the stage, or the module lacks the function.
    """
    name = modules()[noun]
    module = import_module(name)
    analysis = next(value for value in vars(module).values() if isinstance(value, Analysis))
    function = getattr(module, analysis.stage, None)
    if function is None or analysis.stage != f"{name.split('.')[1]}_{noun}":
        raise ValueError(f"{name}: declares {analysis.stage}, and has no function of this name")
    return Declared(analysis, function, _chapter(name))


def _chapter(name: str) -> str:
    """Return the chapter of a module: the folder or, for `project`, the folder of the drawing."""
    *folders, noun = name.split(".")[2:]
    return folders[0] if folders else next((SOURCE / "draw").glob(f"*/{noun}.py")).parent.name


def _chapters() -> dict[str, list[Declared]]:
    """Return the declarations by chapter."""
    chapters: dict[str, list[Declared]] = {}
    for member in declared():
        chapters.setdefault(member.chapter, []).append(member)
    return chapters


def tables() -> dict[Path, str]:
    """Return the content of the files from which drawings take results and headings."""
    folder = Path("src/embspace/draw")
    return {
        folder / chapter / TABLES: tables_of(analyses) for chapter, analyses in _chapters().items()
    }


def rest(root: Path) -> dict[Path, str]:
    """Return the content of the files that depend on drawings, too."""
    files, chapters = {}, _chapters()
    present = {path.parent.name for path in root.glob(f"pipeline/*/{GRAPH}")}
    for chapter in sorted(chapters.keys() | present):
        graph = Path("pipeline") / chapter / GRAPH
        files[graph] = with_stages(_text(root / graph), chapter, chapters.get(chapter, []), root)
    model = str(read_yaml(root / PARAMS)["models"][0])
    return files | {
        ANALYSES: with_rows(_text(root / ANALYSES), model),
        COMPARED: with_compared(_text(root / COMPARED)),
        TOLERANCES: with_kinds(_text(root / TOLERANCES)),
        QUESTIONS: with_questions(_text(root / QUESTIONS)),
    }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# Stages.


def with_stages(text: str, chapter: str, members: Iterable[Declared], root: Path) -> str:
    """Return a graph with the stages of the declared analyses, new stages before the drawings.

    `members` are all of the chapter: other stages of declared nouns go, with their comments.
    """
    members = [*members]
    together = _drawings(chapter, chapter) if members else {}
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


def _drawings(chapter: str, name: str) -> dict[str, Any]:
    """Return what the stage draws that is named after a chapter, or after a noun drawn alone."""
    module = "__main__" if name == chapter else name
    drawings: dict[str, Any] = import_module(f"embspace.draw.{chapter}.{module}").DRAWINGS
    return drawings


def drawing_of(member: Declared) -> Any:
    """Return the drawing of an analysis, which its chapter or a separate stage draws."""
    noun, chapter = member.analysis.noun, member.chapter
    together = _drawings(chapter, chapter)
    return (together if noun in together else _drawings(chapter, noun))[noun]


def drawing_entry(chapter: str, name: str, over: str, root: Path) -> dict[str, Any]:
    """Return the stage that draws a chapter, or a single noun of the chapter.

    Runs share a page. The stage depends on folders, as runs that `trained` no longer names stay
    there.
    """
    from embspace.draw.page.saving import functions_of

    drawings, kind = _drawings(chapter, name), ITEMS.get(over, "model")
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


def plain_question(analysis: Analysis) -> str:
    """Return the question of an analysis alone: figures, links and conditions follow it."""
    question, mark, _ = analysis.question.partition("?")
    return question + mark


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


# What readers see.


def tables_of(members: Iterable[Declared]) -> str:
    """Return, by noun, the results for the drawing, with the headings for readers."""
    content = {
        member.analysis.noun: {
            "results": list(drawn_results(member.analysis)),
            **({"headings": headings} if (headings := member.analysis.headings) else {}),
        }
        for member in members
        if member.analysis.is_drawn
    }
    return NOTE + _dumped(content)


def drawn_results(analysis: Analysis) -> Iterator[str]:
    """Yield the results in the figure, under the names of `load_results`."""
    for name, path in sorted(analysis.outputs.items()):
        if name in analysis.undrawn:
            continue
        if name in analysis.tables and name != TABLE:
            yield f"{name}.csv"
        elif path.startswith("data/measured/") and name == "parquet":
            yield f"data/measured/{analysis.noun}.parquet"
        else:
            yield name


def with_rows(text: str, model: str) -> str:
    """Return the list of analyses with the rows of declared analyses, new rows at the end.

    A row with several analyses stays; the row of an analysis without a question goes. `model` names
    the model with figures in git; a row of pairs or of further lists keeps its name.
    """
    lines = text.splitlines()
    for member in declared():
        analysis = member.analysis
        own = [line for line in lines if _nouns(line) == [analysis.noun]]
        drawn_in = drawing_of(member).drawn_in if analysis.is_drawn else ""
        row = _row(member, model, "".join(own), drawn_in or analysis.noun)
        if own and analysis.question:
            lines[lines.index(own.pop(0))] = row
        elif analysis.question and not any(analysis.noun in _nouns(line) for line in lines):
            lines.insert(1 + max(n for n, line in enumerate(lines) if line.startswith("|")), row)
        lines = [line for line in lines if line not in own]
    return "\n".join(lines) + "\n"


def _row(member: Declared, model: str, old: str, drawn_in: str) -> str:
    analysis = member.analysis
    item = _item_with_figure(analysis, model, old)
    figure = f"figures/{analysis.noun}/{item}"
    tables = "table" if len(analysis.tables) == 1 else "tables"
    if item.startswith("<"):  # git has none
        links = f"`{figure}.png`, `{figure}.md`"
    else:
        own = "all runs" if item == ALL_RUNS else "figure"
        named = {drawn_in: own if drawn_in == analysis.noun else "see also"}
        further = {
            noun: name
            for noun, name in analysis.further_figures.items()
            if not _drawings(member.chapter, member.chapter)[noun].drawn_in
        }
        pictures = [
            f"[{name}](../figures/{noun}/{item}.png)"
            for noun, name in (named | further | named).items()
        ]
        links = ", ".join([*pictures, f"[{tables}](../{figure}.md)"])
    where = " (in `conf/project/`, as all maps)" if analysis.verb == "project" else ""
    return f"| {analysis.question} | {links} | `{analysis.noun}`{where} |"


def _item_with_figure(analysis: Analysis, model: str, old: str) -> str:
    """Return the model, run or pair whose figure a row shows, or `<model>` if git has none."""
    if analysis.over in ("", "models"):
        return model if analysis.over else TOY
    if analysis.item == "run":
        return ALL_RUNS
    named = re.search(rf"figures/{analysis.noun}/([^<]+?)\.(?:png|md)", old)
    return named[1] if named else f"<{analysis.item}>"


def _nouns(line: str) -> list[str]:
    """Return the nouns in the last cell of a row; none for a line that is no row."""
    return re.findall(r"`(\w+)`", line.split("| ")[-1]) if line.startswith("|") else []


# What other commands read.


def with_compared(text: str) -> str:
    """Return the settings of `compare_measures` with the compared tables of declared analyses."""
    head, mark, body = text.partition("\nsources:\n")
    sources = [(entry["noun"], entry["table"]) for entry in yaml.safe_load(body)]
    written: dict[tuple[str, str], dict[str, Any]] = {}
    for analysis in (member.analysis for member in declared()):
        halves = analysis.outputs.get("parquet", "")  # their deviations, if a comparison has them
        for name, table in analysis.tables.items():
            if table.compared:
                title = analysis.noun if name == TABLE else name
                written[analysis.noun, title] = {
                    "noun": analysis.noun,
                    "table": title,
                    "file": analysis.outputs[name].replace("{model}", "{}"),
                    "keys": table.keys,
                    **({"along": table.along} if table.along else {}),
                    "quantities": list(table.compared),
                    **({"halves": halves.format(model="{}")} if halves else {}),
                }
    present = {name: written[name] for name in sources if name in written}
    entries = (starmap(_listed, entry.items()) for entry in (present | written).values())
    return head + mark + "".join("  - " + "\n    ".join(lines) + "\n" for lines in entries)


def _listed(key: str, value: Any) -> str:
    """Return an entry of a source; a list too long for a line has a line per item."""
    text = value if isinstance(value, str) else f"[{', '.join(value)}]"
    line = f"{key}: {text}"
    return line if len(line) <= WIDTH - 4 else "\n      - ".join([f"{key}:", *value])


def with_kinds(text: str) -> str:
    """Return the tolerances with the kinds of all columns of declared analyses at the end."""
    rules = {}
    for analysis in (declaration.analysis for declaration in declared()):
        if analysis.scalars:
            rules[analysis.noun] = {"columns": dict(analysis.scalars)}
        for name, table in analysis.tables.items():
            place = analysis.noun if name == TABLE else f"{analysis.noun}/{name}"
            columns = rules.get(place, {"columns": {}})["columns"] | table.kinds
            rules[place] = {"columns": columns}
    entries = _dumped(rules).splitlines(True)
    return text.partition(BELOW)[0] + BELOW + "".join(f"  {line}" for line in entries)


def with_questions(text: str) -> str:
    """Return the questions of a page's sections with those of declared analyses.

    A new entry comes last, and lacks the sentence on how to read the figure.
    """
    for analysis in (member.analysis for member in declared()):
        if analysis.question and analysis.over in PAGED:
            question = yaml.safe_dump({"question": plain_question(analysis)}, width=math.inf)
            entry = f"{analysis.noun}:\n  {question}"
            old = re.search(rf"^{analysis.noun}:\n  question: .*\n", text, re.MULTILINE)
            text = text[: old.start()] + entry + text[old.end() :] if old else text + entry
    return text


def _dumped(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(content), sort_keys=False, width=WIDTH, allow_unicode=True)


def main() -> None:
    """Write and name the files that differ; first the files that drawings read when imported."""
    for contents in (tables, partial(rest, Path())):
        for path, content in contents().items():
            if not path.is_file() or _text(path) != content:
                write_bytes(path, content.encode())
                print(path)


if __name__ == "__main__":
    main()
