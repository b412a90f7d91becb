"""Computes what `.ci/run` recomputes, `python -m tests.by_day`: all stages but the longest.

The longest stages, and the drawings that need their files, take half of the time; `.ci/nightly`
computes them, too. Fails if a result of a stage that was run was not made here.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx
from dvc.repo import Repo

from embspace.app.repro.environment import environment
from embspace.app.warm.python import warm_python
from embspace.files.atomic import computed_here

BY_NIGHT = ("project_tsne", "project_umap", "project_text_maps", "project_hopf_link")
BY_NIGHT += ("measure_probing", "measure_regimes")


def stages_by_day(repo: Any) -> list[Any]:
    """Return DVC's stages without `BY_NIGHT` and those that need its files, needed ones first.

    A stage that needs only tables of a longest stage is computed by day: tables are in git.
    """
    graph, left_out = repo.index.graph, set[Any]()
    in_order = [*networkx.topological_sort(graph.reverse())]
    for stage in in_order:
        files = [
            Path(out.fs_path)
            for stage_left_out in left_out
            for out in stage_left_out.outs
            if out.use_cache
        ]
        needed = [Path(dep.fs_path) for dep in stage.deps]
        lacks = any(file.is_relative_to(path) for file in files for path in needed)
        if lacks or stage.name.partition("@")[0] in BY_NIGHT:
            left_out.add(stage)
    return [stage for stage in in_order if stage not in left_out]


def main() -> None:
    """Compute them, and look where their results come from."""
    stages = stages_by_day(Repo())
    options = ["--force", "--no-run-cache", "--single-item"]
    targets = [stage.addressing for stage in stages]
    with warm_python(environment()) as given:
        command = [sys.executable, "-m", "dvc", "repro", *options, *targets]
        if code := subprocess.run(command, env=given, check=False).returncode:
            sys.exit(code)
    results = [Path(out.fs_path).relative_to(Path.cwd()) for stage in stages for out in stage.outs]
    brought = [file for file in results if file.parts[0] == "results" and not computed_here(file)]
    if brought:
        sys.exit(f"not computed here: {', '.join(map(str, brought))}")


if __name__ == "__main__":
    main()
