"""Command `embspace reports`: the reports that there are, called as the user has called things."""

import json
import os
import time
from pathlib import Path

from embspace.files.atomic import writing
from embspace.files.json_keys import read_json

REPORTS = Path("reports")
NOTE = "report.json"  # beside a page
TITLE = "title"


def note(folder: Path, title: str) -> None:
    """Write beside a page what its report is listed as."""
    with writing(folder / NOTE) as partial:
        partial.write_text(json.dumps({TITLE: title}, ensure_ascii=False), encoding="utf-8")


def list_reports(root: Path, here: Path) -> list[str]:
    """Return a line for each report of a study, the newest first: title, day, page from `here`."""
    pages = sorted((root / REPORTS).glob("*/index.html"), key=lambda page: -page.stat().st_mtime)
    titles = [_title(page.parent) for page in pages]
    width = max(map(len, titles), default=0)
    return [
        f"{title:{width}}  {_day(page)}  {os.path.relpath(page, here)}"
        for title, page in zip(titles, pages, strict=True)
    ]


def _title(folder: Path) -> str:
    """Return what is noted, or of an older page the name of its folder."""
    content = read_json(folder / NOTE) if (folder / NOTE).is_file() else None
    title = content.get(TITLE) if isinstance(content, dict) else None
    return title if isinstance(title, str) else folder.name


def _day(page: Path) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(page.stat().st_mtime))
