"""The environment of stages: this interpreter, one kind of kernels, a share of the cores."""

import os
import platform
import sys
from pathlib import Path

# One kind of kernel, as in the Makefile: each kind rounds in its own way.
KERNELS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
# glibc gives the memory of each large array back at once, and the next one is zeroed anew: a tenth
# of the time of the family `spectrum`. Kept until a process ends; of the two there, peaks were a
# twentieth higher. Tried with glibc 2.36; changes no number anywhere.
HEAP = {"MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**34)}
# BLAS and torch share a product by threads in another way for each number of threads, and so round
# in another way: one thread gives the same bytes with any number of jobs and cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
# What changes no number: the threads of numba, and the processes and threads of joblib.
SHARED = ("NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT")


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def environment(jobs: int = 1) -> dict[str, str]:
    """Return the user's environment with this interpreter first, and `make`'s kernels and heap.

    Products take a single thread; several jobs share the cores. The user's own settings stay.
    """
    share = str(max(1, n_cores() // jobs))
    environment = {**HEAP, **ONE_THREAD, **dict.fromkeys(SHARED, share), **os.environ}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    if platform.machine() in ("x86_64", "AMD64"):
        environment = {**KERNELS, **environment}
    if not environment.get("HF_HUB_OFFLINE"):
        environment.pop("HF_HUB_OFFLINE", None)  # see files/asking.py
    return environment
