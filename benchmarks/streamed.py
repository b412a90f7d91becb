"""Times of reading all layers, with and without sums, beside sentence-transformers' `encode`.

`python -m benchmarks.streamed` reads 2,000 sentences with MiniLM on one thread, in turn, and prints
the least processor time of three rounds. sentence-transformers is to be installed besides.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from embspace.files.rows import load_rows
from embspace.models.locate import locate_files
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from embspace.stream.layers import LayerSums, Pilot, Rows
from embspace.stream.plan import Reading
from embspace.stream.reading import Loaded, load_reading, windows_of_texts
from embspace.stream.sources import Text
from embspace.stream.states import chunks_of, token_states

N_TEXTS, ROUNDS, BATCH = 2000, 3, 4096
TEXTS = "data/prepared/texts/sentences.parquet"
SPACES = ("token", "cls", "mean")


def reading() -> Reading:
    """Return how MiniLM reads, with the batches of the command."""
    model = read_yaml(Path("conf/model/minilm.yaml"))
    return Reading(
        "minilm", model, "", SPACES, 512, 64, BATCH, 4 * BATCH, BATCH, "float32", 0.0, "cpu"
    )


def read_texts(texts: list[str], loaded: Loaded, *, summed: bool) -> int:
    """Read all layers of all texts, with the means of windows or all sums; return the tokens."""
    layers: list[LayerSums] = []
    n_tokens = 0
    given = (Text(str(number), "", text) for number, text in enumerate(texts))
    for _, windows in chunks_of(windows_of_texts(given, loaded, []), 4 * BATCH):
        states = token_states(loaded.module, windows, BATCH, None, checked=True)
        n_tokens += states.shape[1]
        rows = Rows.of(windows)
        if summed and not layers:
            pilot = Pilot.of(states, windows)
            layers = [LayerSums(pilot.of_layer(n), SPACES, BATCH) for n in range(len(states))]
        for number, x in enumerate(states):
            if summed:
                layers[number].add(x, rows)
            else:
                np.add.reduceat(x, rows.starts, axis=0)
    return n_tokens


def main() -> None:
    """Run all in turn and print the table."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    texts = load_rows(TEXTS)["text"].tolist()[:N_TEXTS]
    how = reading()
    loaded = load_reading(how)
    model = describe_model("minilm", how.model)
    peer = SentenceTransformer(str(locate_files("minilm", model)), device="cpu")
    peer.max_seq_length = how.window_length
    calls: dict[str, Callable[[], object]] = {
        "encode, last layer": lambda: peer.encode(texts, show_progress_bar=False),
        "all layers": lambda: read_texts(texts, loaded, summed=False),
        "all layers and sums": lambda: read_texts(texts, loaded, summed=True),
    }
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name].append(time.process_time() - start)
    least = {name: min(each) for name, each in seconds.items()}
    for name, each in least.items():
        print(f"{name:22} {each:6.2f} s  {each / least['encode, last layer']:.2f}")


if __name__ == "__main__":
    main()
