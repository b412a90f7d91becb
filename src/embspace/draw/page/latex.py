"""Writes the tables of a Markdown page as LaTeX with booktabs, one environment a table."""

import re
from collections.abc import Iterator

# As Markdown sees it: a run of backticks and the next one of the same length.
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
LONGEST = 45  # rows that fit on a page; longer tables break across pages
HEAD = (
    "% Written by embspace, stage {stage}. Needs \\usepackage{{booktabs,longtable}}; for tokens "
    "of\n"
    "% any script compile with lualatex or xelatex and a font that has them.\n"
)
SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
}
FOLDS = re.compile("</?(details|summary)>")  # lines that `folded` adds
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BARS = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"-(?=\d)")
RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"  # the signs of an exponent
POWER = f"( × 10[{RAISED}]+)?"
# A number, also with its interval, or what is not defined.
_NUMERIC = re.compile(rf"(< )?-?[\d.,]+{POWER}( \[.*\])?{POWER}|–|")
_POWER = re.compile(f" × 10([{RAISED}]+)")
_LOWERED = str.maketrans(RAISED, "-0123456789")


def latex_tables(markdown: str, label: str, stage: str) -> str:
    """Return each table of a page as LaTeX, named `tab:<label>_<number>`.

    The heading and the sentences above a table become its caption. The page may have headings,
    paragraphs, pipe tables and code spans, as embspace's own have. `stage` wrote the page.
    """
    tables = [
        _table(caption, rows, f"tab:{label}_{number}")
        for number, (caption, rows) in enumerate(_tables(markdown), 1)
    ]
    return "\n".join([HEAD.format(stage=stage), *tables])


def escaped(text: str) -> str:
    """Return words as LaTeX, code spans in typewriter, every special character escaped."""
    parts, start = [], 0
    for span in CODE.finditer(text):
        inside = span[2].replace("\\|", "|")
        if len(inside) > 2 and inside[0] == inside[-1] == " ":
            inside = inside[1:-1]  # which keeps backticks apart
        parts.append(_plain(_ESCAPE.sub(r"\1", text[start : span.start()])))
        parts.append(f"\\texttt{{{_plain(inside)}}}")
        start = span.end()
    return "".join([*parts, _plain(_ESCAPE.sub(r"\1", text[start:]))])


def _plain(text: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in text)


def _tables(markdown: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield caption and rows of each table; the header and the rule are among the rows."""
    heading, sentences = "", list[str]()
    for block in re.split(r"\n\s*\n", markdown.strip()):
        lines = [line for line in block.strip().splitlines() if not FOLDS.match(line)]
        if not lines:
            continue
        if lines[0].startswith("|"):
            yield " ".join([heading, *sentences]).strip(), [_cells(line) for line in lines]
            sentences = []
        elif lines[0].startswith("#"):
            heading, sentences = f"{lines[0].lstrip('# ')}.", []
        else:
            sentences.append(" ".join(lines))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _BARS.split(line.strip().strip("|"))]


def _table(caption: str, rows: list[list[str]], label: str) -> str:
    header, _, *body = rows
    columns = "".join(
        "r" if all(_NUMERIC.fullmatch(cell) for cell in cells) else "l"
        for cells in zip(*body, strict=True)
    )
    head = f"{_row(header)}\n\\midrule"
    content = "\n".join(_row(cells) for cells in body)
    title = f"\\caption{{{escaped(caption)}}}\\label{{{label}}}"
    if len(body) > LONGEST:
        return (
            f"\\begin{{longtable}}{{{columns}}}\n{title}\\\\\n\\toprule\n{head}\n\\endhead\n"
            f"{content}\n\\bottomrule\n\\end{{longtable}}\n"
        )
    return (
        f"\\begin{{table}}\n\\centering\n{title}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{head}\n{content}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _row(cells: list[str]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(cell: str) -> str:
    # A minus sign is longer than a hyphen, and few fonts have raised digits.
    return _POWER.sub(_power, _NUMBER.sub("$-$", escaped(cell)))


def _power(match: re.Match[str]) -> str:
    return rf" $\times 10^{{{match[1].translate(_LOWERED)}}}$"
