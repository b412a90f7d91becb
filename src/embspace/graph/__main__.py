"""Writes files from the declarations of analyses: `python -m embspace.graph`.

Only declared parts are replaced: stages in pipeline/<chapter>/dvc.yaml, rows of docs/analyses.md,
compared tables in conf/compare/measures.yaml, the last entries of tests/baselines/tolerances.yaml,
questions in src/embspace/app/page/questions.yaml, all of src/embspace/draw/<chapter>/tables.yaml.
"""

from functools import partial
from pathlib import Path

from embspace.files.atomic import write_bytes
from embspace.graph.declarations import chapters
from embspace.graph.listings import (
    tables_of,
    with_compared,
    with_kinds,
    with_questions,
    with_rows,
)
from embspace.graph.stages import with_stages
from embspace.settings.params import PARAMS
from embspace.settings.pipeline import GRAPH
from embspace.settings.schema import read_yaml

ANALYSES = Path("docs/analyses.md")
COMPARED = Path("conf/compare/measures.yaml")
TOLERANCES = Path("tests/baselines/tolerances.yaml")
QUESTIONS = Path("src/embspace/app/page/questions.yaml")
TABLES = "tables.yaml"  # beside the drawings of a chapter


def tables() -> dict[Path, str]:
    """Return the content of the files from which drawings take results and headings."""
    folder = Path("src/embspace/draw")
    return {
        folder / chapter / TABLES: tables_of(analyses) for chapter, analyses in chapters().items()
    }


def rest(root: Path) -> dict[Path, str]:
    """Return the content of the files that depend on drawings, too."""
    files, members = {}, chapters()
    present = {path.parent.name for path in root.glob(f"pipeline/*/{GRAPH}")}
    for chapter in sorted(members.keys() | present):
        graph = Path("pipeline") / chapter / GRAPH
        files[graph] = with_stages(_text(root / graph), chapter, members.get(chapter, []), root)
    model = str(read_yaml(root / PARAMS)["models"][0])
    return files | {
        ANALYSES: with_rows(_text(root / ANALYSES), model),
        COMPARED: with_compared(_text(root / COMPARED)),
        TOLERANCES: with_kinds(_text(root / TOLERANCES)),
        QUESTIONS: with_questions(_text(root / QUESTIONS)),
    }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main() -> None:
    """Write and name the files that differ; first the files that drawings read when imported."""
    for contents in (tables, partial(rest, Path())):
        for path, content in contents().items():
            if not path.is_file() or _text(path) != content:
                write_bytes(path, content.encode())
                print(path)


if __name__ == "__main__":
    main()
