"""Files for other tools: parquet, Embedding Atlas, TensorFlow's projector, DataMapPlot."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.app.export.spaces import ExportedSpace
from embspace.errors import InputError, not_among, one_line
from embspace.files.atomic import writing
from embspace.files.together import writing_together

WIDE = 10_000  # dimensions of a covariance of 0.8 GB
DIGITS = "%.9g"  # bring a float32 back to the bit


def export_space(space: ExportedSpace, to: str, folder: Path) -> list[str]:
    """Write a space for a tool into a folder; return lines that name the files and the next step.

    Raises:
        InputError: if the tool is unknown, or a file cannot be written.
    """
    if to not in FORMATS:
        raise InputError(f"--to: {not_among(to, list(FORMATS))}")
    return FORMATS[to](space, folder)


def write_parquet(space: ExportedSpace, folder: Path) -> list[str]:
    """Write the rows with their vectors, as lists of float32 in the column `vector`."""
    path = folder / f"{space.name}.parquet"
    _write_table(space, path, None)
    return [f"{path}", f'next: pandas.read_parquet("{path}")']


def write_embedding_atlas(space: ExportedSpace, folder: Path) -> list[str]:
    """Write the same with columns `x` and `y`, the first two principal components."""
    path = folder / f"{space.name}-atlas.parquet"
    _write_table(space, path, flat(space.vectors))
    text = "words" if "words" in space.rows else "label"
    return [f"{path}", f"next: embedding-atlas {path} --text {text} --x x --y y"]


def write_projector(space: ExportedSpace, folder: Path) -> list[str]:
    """Write vectors and metadata as the projector's tables, with a configuration."""
    to = folder / f"{space.name}-projector"
    lines = ["\t".join(_cell(column) for column in space.rows)]
    lines += ["\t".join(map(_cell, row)) for row in space.rows.itertuples(index=False)]
    name = json.dumps(space.name, ensure_ascii=False)
    config = (
        f'embeddings {{\n  tensor_name: {name}\n  tensor_path: "tensors.tsv"\n'
        '  metadata_path: "metadata.tsv"\n}\n'
    )
    # Vectors of one call beside the metadata of another would be read without a word.
    paths = [to / name for name in ("tensors.tsv", "metadata.tsv", "projector_config.pbtxt")]
    with writing_together(paths) as (tensors, metadata, configuration):
        np.savetxt(tensors, space.vectors, fmt=DIGITS, delimiter="\t")
        metadata.write_text("\n".join(lines) + "\n", encoding="utf-8")
        configuration.write_text(config, encoding="utf-8")
    return [f"{to}", f"next: tensorboard --logdir {to}"]


def write_datamapplot(space: ExportedSpace, folder: Path) -> list[str]:
    """Write coordinates (row, 2), labels of regions and texts for the pointer, unpickled."""
    path = folder / f"{space.name}-datamapplot.npz"
    with writing(path) as partial, partial.open("wb") as stream:
        np.savez(
            stream,
            coordinates=flat(space.vectors),
            labels=space.rows["group"].to_numpy(dtype=np.str_),
            hover_text=space.rows["label"].to_numpy(dtype=np.str_),
        )
    return [
        f"{path}",
        f'next: m = numpy.load("{path}"); '
        'datamapplot.create_plot(m["coordinates"], m["labels"].astype(object))',
    ]


FORMATS: dict[str, Callable[[ExportedSpace, Path], list[str]]] = {
    "parquet": write_parquet,
    "embedding-atlas": write_embedding_atlas,
    "projector": write_projector,
    "datamapplot": write_datamapplot,
}


def flat(x: Float[np.ndarray, "row dim"]) -> Float[np.ndarray, "row 2"]:
    """Return the first two principal components; zeros beside a single component."""
    from embspace.geometry.maps.pca import principal_components

    n, dim = x.shape
    if dim > max(n, WIDE):  # the same points in the axes that they span
        x = np.linalg.qr((x - x.mean(axis=0, dtype=np.float64)).T).R.T
    n_components = min(2, *x.shape)
    coordinates = principal_components(x, n_components=n_components).coordinates.astype(np.float32)
    return np.pad(coordinates, ((0, 0), (0, 2 - n_components)))


def _write_table(space: ExportedSpace, path: Path, map_: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(space.rows, preserve_index=False)
    if map_ is not None:
        table = table.append_column("x", pa.array(map_[:, 0])).append_column(
            "y", pa.array(map_[:, 1])
        )
    flat_values = pa.array(space.vectors.ravel())
    vectors = pa.FixedSizeListArray.from_arrays(flat_values, space.vectors.shape[1])
    with writing(path) as partial:
        pq.write_table(table.append_column("vector", vectors), partial, compression="zstd")


def _cell(value: object) -> str:
    return one_line(str(value))
