"""Neighbor graphs: safetensors with row numbers (int32) and distances (float64) by name."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.geometry.pairs.neighbors import NeighborGraph


def save_graphs(graphs: Mapping[str, NeighborGraph], path: str) -> None:
    """Write graphs by name; the same graphs give the same bytes."""
    from safetensors.numpy import save

    tensors = {}
    for name, graph in graphs.items():
        tensors[f"{name}.indices"] = np.ascontiguousarray(graph.indices, np.int32)
        tensors[f"{name}.distances"] = np.ascontiguousarray(graph.distances, np.float64)
    with writing(Path(path)) as partial:
        partial.write_bytes(save(tensors))


def load_graphs(path: str) -> dict[str, NeighborGraph]:
    """The graphs of a file by name."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as tensors:
            names = sorted({key.rpartition(".")[0] for key in tensors.keys()})  # noqa: SIM118
            return {
                name: NeighborGraph(
                    tensors.get_tensor(f"{name}.indices"), tensors.get_tensor(f"{name}.distances")
                )
                for name in names
            }
    except FileNotFoundError:
        raise InputError(f"{path}: not found; `dvc repro` makes it") from None
    except SafetensorError as error:
        raise InputError(f"{path}: is no whole file of neighbor graphs: {error}") from error
