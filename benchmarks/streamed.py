"""Times of reading all layers, with and without sums, and how throughput grows with workers.

`python -m benchmarks.streamed`, also a part of `make bench`, reads 500 sentences with MiniLM on one
thread, in turn, and takes the least processor time of three rounds; then it reads 1,000 by one and
by two workers. It writes benchmarks/streamed.md. Where sentence-transformers is installed, its
`encode` is timed, too.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from embspace.draw.page.markdown import markdown_table
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.files.rows import load_rows
from embspace.models.locate import locate_files
from embspace.models.tokenizer import tokenizer_files
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from embspace.stream.cluster import Cluster, check_dask, connected
from embspace.stream.layers import LayerSums, Pilot, Rows
from embspace.stream.plan import Reading, Shard, plan_shards
from embspace.stream.reading import Loaded, load_reading, windows_of_texts
from embspace.stream.sources import Source, Text
from embspace.stream.states import chunks_of, token_states
from embspace.stream.work import finish_shard, loaded, make_pilot

N_TEXTS, ROUNDS, BATCH = 500, 3, 4096
TEXTS_PER_SHARD, N_SHARDS = 125, 8
WORKERS = (1, 2)
TEXTS = Path("data/prepared/texts/sentences.parquet")
PAGE = Path("benchmarks/streamed.md")
SPACES = ("token", "cls", "mean")
ENCODE, EXTRACTION, SUMS = "encode, the last layer", "all layers", "all layers and sums"


def reading() -> Reading:
    """Return how MiniLM reads, with the batches of the command."""
    model = read_yaml(Path("conf/model/minilm.yaml"))
    return Reading(
        "minilm", model, "", SPACES, 512, 64, BATCH, 4 * BATCH, BATCH, "float32", 0.0, "cpu"
    )


def read_texts(texts: Sequence[str], model: Loaded, *, summed: bool) -> int:
    """Read all layers of all texts, with the means of windows or all sums; return the tokens."""
    layers: list[LayerSums] = []
    n_tokens = 0
    given = (Text(str(number), "", text) for number, text in enumerate(texts))
    for _, windows in chunks_of(windows_of_texts(given, model, []), 4 * BATCH):
        states = token_states(model.module, windows, BATCH, None, checked=True)
        n_tokens += states.shape[1]
        rows = Rows.of(windows)
        if summed and not layers:
            pilot = Pilot.of(states, windows)
            layers = [LayerSums(pilot.layer_means(n), SPACES, BATCH) for n in range(len(states))]
        for number, x in enumerate(states):
            if summed:
                layers[number].add(x, rows)
            else:
                rows.totals(x)
    return n_tokens


def least_seconds(calls: dict[str, Callable[[], object]], n_rounds: int) -> dict[str, float]:
    """Return the least processor time of each call, in rounds that go through all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(n_rounds):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name].append(time.process_time() - start)
    return {name: min(measured) for name, measured in seconds.items()}


def times(texts: Sequence[str], how: Reading) -> pd.DataFrame:
    """Return processor time of `encode`, of all layers and with sums, on one thread."""
    import torch

    torch.set_num_threads(1)
    model = load_reading(how)
    calls: dict[str, Callable[[], object]] = {
        EXTRACTION: lambda: read_texts(texts, model, summed=False),
        SUMS: lambda: read_texts(texts, model, summed=True),
    }
    if find_spec("sentence_transformers"):
        from sentence_transformers import SentenceTransformer

        source = tokenizer_files(describe_model(how.model_name, how.model))
        assert source is not None
        peer = SentenceTransformer(str(locate_files(how.model_name, source)), device="cpu")
        peer.max_seq_length = how.window_length
        calls[ENCODE] = lambda: peer.encode(list(texts), show_progress_bar=False)
    for call in calls.values():
        call()  # so that compilation does not count
    least = least_seconds(calls, ROUNDS)
    rows = [
        {"what": name, "processor time, s": took, "to all layers": took / least[EXTRACTION]}
        for name, took in least.items()
    ]
    return pd.DataFrame(rows)


def throughput(shards: Sequence[Shard], how: Reading, n_workers: int) -> float:
    """Return tokens a second of some workers that have started and have the model."""
    from distributed import wait

    root = str(Path.cwd())
    with (
        TemporaryDirectory() as folder,
        connected(Cluster(None, n_workers, 60.0), lambda _: None) as client,
    ):
        client.wait_for_workers(n_workers)
        client.run(_warm, root, how)
        pilot = client.submit(make_pilot, root, list(shards), how, folder).result()
        start = time.perf_counter()
        calls = [
            client.submit(finish_shard, root, shard, how, pilot, folder, pure=False)
            for shard in shards
        ]
        wait(calls)
        seconds = time.perf_counter() - start
        return float(sum(call.result()["tokens"] for call in calls) / seconds)


def _warm(root: str, how: Reading) -> None:
    """Load the model in a worker, and compile what sums take."""
    os.chdir(root)
    read_texts(["one sentence to begin with"], loaded(how), summed=True)


def by_workers(shards: Sequence[Shard], how: Reading) -> pd.DataFrame:
    """Return tokens a second by the number of workers, the best of the rounds, and the ratio."""
    best = dict.fromkeys(WORKERS, 0.0)
    for _ in range(ROUNDS):
        for n in WORKERS:
            best[n] = max(best[n], throughput(shards, how, n))
    rows = [
        {"workers": str(n), "tokens a second": rate, "to one worker": rate / best[1]}
        for n, rate in best.items()
    ]
    return pd.DataFrame(rows)


def page(spent: pd.DataFrame, grown: pd.DataFrame, n_tokens: int, load: float) -> str:
    """Return what was measured, in Markdown."""
    return "\n".join(
        [
            "# Streamed corpora\n",
            f"Written by `python -m benchmarks.streamed`. {n_tokens:,} tokens of sentences, "
            f"MiniLM; one thread, the least of {ROUNDS} rounds. On what the sums are: "
            "[docs/scale.md](../docs/scale.md).\n",
            markdown_table(spent, 3),
            f"\nThe wall time of {N_SHARDS} shards of {TEXTS_PER_SHARD} texts, with all sums, by "
            f"workers of one thread that have the model already; the best of {ROUNDS} rounds. "
            f"The machine has {os.cpu_count()} cores, and its load was {load:.1f} at the start: "
            "above the number of workers, the ratio is that of what others left.\n",
            markdown_table(grown, 3),
            "",
        ]
    )


def run_streamed() -> None:
    """Measure all, and write and print the page.

    Raises:
        InputError: if texts or dask are not there.
    """
    if not TEXTS.is_file():
        raise InputError(f"{TEXTS}: not found; `dvc repro prepare_texts` makes it")
    check_dask()
    load, how = os.getloadavg()[0], reading()
    texts = load_rows(str(TEXTS))["text"].tolist()[:N_TEXTS]
    source = Source(str(TEXTS.absolute()), "text", "id", "", whole_documents=False)
    shards = plan_shards([source], how, TEXTS_PER_SHARD)[:N_SHARDS]
    n_tokens = read_texts(texts, load_reading(how), summed=False)
    text = page(times(texts, how), by_workers(shards, how), n_tokens, load)
    print(text)
    with writing(PAGE) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        run_streamed()
    except InputError as error:
        sys.exit(f"error: {error}")
