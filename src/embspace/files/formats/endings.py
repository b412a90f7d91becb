"""The endings of tables: capitals make no difference, and `.gz` follows the content's ending."""

from pathlib import PurePosixPath

GZIP = ".gz"
JSON_LINES = (".jsonl", ".ndjson")
SEPARATORS = {".csv": ",", ".tsv": "\t"}
PLAIN = ".txt"
JSON = ".json"
PARQUET, ARROW = ".parquet", ".arrow"
OF_LINES = (*JSON_LINES, PLAIN, *SEPARATORS)
"""Endings of files read line by line, with a line in memory, even if compressed."""
ENDINGS = (
    *(".jsonl", ".ndjson", JSON, PLAIN, ".csv", ".tsv", PARQUET, ARROW),
    *(f"{ending}{GZIP}" for ending in (*JSON_LINES, PLAIN, *SEPARATORS)),
)


def ending_of(name: str) -> str:
    """Return a file name's ending in small letters, with the ending before `.gz`: `.csv.gz`."""
    small = name.lower()
    zipped = GZIP if small.endswith(GZIP) else ""
    return PurePosixPath(small.removesuffix(GZIP)).suffix + zipped


def stem_of(name: str) -> str:
    """Return a file's name without its folders and its ending: `x` of `a/x.CSV.gz`."""
    last = PurePosixPath(name).name
    return last[: len(last) - len(ending_of(last))] or last


def listed() -> str:
    """Return the endings as a list for messages."""
    return (
        f"{', '.join(ending for ending in ENDINGS if GZIP not in ending)}; those of lines, {GZIP}"
    )
