"""Writes what the commands of docs/questions.md print into the page.

A block of the page begins with `$ embspace ...`; what follows is the output. `python -m
benchmarks.practice --parts commands` runs all of them on docstrings of installed packages, notes
their costs, and fills the page; `python -m benchmarks.questions DIR` fills it from outputs that
`--folder DIR` kept.
"""

import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from embspace.files.atomic import writing

PAGE = Path("docs/questions.md")
CALLED = "$ embspace "
FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`embspace ([^`]+)`")
WIDTH = 110
WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
TEXT = r"(?:^  \+?\d\.\d.*\n)"
HUB = r"(?:^ +\d+ times.*\n)"
FAR = r"(?:^[* ] {3,}\d\.\d.*\n)"
KIND = r"(?:^ *\S+ +\S+ +\d+ +\d+ +\d+\n)"
# Rows that the page leaves out; it keeps those of the group.
LEFT_OUT = {
    "threshold": r"()^most alike:\n(?:^ {3}0.*\n)+",
    "drift": rf"({TEXT}{{2}}){TEXT}+",
    "compress": r"()(?:^  (?:first|PCA|random) (?!64\b).*\n)+",
    "transform": r"()(?:(?:^  without [12] .*\n)+|^pairs:(?:.*\n)+?(?=^labels|^best))",
    "hubs": rf"({HUB}{{2}}){HUB}+",
    "outliers": rf"({FAR}{{3}}){FAR}+",
    "tokens": rf"({KIND}{{5}}){KIND}+",
}
MORE = "  …"
Said = Callable[[Sequence[str]], str]


def commands_of(text: str) -> list[tuple[str, ...]]:
    """Return the commands whose outputs a page shows, in order."""
    return [
        tuple(shlex.split(line.removeprefix(CALLED)))
        for block in FENCE.findall(text)
        for line in block.splitlines()
        if line.startswith(CALLED)
    ]


def further_commands(text: str) -> list[tuple[str, ...]]:
    """Return the commands that the prose and the tables name."""
    return [tuple(shlex.split(call)) for call in INLINE.findall(text)]


def output_file(call: Sequence[str], folder: Path) -> Path:
    """Return the file that keeps what a command printed."""
    return folder / f"{' '.join(call)}.txt"


def shown(call: Sequence[str], output: str) -> str:
    """Return an output as the page has it: some rows, rows of texts cut, other lines wrapped."""
    said, _, sentence = output.strip().rpartition("\n\n")
    if not said:  # no sentence for a paper
        said, sentence = sentence, ""
    if call[0] in LEFT_OUT:
        said = re.sub(LEFT_OUT[call[0]], rf"\g<1>{MORE}\n", f"{said}\n", flags=re.MULTILINE)
    lines = [part for line in said.rstrip().splitlines() for part in _fitted(line.rstrip())]
    wrapped = textwrap.wrap(sentence, WIDTH, **WHOLE_WORDS)
    return "\n".join([*lines, *([""] if sentence else []), *wrapped])


def _fitted(line: str) -> list[str]:
    """Return a line of the width of the page: the row of a text is cut, all else wrapped."""
    if len(line) <= WIDTH:
        return [line]
    if line.startswith((" ", "*")):
        return [f"{line[: WIDTH - 1]}…"]
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", **WHOLE_WORDS)


def filled(text: str, said: Said) -> str:
    """Return a page with the present output behind each command."""

    def block(match: re.Match[str]) -> str:
        parts = [
            f"{CALLED}{shlex.join(call)}\n{shown(call, said(call))}"
            for call in commands_of(match[0])
        ]
        return "```console\n" + "\n".join(parts) + "\n```"

    return FENCE.sub(block, text)


def fill(folder: Path, page: Path = PAGE) -> None:
    """Fill the page with outputs that a folder keeps."""
    text = filled(
        page.read_text(encoding="utf-8"),
        lambda call: output_file(call, folder).read_text(encoding="utf-8"),
    )
    with writing(page) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
