"""A copy of the project in which a test may run the pipeline and break things."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from embspace.settings.pipeline import read_stages

# How `dvc repro` says that it has come to a stage, behind its graph if that is not the root's.
RUNNING = re.compile(r"Running stage '(?:[^':]+:)?([^']+)'")
PARTS = ["conf", "pipeline", "data/published", "data/stimuli", "data/texts", "src", ".dvc/config"]
PARTS += [".dvc/.gitignore", ".gitignore", ".dvcignore", "dvc.yaml", "models.lock", "params.yaml"]
PARTS += ["requirements.lock"]
# Keep the folders that the page over all runs is made of, where nothing was trained.
RUN_FOLDERS = [f"results/{noun}/.gitkeep" for noun in ("checkpoints", "dynamics", "training")]
RUN_FOLDERS += ["results/head_dynamics/.gitkeep", "results/training_claims/.gitkeep"]
RUN_FOLDERS += [
    f"results/{noun}/.gitkeep" for noun in ("parameter_alignment", "run_head_pairs", "tuning_words")
]
RUN_FOLDERS += [
    f"results/{noun}/.gitkeep"
    for noun in ("attribution", "class_flow", "sequence_attention", "stitching")
]
# Less of what takes long and is no matter here.
LESS = {
    "measure/positional/regimes.yaml": {"n_simulations": 100},
    "measure/positional/positions.yaml": {"n_shuffles": 10},
    "measure/positional/helix.yaml": {"n_shuffles": 10},
    "project/tsne.yaml": {"n_iter": 20, "n_seeds": 2},
    "project/umap.yaml": {"n_epochs": 20, "n_seeds": 2},
    "project/hopf_link.yaml": {"n_runs": 1, "n_iter": 20, "n_epochs": 20},
    "measure/toys/estimators.yaml": {"n_points": 1000, "sample_sizes": [50, 500], "n_draws": 1},
    "measure/texts/text_classification.yaml": {"n_permutations": 1, "n_resamples": 50},
    "measure/sentences/differences.yaml": {"n_sign_flips": 100, "n_direction_draws": 100},
    "measure/words/evolution.yaml": {"n_draws": 20},
    "measure/words/homonyms.yaml": {"n_draws": 50},
    "measure/words/token_tracker.yaml": {"n_texts": 6, "n_half_samples": 20, "n_dealt": 50},
    "measure/attention/head_features.yaml": {"n_texts": 6, "n_half_samples": 20},
    "measure/attention/word_order.yaml": {"n_texts": 6, "n_half_samples": 20},
}


def _no_code_of_python(folder: str, names: list[str]) -> list[str]:
    """Return what is not copied of __pycache__: all but kernels that numba compiled.

    These are of a source's time and size, so that an edited kernel is compiled anew.
    """
    compiled = Path(folder).name == "__pycache__"
    return [name for name in names if compiled and Path(name).suffix not in (".nbi", ".nbc")]


class Workspace:
    """A tree of its own, under git, with the commands that a user has."""

    def __init__(self, root: Path, folder: Path, extra: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.variables: dict[str, str] = {}
        for part in [*PARTS, *RUN_FOLDERS, *extra]:
            source, target = root / part, folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=_no_code_of_python, dirs_exist_ok=True)
            else:
                shutil.copy(source, target)
        self.git("init", "--quiet")
        self.git("config", "user.email", "test@example.org")
        self.git("config", "user.name", "test")

    def environment(self) -> dict[str, str]:
        """The user's and `variables`, with this interpreter's commands first, this tree's code."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "PYTHONPATH": "src", **self.variables}
        # As for a user: compiled files appear beside the sources that stages depend on.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return environment

    def run(self, *command: str, check: bool = True) -> str:
        """Run a command in the tree; what it printed, errors included."""
        process = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if check and process.returncode:
            raise AssertionError(f"{command} ended with {process.returncode}:\n{process.stdout}")
        return process.stdout

    def git(self, *arguments: str) -> str:
        """Run git in the tree."""
        return self.run("git", *arguments)

    def commit(self) -> None:
        """Commit everything that is not ignored."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a state to go back to")

    def repro(self, *arguments: str) -> set[str]:
        """Run `dvc repro` and return the stages that ran; stages without their graphs."""
        stages = read_stages(self.folder)

        def addressed(argument: str) -> str:
            name, _, item = argument.partition("@")
            return stages[name].address(item) if name in stages else argument

        return set(RUNNING.findall(self.run("dvc", "repro", *map(addressed, arguments))))

    def edit(self, file: str, **change: object) -> None:
        """Set keys at the top of a YAML file."""
        path = self.folder / file
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        path.write_text(yaml.safe_dump({**content, **change}), encoding="utf-8")

    def shorten(self) -> None:
        """Settings with which the whole pipeline takes minutes."""
        for file, settings in LESS.items():
            self.edit(f"conf/{file}", **settings)

    def files(self, *folders: str) -> dict[str, bytes]:
        """The content of all files below the folders."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for folder in folders
            for path in sorted((self.folder / folder).rglob("*"))
            if path.is_file()
        }
