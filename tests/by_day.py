"""Computes what CI recomputes by day: all stages but the longest, `python -m tests.by_day`.

Those, and what is drawn of them, take half of the time; `.ci/nightly` computes them, too. Fails if
a result of the others was not made here.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx
from dvc.repo import Repo

from embspace.app.repro import environment
from embspace.app.warm.python import warm_python
from embspace.files.atomic import computed_here

BY_NIGHT = ("project_tsne", "project_umap", "project_text_maps", "project_hopf_link")
BY_NIGHT += ("measure_probing", "measure_regimes")


def stages_by_day(repo: Any) -> list[Any]:
    """Return DVC's stages but those of the night and what needs their files, needed ones first.

    Tables are in git: who needs no more of a stage of the night is computed by day.
    """
    graph, left_out = repo.index.graph, set[Any]()
    for stage in networkx.topological_sort(graph.reverse()):
        files = {out.fs_path for each in left_out for out in each.outs if out.use_cache}
        if stage.name.partition("@")[0] in BY_NIGHT or any(
            dep.fs_path in files for dep in stage.deps
        ):
            left_out.add(stage)
    return [each for each in networkx.topological_sort(graph.reverse()) if each not in left_out]


def main() -> None:
    """Compute them, and look where their results come from."""
    stages = stages_by_day(Repo())
    targets = [stage.addressing for stage in stages]
    with warm_python(environment()) as given:
        command = ["dvc", "repro", "--force", "--no-run-cache", "--single-item", *targets]
        subprocess.run(command, env=given, check=True)
    results = [Path(out.fs_path).relative_to(Path.cwd()) for each in stages for out in each.outs]
    of_git = [file for file in results if file.parts[0] == "results" and not computed_here(file)]
    if of_git:
        sys.exit(f"not computed here: {', '.join(map(str, of_git))}")


if __name__ == "__main__":
    main()
