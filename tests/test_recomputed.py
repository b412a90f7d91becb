"""Verification must see a wrong kernel: numbers recomputed from changed code, not read from git."""

from pathlib import Path

import pytest

from tests.workspace import Workspace

pytestmark = pytest.mark.slow  # CI recomputes numbers anyway

KERNEL = "src/embspace/geometry/pairs/scan/_tally_loops.py"


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The committed results of the default model, and its matrices."""
    extra = ("results", "tests/baselines")
    tree = Workspace(root, tmp_path_factory.mktemp("recomputed"), extra)
    tree.edit("params.yaml", models=["minilm"])
    tree.run("python", "-m", "embspace.extract.embeddings", "model=minilm")
    return tree


def measure(workspace: Workspace) -> None:
    workspace.run("python", "-m", "embspace.measure.learned.similarity", "model=minilm")


def test_the_committed_code_gives_the_baselines(workspace: Workspace):
    assert "0 files computed in this tree" in workspace.run("embspace", "verify")
    measure(workspace)
    assert "3 files computed in this tree" in workspace.run("embspace", "verify")


def test_all_pairs_of_the_real_matrix_take_less_than_1500_megabytes(workspace: Workspace):
    # In kilobytes on Linux; of the children of this short-lived process, of which there is one.
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'embspace.measure.learned.similarity',"
        " 'model=minilm'], check=True, capture_output=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    assert int(workspace.run("python", "-c", code)) < 1_500_000


def test_one_changed_constant_of_a_kernel_fails_verification(workspace: Workspace):
    kernel = workspace.folder / KERNEL
    code = kernel.read_text()
    right, wrong = "np.float32(2) * dots[j]", "np.float32(1.999) * dots[j]"
    assert right in code
    kernel.write_text(code.replace(right, wrong))
    try:
        measure(workspace)
        said = workspace.run("embspace", "verify", check=False)
    finally:
        kernel.write_text(code)
    assert "similarity/summary/minilm.csv" in said
    assert "euclidean_distance" in said
    assert "passed" not in said
    with pytest.raises(AssertionError, match="ended with 1"):
        workspace.run("embspace", "verify")
