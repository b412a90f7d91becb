"""The endings of tables: capitals change nothing, and `.gz` follows that of what it holds."""

from pathlib import PurePosixPath

GZIP = ".gz"
JSON_LINES = (".jsonl", ".ndjson")
SEPARATORS = {".csv": ",", ".tsv": "\t"}
PLAIN = ".txt"
JSON = ".json"
PARQUET, ARROW = ".parquet", ".arrow"
OF_LINES = (*JSON_LINES, PLAIN, *SEPARATORS)
"""Read line by line, in memory of one line, also when they are compressed."""
ENDINGS = (
    *(".jsonl", ".ndjson", JSON, PLAIN, ".csv", ".tsv", PARQUET, ARROW),
    *(f"{ending}{GZIP}" for ending in (*JSON_LINES, PLAIN, *SEPARATORS)),
)


def ending_of(name: str) -> str:
    """Return the ending of a file's name in small letters, with that before `.gz`: `.csv.gz`."""
    small = name.lower()
    zipped = GZIP if small.endswith(GZIP) else ""
    return PurePosixPath(small.removesuffix(GZIP)).suffix + zipped


def stem_of(name: str) -> str:
    """Return a file's name without its folders and its ending: `x` of `a/x.CSV.gz`."""
    last = PurePosixPath(name).name
    return last[: len(last) - len(ending_of(last))] or last


def listed() -> str:
    """Return the endings as a message has them."""
    return (
        f"{', '.join(ending for ending in ENDINGS if GZIP not in ending)}; those of lines, {GZIP}"
    )
