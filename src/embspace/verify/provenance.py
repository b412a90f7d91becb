"""Records the class of machine that made the results: results/provenance.json.

Nothing in the file names a person, a place or a time.
"""

import os
import platform
import subprocess
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any

from embspace.files.atomic import computed_here
from embspace.files.scalars import load_scalars, save_scalars
from embspace.verify.baselines import ListedModels, results_of

FILE = "provenance.json"
# Those whose release may move a number.
LIBRARIES = (
    "torch",
    "transformers",
    "tokenizers",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "pandas",
)


def update_provenance(results: Path, models: Collection[str], listed: ListedModels) -> None:
    """Record the machine of the results of `models`.

    A model without results computed in this tree keeps the earlier record.
    """
    path = results / FILE
    said: dict[str, Any] = load_scalars(str(path)) if path.is_file() else {}
    here = machine()
    for model in models:
        files = [file for file in results_of(results, models, listed) if file.stem == model]
        n_here = sum(computed_here(results / file) for file in files)
        if n_here:
            counts = {"files_computed_on_it": n_here, "other_files": len(files) - n_here}
            said[model] = {**counts, **here}
    if said:
        save_scalars({model: said[model] for model in sorted(said)}, str(path))


def machine() -> dict[str, Any]:
    """Return the facts on which the last digits of a number may depend."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "simd": simd_extensions(),
        "blas": blas(),
        "system": " ".join(filter(None, (platform.system(), platform.machine()))),
        "c_library": " ".join(platform.libc_ver()).strip(),
        "python": platform.python_version(),
        **{library: version(library) for library in LIBRARIES},
    }


def other_bytes(results: Path) -> list[str]:
    """Return the files of git in results/ and figures/ whose bytes differ here.

    Empty outside of a repository, and if `results` are not those of the tree.
    """
    if results != Path("results"):
        return []
    command = ["git", "diff", "--name-only", "--diff-filter=M", "--", "results", "figures"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    return listed.stdout.splitlines() if listed.returncode == 0 else []


def processor() -> str:
    """Return the processor's model name, as the system prints it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def simd_extensions() -> list[str]:
    """Return the usable processor extensions found by NumPy."""
    import numpy as np

    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    return [*extensions.get("baseline", []), *extensions.get("found", [])]


def blas() -> list[str]:
    """Return the linear algebra libraries of NumPy and SciPy, and the processor they compute as."""
    import numpy  # noqa: F401  loads its library
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    facts = ("internal_api", "version", "architecture")
    return sorted(
        {
            " ".join(str(library[fact]) for fact in facts if library.get(fact))
            for library in threadpool_info()
            if library.get("user_api") == "blas"
        }
    )
