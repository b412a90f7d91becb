"""One contestant in a process of its own: `python -m benchmarks.contest graph`.

Prints seconds, the peak resident memory of the whole process, and, for what approximates, how
good it is or what it estimates. Runs where embspace is not installed, too.
"""

import json
import resource
import sys
import time
from typing import Any

import numpy as np

from benchmarks.contestants import CONTESTANTS, N_COMPONENTS, graph

MATRIX = "data/extracted/embeddings/minilm.safetensors"
WARM_UP = 500  # vectors on which everybody runs first, so that no compilation is timed
MAP_NEIGHBORS = 15


def contest(name: str, x: np.ndarray) -> dict[str, Any]:
    """Time a contestant once, and judge what it gives afterwards."""
    function = CONTESTANTS[name]
    function(x[:WARM_UP])
    before = time.perf_counter()
    given = function(x)
    seconds = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak_rss_mib": peak, **_judged(name, x, given)}


def _judged(name: str, x: np.ndarray, given: Any) -> dict[str, float]:
    if isinstance(given, float):
        return {"dimension": given}
    if name == "pynndescent_graph":
        exact = graph(x).indices
        shared = [len(np.intersect1d(a, b)) for a, b in zip(exact, given, strict=True)]
        return {"recall": float(np.mean(shared)) / exact.shape[1]}
    if isinstance(given, np.ndarray) and given.shape == (len(x), N_COMPONENTS):
        kept, whole = (points.var(axis=0, dtype=np.float64).sum() for points in (given, x))
        return {"variance": float(kept / whole)}
    if isinstance(given, np.ndarray) and given.shape == (len(x), 2):
        from embspace.geometry.maps.maps import map_quality

        quality = map_quality(x, given.astype(np.float64), n_neighbors=MAP_NEIGHBORS)
        return {
            "trustworthiness": quality.trustworthiness,
            "continuity": quality.continuity,
            "neighbor_recall": quality.neighbor_recall,
        }
    return {}


def main() -> None:
    """Print what was measured of the contestant named on the command line."""
    from safetensors.numpy import load_file

    print(json.dumps(contest(sys.argv[1], load_file(MATRIX)["input"])))


if __name__ == "__main__":
    main()
