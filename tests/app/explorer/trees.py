"""A computed tree in small: maps of planted vectors, their neighbors, and hostile tokens."""

import base64
import json
import re
import zlib
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from safetensors.numpy import save_file

from embspace.app.page.fragment import Fragment, policy_of
from embspace.files.graphs import save_graphs
from embspace.files.rows import save_rows
from embspace.geometry.pairs.pairs import scan_pairs

N_TOKENS, N_POSITIONS, N_HELD = 240, 12, 9
HOSTILE = (
    "</script><script>document.title = 'run'</script>",
    "<!--<script>",
    "<img src=x onerror=\"document.title = 'run'\">",
    "\u202eשלום, עולם",
    "👩\u200d👩\u200d👧 🙂",
    "line\u2028break\u2029and & amp;",
    "=1+1",
    '"quoted", with a comma',
)
SENTENCE = "the</script> cat"


def tokens() -> list[str]:
    """Return the names of the tokens; the hostile ones are the first."""
    return [*HOSTILE, *(f"word{number}" for number in range(N_TOKENS - len(HOSTILE)))]


def vectors(cloud: str) -> np.ndarray:
    """Return the planted vectors, tokens and then positions; the two clouds are not alike."""
    rng = np.random.default_rng(0 if cloud == "joint" else 1)
    return rng.normal(size=(N_TOKENS + N_POSITIONS, 8)).astype(np.float32)


def write_tree(folder: Path, model: str = "tiny") -> Path:
    """Write the files of a model that the explorer reads, as stages write them."""
    clouds = ("joint", "joint_centered")
    names = pd.DataFrame(
        {
            "space": ["input"] * N_TOKENS + ["positional"] * N_POSITIONS,
            "id": [*range(N_TOKENS), *range(N_POSITIONS)],
            "token": [*tokens(), *[""] * N_POSITIONS],
        }
    )
    for method, recalls in (("pca", (0.1, 0.2)), ("tsne", (0.0004, 0.5))):
        maps, quality = [], []
        for cloud, recall in zip(clouds, recalls, strict=True):
            places = vectors(cloud)[:, :3].astype(np.float32)
            columns = dict(zip("xyz", places.T, strict=True))
            maps.append(names.assign(cloud=cloud, **columns))
            quality.append(_quality(cloud, recall))
        save_rows(pd.concat(maps), _made(folder / f"data/projected/{method}/{model}.parquet"))
        path = _made(folder / f"results/{method}/quality/{model}.csv")
        pd.DataFrame(quality).to_csv(path, index=False)
    graphs = {cloud: scan_pairs(vectors(cloud), n_neighbors=N_HELD).neighbors for cloud in clouds}
    path = _made(folder / f"data/measured/nearest_neighbors/{model}.safetensors")
    save_graphs({cloud: graph for cloud, graph in graphs.items() if graph is not None}, path)
    matrices = dict(
        zip(("input", "positional"), np.split(vectors("joint"), [N_TOKENS]), strict=True)
    )
    save_file(matrices, _made(folder / f"data/extracted/embeddings/{model}.safetensors"))
    measured = pd.DataFrame({"id": range(N_TOKENS), "norm": 1.0, "cosine": 0.25})
    measured["norm"] = np.linspace(1, 2, N_TOKENS)
    save_rows(measured, _made(folder / f"data/measured/mean_embedding/{model}.parquet"))
    path = _made(folder / f"results/evolution/path/{model}.csv")
    trail = [
        ("all_layers", SENTENCE, position, token, layer, position + layer, layer)
        for position, token in enumerate(("[CLS]", "the</script>", "cat"))
        for layer in range(3)
    ]
    columns = ["view", "text", "position", "token", "layer", "component_1", "component_2"]
    pd.DataFrame(trail, columns=columns).to_csv(path, index=False)
    return folder


def _quality(cloud: str, recall: float) -> dict[str, Any]:
    return {
        "cloud": cloud, "n_axes": 2, "n": N_TOKENS + N_POSITIONS, "k": 15, "trustworthiness": 0.9,
        "chance_trustworthiness": 0.5, "continuity": 0.8, "chance_continuity": 0.5,
        "neighbor_recall": recall, "chance_neighbor_recall": 0.0006,
    }  # fmt: skip


def _made(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    return str(path)


def page_with(fragment: Fragment) -> str:
    """Return a page that holds nothing else, under the content policy of a report's page."""
    policy = escape(policy_of(fragment.scripts))
    scripts = "".join(f"<script>{script}</script>" for script in fragment.scripts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>explorer</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<style>{fragment.style}</style></head>"
        f"<body>{fragment.html}{fragment.data}{scripts}</body></html>"
    )


def read_arrays(text: str, shapes: list[dict[str, int]]) -> list[np.ndarray]:
    """Return the arrays of a pack as the page's script reads them."""
    whole = zlib.decompress(base64.b64decode(text))
    kinds = {1: "u1", 2: "<u2"}
    return [
        np.frombuffer(whole, kinds[shape["bytes"]], shape["length"], shape["start"])
        for shape in shapes
    ]


def read_data(data: str) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return the content and the arrays of a fragment's inert elements."""
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", data, re.DOTALL)
    content = json.loads(scripts[0])
    return content, read_arrays(scripts[1], content["arrays"])
