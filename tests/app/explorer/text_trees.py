"""Texts of two topics on a map, far apart, with the vectors that it is made from."""

from pathlib import Path

import numpy as np
import pandas as pd
from safetensors.numpy import save_file

from embspace.files.rows import save_rows
from tests.app.explorer.trees import HOSTILE

N_OF_TOPIC = 12
TOPICS = {"sea": ("boat", "harbor", "tide"), "bakery": ("dough", "flour", "oven")}
SHARED = "people"  # in every text, so typical of neither topic
DIM, LAYER = 6, 1
PLACES = [("mean", "centered_unit_length"), ("cls", "raw")]


def texts() -> pd.DataFrame:
    """Return the texts of both topics in turn; the names of the first are hostile."""
    rows = []
    for number in range(2 * N_OF_TOPIC):
        topic, words = list(TOPICS.items())[number % 2]
        name = HOSTILE[number] if number < len(HOSTILE) else f"text{number}"
        # Each text has one more of one word, so that no two are alike.
        text = f"The {SHARED} isn't, I'll say {' '.join(words)} {words[number % 3]} {2 * number}"
        rows.append((name, name, topic, topic, text))
    return pd.DataFrame(rows, columns=["id", "document", "domain", "subject", "text"])


def states() -> dict[str, np.ndarray]:
    """Return planted vectors of two layers by pooling."""
    rng = np.random.default_rng(0)
    return {
        pooling: rng.normal(1, 1, size=(2, 2 * N_OF_TOPIC, DIM)).astype(np.float32)
        for pooling in ("cls", "mean", "max")
    }


def places() -> np.ndarray:
    """Return coordinates: each topic in one place, apart from the other."""
    rng = np.random.default_rng(1)
    topic = np.arange(2 * N_OF_TOPIC) % 2
    return np.c_[10 * topic, 10 * topic] + rng.uniform(0.05, 0.1, size=(2 * N_OF_TOPIC, 2))


def write_text_tree(folder: Path, model: str = "tiny", corpus: str = "one") -> Path:
    """Write the files of texts that the explorer reads, as stages write them."""
    content = texts()
    save_rows(content, _made(folder / f"data/prepared/texts/{corpus}.parquet"))
    path = folder / f"data/extracted/hidden_states/{model}/{corpus}"
    windows = pd.DataFrame({"text": content["id"], "window": 0})
    save_rows(windows, _made(path.with_name(f"{corpus}.windows.parquet")))
    save_file(states(), _made(path.with_name(f"{corpus}.safetensors")))
    tokens = [
        (window, is_special, 0, 0 if is_special else len(text))
        for window, text in enumerate(content["text"])
        for is_special in (True, False)
    ]
    columns = ["window", "special", "start", "end"]
    save_rows(
        pd.DataFrame(tokens, columns=columns), _made(path.with_name(f"{corpus}.tokens.parquet"))
    )
    maps, quality = [], []
    # The first text comes last, so that the order of the map is not that of the corpus.
    order = np.roll(np.arange(len(content)), -1)
    for pooling, preparation in PLACES:
        key = {
            "map": "all_corpora", "pooling": pooling, "preparation": preparation, "layer": LAYER,
            "method": "tsne",
        }  # fmt: skip
        x, y = places()[order].T
        about = windows.join(content[["document", "domain", "subject"]]).iloc[order]
        maps.append(about.assign(**key, corpus=corpus, x=x, y=y))
        judged = {"n": len(content), "k": 6, "trustworthiness": 0.9, "continuity": 0.8}
        quality.append({**key, **judged, "neighbor_recall": 0.2, "chance_neighbor_recall": 0.1})
    table = pd.concat(maps, ignore_index=True)
    save_rows(table, _made(folder / f"data/projected/text_maps/{model}.parquet"))
    path = Path(_made(folder / f"results/text_maps/quality/{model}.csv"))
    pd.DataFrame(quality).to_csv(path, index=False)
    return folder


def _made(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    return str(path)
