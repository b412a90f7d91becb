"""The number of cores changes no byte of a layout, nor does another process."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from embspace.project.layouts.tsne import tsne_layout
from embspace.project.layouts.umap import umap_layout
from tests.project.layouts.clouds import TSNE, UMAP, gaussian, graph_of, start_of

ROOT = Path(__file__).parents[1]
FEW = {"early_exaggeration_iter": 5, "n_iter": 5}


def digests(n: int, dim: int) -> dict[str, str]:
    """Of a cloud, and of the start of a wide one."""
    x = gaussian(n, dim)
    start, graph = start_of(x), graph_of(x)
    layouts = {
        "pca": start_of(gaussian(2000, 384)),
        "tsne": tsne_layout(graph, start, **{**TSNE, **FEW}),
        "umap": umap_layout(graph, start, **{**UMAP, "n_epochs": 11}),
    }
    return {name: sha256(layout.tobytes()).hexdigest() for name, layout in layouts.items()}


@pytest.mark.skipif(sys.platform != "linux", reason="cores are taken away by sched_setaffinity")
@pytest.mark.parametrize(
    ("n", "dim"),
    [
        (600, 16),
        # The number of points from which openTSNE works on a grid.
        pytest.param(10_000, 4, marks=pytest.mark.slow),
    ],
)
def test_one_core_gives_the_same_bytes(n: int, dim: int) -> None:
    code = f"""
import os
os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})
import json
from tests.test_determinism import digests
print(json.dumps(digests({n}, {dim})))
"""
    alone = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert json.loads(alone.stdout.splitlines()[-1]) == digests(n, dim)
