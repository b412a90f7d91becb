"""Times of the library and of queries beside plain transformers and sentence-transformers.

`python -m benchmarks.library`, also a part of `make bench`, writes benchmarks/library.md. Rounds go
through all contestants, each in a fresh process; of each the least processor time counts, which
other work on the machine hardly moves, and the least wall time.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.repro import Run, timed
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.models.locate import locate_files
from embspace.settings.model import PackageModel, describe_model
from embspace.settings.schema import read_yaml
from embspace.verify.provenance import processor

ROUNDS = 3
MODEL = "minilm"
N_LAYERS = 7  # of it, the embedding output included
N_TEXTS = 2000
CORPUS = Path("data/texts/posts.jsonl")
PAGE = Path("benchmarks/library.md")
QUERIES = {
    "cosine": ["cosine", MODEL, "low tide", "fresh bread"],
    "search": ["search", MODEL, "boats at sea", "--corpus", "posts"],
    "track": ["track", MODEL, "The cat sat on the mat."],
}
CLOCK = """
import json, sys, time
marks = [(time.perf_counter(), time.process_time())]
def mark():
    marks.append((time.perf_counter(), time.process_time()))
def end():
    pairs = zip(marks, marks[1:])
    print(json.dumps([[b[0] - a[0], b[1] - a[1]] for a, b in pairs]))
FIRST, NEXT = ["The tide was out.", "Bread needs salt."], ["Rain fell on it.", "A boat went by."]
def texts(n):
    lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
    read = [json.loads(line)["text"] for line in lines]
    return [f"{read[number % len(read)]} ({number})" for number in range(n)]
"""
SCRIPTS = {
    "import": "import embspace\nmark()\nend()",
    "plain": """
import torch
from transformers import AutoModel, AutoTokenizer
tokenizer, module = (kind.from_pretrained(sys.argv[1]) for kind in (AutoTokenizer, AutoModel))
def states(texts):
    with torch.inference_mode():
        batch = tokenizer(texts, padding=True, return_tensors="pt")
        return [state.numpy() for state in module(**batch, output_hidden_states=True).hidden_states]
for batch in (FIRST, NEXT):
    states(batch)
    mark()
end()
""",
    "spaces": """
import embspace
for batch in (FIRST, NEXT):
    s = embspace.spaces(sys.argv[3], batch)
    for layer in range(int(sys.argv[5])):
        s["layer", layer]
    mark()
end()
""",
    "module": """
import embspace
from transformers import AutoModel, AutoTokenizer
tokenizer, module = (kind.from_pretrained(sys.argv[1]) for kind in (AutoTokenizer, AutoModel))
for batch in (FIRST, NEXT):
    embspace.spaces(module, batch, tokenizer=tokenizer)["layer", -1]
    mark()
end()
""",
    "encode": """
from sentence_transformers import SentenceTransformer
encoder = SentenceTransformer(sys.argv[4], device="cpu")
many = texts(int(sys.argv[6]))
encoder.encode(FIRST)
mark()
encoder.encode(many, show_progress_bar=False)
mark()
end()
""",
    "many": """
import embspace
many = texts(int(sys.argv[6]))
embspace.spaces(sys.argv[3], FIRST)["layer", -1]
mark()
embspace.spaces(sys.argv[3], many)["sentence"]
mark()
end()
""",
    "object": """
import embspace
from sentence_transformers import SentenceTransformer
encoder = SentenceTransformer(sys.argv[4], device="cpu")
many = texts(int(sys.argv[6]))
embspace.spaces(encoder, FIRST)["sentence"]
mark()
embspace.spaces(encoder, many)["sentence"]
mark()
end()
""",
}


class Ratio(NamedTuple):
    """A row of the page: ours beside another's, each by contestant and number of the mark."""

    title: str
    ours: tuple[str, int]
    other: tuple[str, int] | None
    reach: str


ROWS = (
    Ratio("`import embspace`", ("import", 0), None, "0.1 s"),
    Ratio("first `spaces()` of two sentences, all layers", ("spaces", 0), ("plain", 0), "1.3"),
    Ratio("the next two", ("spaces", 1), ("plain", 1), "1.3"),
    Ratio("a transformers module of the user's, the next two", ("module", 1), ("plain", 1), "1.3"),
    Ratio(f"{N_TEXTS:,} texts, all layers and poolings", ("many", 1), ("encode", 1), "1.05"),
    Ratio("the same by a sentence-transformers object", ("object", 1), ("encode", 1), "–"),
    *(
        Ratio(f"`embspace {name}`, second time", (name, 0), ("whole plain", 0), "1.3")
        for name in QUERIES
    ),
)


def marks(script: str, arguments: Sequence[str]) -> list[Run]:
    """Return the costs between the marks that a script sets in a fresh process.

    Raises:
        InputError: if it fails, with the end of what it said.
    """
    command = [sys.executable, "-c", f"{CLOCK}{script}", *arguments]
    env = {**os.environ, "PYTHONPATH": "src"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise InputError(f"a script failed:\n{done.stderr[-2000:]}")
    return [Run(*pair) for pair in json.loads(done.stdout.splitlines()[-1])]


def measured(arguments: Sequence[str], rounds: int = ROUNDS) -> dict[str, list[Run]]:
    """Return the least costs of all contestants, by the mark."""
    commands = {
        name: [sys.executable, "-c", "from embspace.app.cli import app; app()", *words]
        for name, words in QUERIES.items()
    }
    commands["whole plain"] = [sys.executable, "-c", f"{CLOCK}{SCRIPTS['plain']}", *arguments]
    for name in QUERIES:
        timed(Path.cwd(), commands[name])  # the first time, which keeps the corpus
    costs: dict[str, list[Run]] = {}
    for _ in range(rounds):
        for name, script in SCRIPTS.items():
            costs[name] = least(costs.get(name), marks(script, arguments))
        for name, command in commands.items():
            costs[name] = least(costs.get(name), [timed(Path.cwd(), command)])
    return costs


def least(before: list[Run] | None, now: list[Run]) -> list[Run]:
    """Return the smaller of the costs of two rounds, clock by clock."""
    pairs = zip(before or now, now, strict=True)
    return [Run(*map(min, one, other)) for one, other in pairs]


def page(costs: Mapping[str, list[Run]], load: float) -> str:
    """Return what was measured, in Markdown."""
    head = (
        "# The library\n\n"
        "Written by `python -m benchmarks.library`: each contestant in a fresh process, "
        f"{ROUNDS} rounds in turn, of which the least counts; the model is {MODEL}. Beside "
        "`spaces` and the queries stand ten lines of transformers (load, tokenize, forward, all "
        "layers), beside many texts `encode` of sentence-transformers, both without what they "
        f"load. {processor()}, {os.cpu_count()} cores; the load was {load:.1f} at the start.\n\n"
        "| what | ratio of processor time | reach | processor time, s | wall time, s |\n"
        "|---|---|---|---|---|"
    )
    return "\n".join([head, *(_line(row, costs) for row in ROWS), ""])


def _line(row: Ratio, costs: Mapping[str, list[Run]]) -> str:
    name, number = row.ours
    ours = costs[name][number]
    if row.other is None:
        cells = "–", row.reach, f"{ours.processor_seconds:.2f}", f"{ours.seconds:.2f}"
    else:
        other = costs[row.other[0]][row.other[1]]
        cells = (
            f"{ours.processor_seconds / other.processor_seconds:.2f}",
            row.reach,
            f"{ours.processor_seconds:.3f} : {other.processor_seconds:.3f}",
            f"{ours.seconds:.3f} : {other.seconds:.3f}",
        )
    return f"| {row.title} | {' | '.join(cells)} |"


def run_library() -> None:
    """Measure, and write and print the page.

    Raises:
        InputError: if a contestant fails.
    """
    load = os.getloadavg()[0]
    model = describe_model(MODEL, read_yaml(Path(f"conf/model/{MODEL}.yaml")))
    assert isinstance(model, PackageModel)
    folder = str(locate_files(MODEL, model))
    text = page(measured([folder, str(CORPUS), MODEL, folder, str(N_LAYERS), str(N_TEXTS)]), load)
    print(text)
    with writing(PAGE) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        run_library()
    except InputError as error:
        sys.exit(f"error: {error}")
