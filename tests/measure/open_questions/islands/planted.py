"""Texts of two sources, with three subjects each, whose vectors lie in groups by one label."""

from typing import Any

import numpy as np
import pandas as pd

from embspace.clouds.texts import COLUMNS, TextCloud
from embspace.measure.open_questions.islands.texts import CorpusOnMap
from tests.measure.attention.reading import cached_reader
from tests.project.settings import TSNE

DIM, N_LAYERS, N_DOCUMENTS, N_PARTS = 12, 3, 12, 4
SUBJECTS = ("salt", "rain", "boat")
MAPS: dict[str, Any] = {
    "preparations": {"cls": ["raw"], "mean": ["centered_unit_length"]},
    **{key: TSNE[key] for key in ("perplexity", "early_exaggeration", "early_exaggeration_iter")},
    **{key: TSNE[key] for key in ("n_iter", "jitter")},
}


def windows_of_source(source: str) -> pd.DataFrame:
    """Return four texts of each of twelve documents; short and long ones come in turns."""
    n = N_DOCUMENTS * N_PARTS
    document, part = np.divmod(np.arange(n), N_PARTS)
    return pd.DataFrame(
        {
            "text": [f"{source}{number}" for number in range(n)],
            "window": 0,
            "n_tokens": 5 + 10 * ((document + part) % 4),
            "document": [f"{source}{number}" for number in document],
            "domain": "",
            "subject": [f"{source} {SUBJECTS[number % len(SUBJECTS)]}" for number in document],
        }
    )[COLUMNS]


def group_of(windows: pd.DataFrame, source: int, label: str) -> np.ndarray:
    """Return the number of the group in which each text lies."""
    number = np.arange(len(windows))
    groups = {
        "source": np.full(len(windows), source),
        "subject": pd.factorize(windows["subject"])[0] + len(SUBJECTS) * source,
        "length": windows["n_tokens"].to_numpy() // 10,
        "place": np.minimum(number % N_PARTS, 2),
    }
    return groups.get(label, np.zeros(len(windows), np.int64))


def planted(label: str, seed: int = 0) -> dict[str, Any]:
    """Return what the function reads; without a label, vectors lie in no groups."""
    rng = np.random.default_rng(seed)
    read, points = {}, []
    for source, name in enumerate(("articles", "posts")):
        windows = windows_of_source(name)
        group = group_of(windows, source, label)
        noise = 0.15 if label != "nothing" else 1.0
        center = np.eye(DIM)[group] * (label != "nothing")
        x = (center + noise * rng.normal(size=(N_LAYERS, len(windows), DIM))).astype(np.float32)
        x[0] = 1.0
        text = {row.text: f"the {row.subject} of it" for row in windows.itertuples()}
        states = {"cls": x, "mean": x, "max": x}
        read[name] = CorpusOnMap(TextCloud(states, windows), text, tokens_of(windows))
        xy = 10 * np.column_stack([np.cos(group), np.sin(group)]) * (label != "nothing")
        points.append(
            windows[["text", "window", "document", "domain", "subject"]].assign(
                corpus=name, **dict(zip("xy", (xy + rng.normal(size=xy.shape)).T, strict=True))
            )
        )
    place = {"map": "all_corpora", "pooling": "mean", "preparation": "centered_unit_length"}
    coordinates = pd.concat(points, ignore_index=True).assign(**place, layer=2, method="tsne")
    reader = cached_reader()
    return {
        "read": read,
        "coordinates": coordinates,
        "maps": MAPS,
        "module": reader.module,
        "final_norm": None,
    }


def tokens_of(windows: pd.DataFrame) -> pd.DataFrame:
    """Return three tokens a window."""
    n = 3 * len(windows)
    about = {"special": False, "repeated": False, "start": 0, "end": 1}
    return pd.DataFrame({"window": np.arange(n) // 3, "id": 5 + np.arange(n) % 20, **about})
