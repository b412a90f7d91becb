"""Writes pages of runs, pairs and corpora, and a list of all pages, from the user's tree."""

from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from embspace.app.page.named import named_page, parts_of, rendered
from embspace.app.page.names import PLURALS, Named, listed_names
from embspace.app.reporting.listed import Report, reports_of
from embspace.files.atomic import writing
from embspace.files.copies import copy_file

TEMPLATE = "overview.html.jinja"
REPORTS = Path("reports")
TREE = "tree"
N_FINDINGS = 3  # of each in the list


class Entry(NamedTuple):
    """A line of the list: `pages` are links by text, relative to reports/."""

    named: Named
    findings: list[str]
    pages: dict[str, str]


def write_named(
    root: Path,
    named: Named,
    *,
    is_single: bool = False,
    tree: Path | None = None,
    folder: Path | None = None,
) -> Path:
    """Write the page of a name, with copies of the linked files.

    Args:
        root: The study with the pages.
        named: The subject of the page.
        is_single: Whether the files are inside the page.
        tree: The tree of the results; None for the study.
        folder: The folder of the page, relative to the root; None for reports/<name>, or, for a
            model, reports/<name>/tree, beside the report with files perhaps from a different tree.

    Returns:
        The page, relative to the root.
    """
    if folder is None:
        folder = REPORTS / named.name / (TREE if named.kind == "model" else "")
    text, linked = named_page(tree or root, named, is_single=is_single, is_computed=bool(tree))
    for file in linked:
        copy_file((tree or root) / file, root / folder / file)
    page = folder / "index.html"
    with writing(root / page) as partial:
        partial.write_text(text, encoding="utf-8")
    return page


def write_all(root: Path, *, is_single: bool = False) -> Path:
    """Write a page for each model, run, pair and corpus of params.yaml or with results, and a list.

    The list has all other reports, too, of the user's own models and texts.

    Returns:
        The list, reports/index.html, relative to the root.
    """
    entries = list[Entry]()
    for named in listed_names(root):
        parts, pages = parts_of(root, named), dict[str, str]()
        if parts:
            page = write_named(root, named, is_single=is_single)
            pages["all of this tree"] = page.relative_to(REPORTS).as_posix()
        if named.kind == "model" and (root / REPORTS / named.name / "index.html").is_file():
            pages["its report"] = f"{named.name}/index.html"
        findings = [part.finding for part in parts if part.finding]
        entries.append(Entry(named, findings[:N_FINDINGS], pages))
    kinds = groupby(entries, lambda entry: PLURALS[entry.named.kind])
    page = REPORTS / "index.html"
    with writing(root / page) as partial:
        text = rendered(
            TEMPLATE,
            reports=_others(root, entries),
            kinds=[(kind, [*group]) for kind, group in kinds],
            has_findings=any(entry.findings for entry in entries),
        )
        partial.write_text(text, encoding="utf-8")
    return page


def _others(root: Path, entries: list[Entry]) -> dict[str, Report]:
    """Return the reports that have no entry, the newest first, by link from reports/."""
    names = {entry.named.name for entry in entries}
    return {
        report.page.relative_to(root / REPORTS).as_posix(): report
        for report in reports_of(root)
        if report.page.parent.name not in names
    }
