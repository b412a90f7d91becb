"""Command `embspace reports`: lists all reports, by the names that the user gave."""

import json
import os
import re
import time
from pathlib import Path
from typing import NamedTuple

from embspace.files.atomic import writing
from embspace.files.json_keys import read_json
from embspace.settings.params import CONF, PAIR

REPORTS = Path("reports")
NOTE = "report.json"  # beside a page
TITLE = "title"
DIGEST = re.compile("-[0-9a-f]{8}$")  # ends the name of a model or corpus of the user's


def note(folder: Path, title: str) -> None:
    """Write beside a page the title under which its report is listed."""
    with writing(folder / NOTE) as partial:
        partial.write_text(json.dumps({TITLE: title}, ensure_ascii=False), encoding="utf-8")


class Report(NamedTuple):
    """A page in reports/: the title in lists, and the day it was last written, as 2026-05-31."""

    title: str
    day: str
    page: Path


def reports_of(root: Path) -> list[Report]:
    """Return the reports of a study, the newest first."""
    pages = sorted((root / REPORTS).glob("*/index.html"), key=lambda page: -page.stat().st_mtime)
    return [Report(_title(page.parent, root), _day(page), page) for page in pages]


def list_reports(root: Path, here: Path) -> list[str]:
    """Return a line for every report of a study, newest first: title, day, page from `here`."""
    reports = reports_of(root)
    width = max((len(report.title) for report in reports), default=0)
    return [
        f"{title:{width}}  {day}  {os.path.relpath(page, here)}" for title, day, page in reports
    ]


def _title(folder: Path, root: Path) -> str:
    """Return the title noted beside the page, or one made of the names in its folder's name."""
    content = read_json(folder / NOTE) if (folder / NOTE).is_file() else None
    title = content.get(TITLE) if isinstance(content, dict) else None
    return title if isinstance(title, str) else _title_of_names(folder.name, root)


def _title_of_names(name: str, root: Path) -> str:
    """Return what a page without a note is about: a model on texts, two models, a run, a corpus."""
    subject, *options = name.split("+")
    first, *others = [DIGEST.sub("", part) for part in subject.split(PAIR)]
    is_pair = bool(others) and (root / CONF / "model" / f"{others[0]}.yaml").is_file()
    second = f" and {others.pop(0)}" if is_pair else ""
    texts = f" on {', '.join(others)}" if others else ""
    return first + second + texts + "".join(f" --{option}" for option in options)


def _day(page: Path) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(page.stat().st_mtime))
