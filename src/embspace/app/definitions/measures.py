"""Prints the definition of a measure or an analysis, and writes docs/definitions.md of measures."""

import re
from collections.abc import Collection
from inspect import getdoc

from embspace import geometry
from embspace.app.definitions.analyses import described
from embspace.errors import InputError, not_among
from embspace.geometry.measures.declaration import FAMILIES, TRANSFORMATIONS, Definition, Family
from embspace.geometry.measures.registry import definitions
from embspace.geometry.pairs.door import INVARIANCES
from embspace.graph.declarations import modules

OF_FAMILY: dict[Family, str] = {
    "direction": "Do the vectors point the same way?",
    "spectrum": "Over how many directions is their variance spread?",
    "context": "What does a vector owe to its word, and what to its text?",
    "intrinsic_dimension": "How many numbers would it take to say where on the cloud a vector is?",
    "hubs": "Who is whose neighbor, and how far away?",
}
IN_WORDS = {
    "rotation": "rotation",
    "scale": "rescaling",
    "translation": "translation",
    "lengths": "vector lengths",
    "coordinate_scales": "coordinate rescaling",
}

LIST = "embspace define"
# A topic, and no measure: papers mean by it how alike vectors point, or how uneven their variance.
TOPICS: dict[str, list[Family]] = {"anisotropy": ["direction", "spectrum"]}
BESIDE = """## Beside the measures

`embspace.geometry` has further functions of arrays. All take the inputs of measures (lists, arrays
of any real type and order, data frames, tensors of any device) and give the result of the same
numbers in float64. Masked and sparse arrays, `np.matrix`, complex numbers, texts, NaN, magnitudes
beyond 1e-15 to 1e15 and views of different points are refused by name. "Unchanged" means to 1e-9.
`embspace define NAME` says more.

| unchanged by | functions |
| --- | --- |
{}
"""

INLINE = re.compile(r"\\\((.*?)\\\)")
COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)|.", re.DOTALL)
LETTERS = ("alpha", "delta", "zeta", "lambda", "mu", "pi", "rho", "sigma", "tau")
SYMBOLS = {
    **dict(zip(LETTERS, "αδζλμπρστ", strict=True)),
    **{"varepsilon": "ε", "varphi": "φ", "Delta": "Δ", "Sigma": "Σ", "sum": "Σ"},
    **{"cdot": "·", "ne": "≠", "le": "≤", "ge": "≥", "pm": "±", "in": "∈", "to": "→"},
    **{"infty": "∞", "top": "ᵀ", "dots": "…", "lfloor": "⌊", "rfloor": "⌋", "quad": " "},
    "arg": "arg ",
    **dict.fromkeys(("left", "right"), ""),
    **{name: name for name in ("arccos", "cos", "cosh", "exp", "log", "max", "min")},
    **{"|": "‖", "{": "{", "}": "}", "#": "#", "_": "_", ",": " ", ";": " ", " ": " "},
}
MARKS = {"bar": "\u0304", "hat": "\u0302"}  # above the letter before
WORDS = ("text", "texttt", "operatorname")
POWERS = {"2": "²", "3": "³", "-1": "⁻¹", "ᵀ": "ᵀ"}


def define(name: str | None) -> str:
    """Return the definition of a measure, function or analysis, a family's measures, or a search.

    Without a name, return a line for every measure. For a word that is none of these names, list
    the definitions that mention it.

    Raises:
        InputError: if no definition mentions the word.
    """
    known = definitions()
    if name is None:
        return "\n\n".join(_listed(family, known) for family in FAMILIES)
    phrase = name.strip().casefold()
    as_name = re.sub(r"\W+", "_", phrase)
    as_analysis = [described(as_name)] if as_name in modules() else []
    if as_name in known:
        return "\n\n".join([_described(known[as_name], known), *as_analysis])
    if families := TOPICS.get(phrase) or [
        family for family in FAMILIES if as_name in (family, family.split("_")[-1])
    ]:
        return "\n\n".join([*(_listed(family, known) for family in families), *as_analysis])
    if as_analysis:
        return as_analysis[0]
    functions = _beside(known)
    if as_name in functions:
        return f"{as_name}\n\n{functions[as_name]}\n\n>>> from embspace.geometry import {as_name}"
    if lines := _speaking_of(phrase, known, functions):
        return f"what speaks of '{name}'; `embspace define NAME` says more\n" + "\n".join(lines)
    raise InputError(
        f"measure: {not_among(name, [*known, *FAMILIES, *functions, *modules()], LIST)}"
    )


def _speaking_of(phrase: str, known: dict[str, Definition], functions: dict[str, str]) -> list[str]:
    """Return a line for every measure and function with a word in the name or the text."""
    word = re.compile(rf"(?<![a-z_]){re.escape(phrase)}(?![a-z_])")
    texts = {
        name: (measure.summary, " ".join((measure.text, measure.source, measure.bias)))
        for name, measure in known.items()
    }
    texts |= {name: (text.partition("\n")[0], text) for name, text in functions.items()}
    summaries = {
        name: summary
        for name, (summary, text) in texts.items()
        if phrase and word.search(f"{name.replace('_', ' ')} {name} {text}".casefold())
    }
    width = max(map(len, summaries), default=0)
    return [f"  {name:{width}}  {summary}" for name, summary in summaries.items()]


def _described(measure: Definition, known: dict[str, Definition]) -> str:
    """Return everything that a measure declares."""
    facts = {
        "family": measure.family,
        "formula": readable(measure.formula),
        "range": readable(measure.range),
        "source": measure.source,
        "unchanged by": _unchanged_by(measure),
        "few vectors": INLINE.sub(lambda match: readable(match[1]), measure.bias),
    }
    shown = "\n".join(f"{key + ':':13} {value}" for key, value in facts.items())
    return f"{measure.name}\n\n{measure.text}\n\n{shown}\n\n{_example(measure, known)}"


def readable(formula: str) -> str:
    """Return a formula in LaTeX as text for a terminal: `Σ_i (v_i)² / n`.

    Raises:
        KeyError: for a command of LaTeX that no formula has used before.
    """
    line, _ = _plain(COMMAND.findall(formula), 0)
    return re.sub(r" +", " ", line).replace("( ", "(").replace(" )", ")").strip()


def _plain(marks: list[str], at: int) -> tuple[str, int]:
    """Return the rest of a group as plain text, and where it ends."""
    shown = ""
    while at < len(marks) and marks[at] != "}":
        part, at = _part(marks, at)
        shown += part
    return shown, at + 1


def _part(marks: list[str], at: int) -> tuple[str, int]:
    """Return a letter, a command with its arguments, or a group, and where it ends."""
    mark, name, at = marks[at], marks[at].removeprefix("\\"), at + 1
    if mark == "{":
        return _plain(marks, at)
    if mark in ("_", "^"):
        content, at = _argument(marks, at)
        if mark == "^":
            return POWERS.get(content, f"^{_in_parentheses(content)}"), at
        is_short = len(content) == 1 or content.isdigit()
        return f"_{content if is_short else f'({content})'}", at
    if name == mark:
        return mark, at
    if name in WORDS:
        return _argument(marks, at)
    if name in MARKS:
        content, at = _argument(marks, at)
        return content + MARKS[name], at
    if name == "sqrt":
        content, at = _argument(marks, at)
        return f"√{_in_parentheses(content)}", at
    if name in ("frac", "tfrac"):
        above, at = _argument(marks, at)
        below, at = _argument(marks, at)
        return f"{_in_parentheses(above)}/{_in_parentheses(below)}", at
    return SYMBOLS[name], at


def _argument(marks: list[str], at: int) -> tuple[str, int]:
    while marks[at] == " ":
        at += 1
    return _part(marks, at)


def _in_parentheses(term: str) -> str:
    """Return a term of a single piece unchanged, any other in parentheses."""
    is_whole = re.fullmatch(r"√?[\w.\u0302\u0304]+[²³]?|\|\w+\||√?\([^()]*\)", term)
    return term if is_whole else f"({term})"


def definitions_page() -> str:
    """Return the reference part of docs/definitions.md, with formulas that GitHub renders."""
    known = definitions()
    parts = []
    for family in FAMILIES:
        parts.append(f"## {family.replace('_', ' ').capitalize()}\n\n*{OF_FAMILY[family]}*\n")
        parts += [_section(measure) for measure in known.values() if measure.family == family]
    return "\n".join([*parts, BESIDE.format(_functions(known))])


def _functions(known: dict[str, Definition]) -> str:
    """Return table rows of the public functions that are no measure, grouped by invariance."""
    names_by_invariance: dict[str, list[str]] = {}
    for name in _beside(known):
        if name in INVARIANCES:
            names_by_invariance.setdefault(_in_words(INVARIANCES[name]), []).append(f"`{name}`")
    rows = names_by_invariance.items()
    return "\n".join(f"| {key} | {', '.join(names)} |" for key, names in rows)


def _beside(known: dict[str, Definition]) -> dict[str, str]:
    """Return by name the docstrings of the functions of `embspace.geometry` that are no measure."""
    names = sorted(set(dir(geometry)) - set(known))
    values = {name: getattr(geometry, name) for name in names if not name.startswith("_")}
    return {name: getdoc(value) or "" for name, value in values.items() if callable(value)}


def _listed(family: Family, known: dict[str, Definition]) -> str:
    members = [measure for measure in known.values() if measure.family == family]
    width = max(len(measure.name) for measure in members)
    lines = [f"  {measure.name:{width}}  {measure.summary}" for measure in members]
    return "\n".join([f"{family}: {OF_FAMILY[family]}", *lines])


def _section(measure: Definition) -> str:
    """Return the part of the page on a measure; errors and the example are left to `define`."""
    text, _, _ = measure.text.partition("\n\nRaises:\n")
    facts = (
        f"*Range*: ${measure.range}$. *Unchanged by*: {_unchanged_by(measure)}.",
        f"*Source*: {measure.source}.",
        f"*Few vectors*: {measure.bias}".replace(r"\(", "$").replace(r"\)", "$"),
    )
    formula = f"```math\n{measure.formula}\n```"
    return "\n\n".join([f"### `{measure.name}`", formula, text, "\n".join(facts)]) + "\n"


def _unchanged_by(measure: Definition) -> str:
    return _in_words(measure.invariant_to)


def _in_words(changes: Collection[str]) -> str:
    return ", ".join(IN_WORDS[change] for change in TRANSFORMATIONS if change in changes)


def _example(measure: Definition, known: dict[str, Definition]) -> str:
    """Return the worked example, with imports of its measures."""
    if not measure.example:
        return ""
    lines = [line.removeprefix("    ") for line in measure.example.strip().splitlines()]
    used = [name for name in known if re.search(rf"\b{name}\(", measure.example)]
    return "\n".join([f">>> from embspace.geometry import {', '.join(used)}", *lines])
