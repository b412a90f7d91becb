"""Writes the headings, rows, kinds and questions of declared analyses, and what is compared."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import starmap
from typing import Any

import yaml

from embspace.analysis import TABLE, Analysis
from embspace.graph.declarations import (
    ALL_RUNS,
    PAGED,
    Declared,
    declared,
    drawing_of,
    drawings_of,
    plain_question,
)
from embspace.settings.params import TOY

WRITTEN = "Written by `python -m embspace.graph`"
NOTE = f"# {WRITTEN} from the declarations beside the functions of stages.\n"
BELOW = f"  # {WRITTEN} from here on.\n"
WIDTH = 100


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
            if not drawings_of(member.chapter, member.chapter)[noun].drawn_in
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
