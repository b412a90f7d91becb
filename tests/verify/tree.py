"""A small tree of results and baselines, in the current folder."""

from pathlib import Path

from embspace.files.atomic import write_bytes
from embspace.published.contents import Contents
from embspace.verify.rules import Rules, Tolerances, rules_of

TOLERANCES = """
kinds:
  row: {names_row: true, reason: a name}
  count: {exact: true, reason: how many}
  moment: {relative: 1.0e-4, absolute: 1.0e-6, reason: rounding}
  cosine: {absolute: 1.0e-3, reason: rounding}
columns:
  space: row
  rank: row
  n: count
  token: count
  mean: moment
  norm_*: moment
ranked:
  pairs: {rank: rank, by: cosine, identity: [first, second]}
rows:
  similarity: {where: {space: positional}, columns: {mean: cosine}}
files:
  pairs:
    columns: {cosine: cosine, first: count, second: count}
"""

MODEL = """
label: Small
license: CC0-1.0
language: English
source: hub
repository: maker/small
matrices: {input: x, positional: null, segment: null}
"""

SUMMARY = "space,n,mean\ninput,3,1.5\npositional,2,0.25\n"
SCALARS = '{"segment": {"norm_0": 0.5, "n": 2}}\n'


def make_tree(models: str = "[small]") -> None:
    """params.yaml, rules, and two results of the model `small` that are their own baselines."""
    put(
        "params.yaml",
        f"models: {models}\ncorpora: [articles]\nprofiled: []\ntrained: []\nseed: 0\ndevice: cpu\n",
    )
    put("tests/baselines/tolerances.yaml", TOLERANCES)
    put("conf/model/small.yaml", MODEL)
    for folder in ("results", "tests/baselines"):
        put(f"{folder}/similarity/summary/small.csv", SUMMARY)
        put(f"{folder}/interrelations/small.json", SCALARS)


def put(path: str, content: str) -> Path:
    """Write a file as git would."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
    return file


def compute(path: str, content: str) -> Path:
    """Write a file as a stage would."""
    write_bytes(Path(path), content.encode())
    return Path(path)


def table(text: str) -> Contents:
    """Rows from lines of words: the first line has the columns."""
    columns, *rows = [tuple(line.split()) for line in text.strip().splitlines()]
    return Contents(columns, tuple(dict(zip(columns, row, strict=True)) for row in rows))


def rules(file: str = "x/small.csv") -> Rules:
    """What `TOLERANCES` says of a file."""
    import yaml

    return rules_of(Tolerances.model_validate(yaml.safe_load(TOLERANCES)), Path(file))
