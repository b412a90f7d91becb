"""The page of a run, a pair or a corpus: all that the user's tree has of it, computed or not."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from embspace.app.page.fragment import policy_of
from embspace.app.page.html import as_html
from embspace.app.page.model import LARGEST, STYLE
from embspace.app.page.names import FOLDERS, Named
from embspace.app.page.nothing import has_rows
from embspace.app.page.pictures import png_uri, svg_uri, title_in
from embspace.app.page.questions import stage_apart
from embspace.app.page.section import VERBS
from embspace.draw.page.markdown import markdown_table, pointer_apart
from embspace.draw.page.saving import ALL_RUNS
from embspace.errors import counted
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table
from embspace.settings.params import CONF, models_of
from embspace.settings.pipeline import read_stages
from embspace.settings.stage import settings_path

if TYPE_CHECKING:
    import pandas as pd

TEMPLATE = "named.html.jinja"
LARGEST_ALONE = 25_000_000  # of one that holds the files beside it, too
WHAT_MOVED = "model_changes"
N_ROWS = 40  # of a table of a corpus
DIGITS = 3
TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
    ".csv": "text/csv",
    ".json": "application/json",
    ".tex": "text/plain",
}


@dataclass(frozen=True)
class Part:
    """An analysis. `title` and `tables` are HTML; files are relative to the tree's root."""

    noun: str
    key: str
    title: str
    tables: str
    finding: str
    picture: Path | None
    downloads: list[Path]
    settings: dict[str, str]
    stages: list[str]
    about: str = ""
    """The subject of a finding about more than the page, as `all runs`."""


def parts_of(root: Path, named: Named) -> list[Part]:
    """Return the analyses with a figure or results of a name, in the order by noun.

    For a pair, what moved comes first. Figures of all runs belong to every run with results of the
    noun.
    """
    if named.kind == "corpus":
        return [*_parts_of_corpus(root, named)]
    results = _results(root, named.name)
    shown = {file.parent.name: named.name for file in _drawn(root, named.name)}
    if named.kind == "run":
        every = {file.parent.name: ALL_RUNS for file in _drawn(root, ALL_RUNS)}
        shown |= {noun: of for noun, of in every.items() if noun in results}
    stages = _stages(root)
    return [
        _with_subject(
            _part(root, noun, shown.get(noun, named.name), results.get(noun, []), stages), named
        )
        for noun in sorted({*shown, *results}, key=lambda noun: (noun != WHAT_MOVED, noun))
    ]


def named_page(
    root: Path, named: Named, *, is_single: bool = False, is_computed: bool = False
) -> tuple[str, list[Path]]:
    """Return the page of a name, and the linked files, relative to the tree's root.

    Unless `is_computed`, the page says that nothing was computed.

    Figures are inside the page, as SVG; the largest become PNG where all together exceed 12 MB. If
    `is_single`, the linked files are inside, too, and no file is returned; files beyond 25 MB in
    all are left out and named.
    """
    parts = parts_of(root, named)
    claims = _claims(root, named, parts)
    texts = [*(part.tables for part in parts), *(table for _, table in claims)]
    texts += [text for part in parts for text in part.settings.values()]
    # Bytes; some for what the template says of each.
    spare = LARGEST - sum(len(text.encode()) for text in texts) - 500_000
    pictures = fitting(root, parts, spare)
    links = {file: file.as_posix() for part in parts for file in part.downloads}
    left_out = list[Path]()
    if is_single:
        spare = LARGEST_ALONE - LARGEST
        for file in sorted(links, key=lambda file: (root / file).stat().st_size):
            links[file] = _as_uri(root / file)
            spare -= len(links[file])
            if spare < 0:
                left_out.append(file)
        links = {file: uri for file, uri in links.items() if file not in left_out}
    page = rendered(
        TEMPLATE,
        named=named,
        is_computed=is_computed,
        parts=parts,
        pictures=pictures,
        links=links,
        left_out=left_out,
        claims=claims,
        findings=[part for part in parts if part.finding],
        without_findings=_why_without_findings(parts),
        provenance=_provenance(root, named),
        descriptions=_descriptions(root, named),
    )
    return page, [] if is_single else [*links]


def fitting(root: Path, parts: Iterable[Part], spare: int) -> dict[str, str]:
    """Return the figure of every part as a data URI: SVG, or PNG for the largest beyond `spare`."""
    pictures = {part.key: _picture(root / part.picture) for part in parts if part.picture}
    smaller = {part.key: root / "figures" / f"{part.key}.png" for part in parts}
    for key in sorted(pictures, key=lambda key: -len(pictures[key])):
        if sum(map(len, pictures.values())) > spare and smaller[key].is_file():
            pictures[key] = min(pictures[key], _picture(smaller[key]), key=len)
    return pictures


def rendered(template: str, **values: object) -> str:
    """Return a page from a template of this package, with the style of all."""
    from jinja2 import Environment, StrictUndefined

    here = files("embspace.app.page")
    # What is marked `safe` in the template was made here.
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(here.joinpath(template).read_text(encoding="utf-8")).render(
        style=here.joinpath(STYLE).read_text(encoding="utf-8"),
        policy=policy_of([]),
        version=version("embspace"),
        **values,
    )


def _drawn(root: Path, name: str) -> list[Path]:
    return sorted((root / "figures").glob(f"*/{name}.png"))


def _results(root: Path, name: str) -> dict[str, list[Path]]:
    """Return the files of results/ that are called after a name and have rows, by noun."""
    by_noun = dict[str, list[Path]]()
    for suffix in ("csv", "json"):
        for file in sorted((root / "results").rglob(f"{name}.{suffix}")):
            place = file.relative_to(root)
            if len(place.parts) > 2 and has_rows(file):
                by_noun.setdefault(place.parts[1], []).append(place)
    return by_noun


def _stages(root: Path) -> dict[str, list[str]]:
    """Return the addresses of the stages that make the results, by noun."""
    by_noun = dict[str, list[str]]()
    for stage in read_stages(root).values():
        if not stage.name.startswith("draw_"):
            for noun in stage.nouns():
                by_noun.setdefault(noun, []).append(stage.address())
    return by_noun


def _part(
    root: Path, noun: str, of: str, results: list[Path], stages: dict[str, list[str]]
) -> Part:
    """Return an analysis with figure and tables, or with results alone."""
    text = root / "figures" / noun / f"{of}.md"
    page = text.read_text(encoding="utf-8") if text.is_file() else ""
    page, finding, _ = pointer_apart(page)
    title, tables = as_html(page)
    tables, _ = stage_apart(tables)
    drawn = sorted((root / "data/drawn").glob(f"*/{of}/{noun}.*"))
    vector = next((file for file in drawn if file.suffix == ".svg"), None)
    finding = title_in(vector.read_text(encoding="utf-8")) if vector else finding
    image = root / "figures" / noun / f"{of}.png"
    picture = vector or (image if image.is_file() else None)
    settings = (settings_path(verb, noun, root) for verb in VERBS)
    downloads = [*drawn, *([image] if image.is_file() else [])]
    return Part(
        noun=noun,
        key=f"{noun}/{of}",
        title=title or noun,
        tables=tables,
        finding=finding,
        picture=picture.relative_to(root) if picture else None,
        downloads=[*(file.relative_to(root) for file in downloads), *results],
        settings={
            file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
            for file in settings
            if file.is_file()
        },
        stages=stages.get(noun, []),
    )


def _parts_of_corpus(root: Path, named: Named) -> Iterator[Part]:
    """Yield the analyses of every model that have rows of a corpus, with the tables' first rows."""
    stages = _stages(root)
    by_analysis = dict[tuple[str, str], "list[tuple[Path, pd.DataFrame]]"]()
    for file in sorted((root / "results").rglob("*.csv")):
        place = file.relative_to(root)
        rows = load_table(str(file)) if len(place.parts) > 2 and _has_corpus(file) else None
        if rows is not None and len(rows := rows[rows["corpus"] == named.name]):
            by_analysis.setdefault((place.parts[1], file.stem), []).append((place, rows))
    for (noun, of), tables in by_analysis.items():
        part = _part(root, noun, of, [place for place, _ in tables], stages)
        texts = [
            f"## {place.as_posix()}\n\n"
            f"{counted(len(rows), 'row')} of this corpus, {min(len(rows), N_ROWS)} shown.\n\n"
            f"{markdown_table(rows.head(N_ROWS), DIGITS)}\n"
            for place, rows in tables
        ]
        title = part.title if part.title != noun else f"{noun}, {of}"
        part = replace(part, title=title, tables=as_html("\n".join(texts))[1])
        yield _with_subject(part, named)


def _with_subject(part: Part, named: Named) -> Part:
    """Return a part with the subject of the finding, if different from the page's own subject."""
    of = {"run": "all runs: ", "corpus": "all corpora: "}.get(named.kind, "")
    is_own = part.key.endswith(f"/{named.name}") or any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", part.finding)
        for name in (named.name, named.label)
    )
    return part if is_own else replace(part, about=of)


def _has_corpus(file: Path) -> bool:
    with file.open(encoding="utf-8") as lines:
        return "corpus" in lines.readline().strip().split(",")


def _claims(root: Path, named: Named, parts: list[Part]) -> list[tuple[str, str]]:
    """Return the tables of claims with a verdict, by file, as HTML."""
    if named.kind == "corpus":
        return []
    claims = list[tuple[str, str]]()
    for file in (file for part in parts for file in part.downloads if file.suffix == ".csv"):
        table = load_table(str(root / file))
        if "verdict" in table and len(table):
            text = markdown_table(table[table["verdict"] != "not checkable"], DIGITS)
            claims.append((file.as_posix(), as_html(text)[1]))
    return claims


def _why_without_findings(parts: Iterable[Part]) -> str:
    """Return the reason why a page lists no findings: findings are read from titles of SVG figures.

    Empty if the page has an SVG: the title then has no finding.
    """
    endings = {part.picture.suffix for part in parts if part.picture}
    if ".svg" in endings:
        return ""
    if endings:
        return (
            "The findings are in the titles of the figures. They are listed here if the figures "
            "are in this tree as SVG, too."
        )
    return "No figure of it is in this tree, and so no finding is listed."


def _provenance(root: Path, named: Named) -> dict[str, dict[str, str]]:
    """Return, by name, on what machine and with what libraries the results were computed."""
    file = root / "results/provenance.json"
    known = load_scalars(str(file)) if file.is_file() else {}
    names = models_of(named.name) if named.kind == "pair" else (named.name,)
    names = (named.name,) if named.name in known else names
    return {
        name: {key.replace("_", " "): _said(value) for key, value in known[name].items()}
        for name in names
        if name in known
    }


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _descriptions(root: Path, named: Named) -> dict[str, str]:
    """Return the texts of the files of conf/ about a name, by path."""
    names = models_of(named.name) if named.kind == "pair" else (named.name,)
    kind = "model" if named.kind == "pair" else named.kind
    paths = [CONF / FOLDERS[kind] / f"{name}.yaml" for name in names]
    return {path.as_posix(): (root / path).read_text(encoding="utf-8") for path in paths}


def _picture(file: Path) -> str:
    return (svg_uri if file.suffix == ".svg" else png_uri)(file.read_bytes())


def _as_uri(file: Path) -> str:
    kind = TYPES.get(file.suffix, "application/octet-stream")
    return f"data:{kind};base64,{b64encode(file.read_bytes()).decode('ascii')}"
