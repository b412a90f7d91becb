"""Runs docs/notebook.ipynb in a kernel; `python -m tests.notebook` writes what it shows."""

import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


def read() -> Any:
    """Return the notebook as it is committed."""
    import nbformat

    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def executed(folder: Path) -> Any:
    """Return the notebook with the outputs of its cells, which run in `folder`.

    Raises:
        nbclient.exceptions.CellExecutionError: with what a cell said that failed.
    """
    from nbclient import NotebookClient

    client = NotebookClient(read(), timeout=300, resources={"metadata": {"path": str(folder)}})
    # The kernel's own way of drawing, and this tree's code wherever it runs.
    env = {name: text for name, text in os.environ.items() if name != "MPLBACKEND"}
    notebook = client.execute(env=env | {"PYTHONPATH": str(ROOT / "src")})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
    return notebook


if __name__ == "__main__":
    import tempfile

    import nbformat

    with tempfile.TemporaryDirectory() as folder:
        nbformat.write(executed(Path(folder)), NOTEBOOK)  # type: ignore[no-untyped-call]
