import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.describe.folders import saved

PROGRAM = """
import sys
from embspace.app.queries.loading import without_report_of_weights
with without_report_of_weights():
    from transformers import AutoModel
    AutoModel.from_pretrained(sys.argv[1])
"""


@pytest.mark.slow
def test_nothing_is_reported_where_transformers_is_loaded_first_here(root: Path, tmp_path: Path):
    folder = saved("bert_with_head", tmp_path / "model")
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env=os.environ | {"PYTHONPATH": str(root / "src"), "HF_HUB_DISABLE_PROGRESS_BARS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "UNEXPECTED" not in said.stdout + said.stderr
