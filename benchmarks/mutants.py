"""`make mutants`: change the mathematics in many places, and count how often a test notices.

A sample of all changes of src/embspace/geometry and src/embspace/measure, drawn by a seed. For each
the tests of the module run, then those that name it; a mutant that passes both has survived.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from benchmarks.mutations import Mutant, mutants_of
from embspace.draw.page.markdown import code, markdown_table
from embspace.files.atomic import writing

TABLE = Path("benchmarks/mutants.md")
SOURCES = Path("src/embspace")
FOLDERS = ("geometry", "measure")
EQUAL = Path("benchmarks/mutants_that_are_equal.csv")  # module, before, after, reason
COPIED = ("benchmarks", "conf", "data", "docs", "figures", "params.yaml", "pipeline", "results")
COPIED += ("src", "tests", "pyproject.toml", "dvc.yaml", "models.lock", "README.md")
SECONDS = 300  # for the tests of one mutant; one that never ends is noticed


class Drawn(NamedTuple):
    """A mutant of a module, and whether a test noticed it."""

    module: str
    mutant: Mutant
    is_noticed: bool = False


def draw_mutants(root: Path, n: int, seed: int) -> list[Drawn]:
    """Return `n` mutants of all modules, drawn without replacement, each equally likely."""
    files = sorted(file for each in FOLDERS for file in (root / SOURCES / each).rglob("*.py"))
    found = [
        Drawn(file.relative_to(root).as_posix(), mutant)
        for file in files
        for mutant in mutants_of(file.read_text(encoding="utf-8"))
    ]
    chosen = np.random.default_rng(seed).choice(len(found), min(n, len(found)), replace=False)
    return [found[number] for number in sorted(chosen)]


def suites_of(module: str, root: Path) -> Iterator[list[str]]:
    """Yield the tests to run one after the other: the module's own, then others that name it.

    A private module has its own, named without the underscore, and those of the public modules
    that import it, if only through other private ones.
    """
    path = Path(module).relative_to(SOURCES)
    paths = [path, *_importing(path, root)] if path.stem.startswith("_") else [path]
    own = [root / "tests" / each.with_name(f"test_{each.name.lstrip('_')}") for each in paths]
    own = [file for file in dict.fromkeys(own) if file.is_file()]
    if own:
        yield [str(file.relative_to(root)) for file in own]
    named = re.compile(rf"\b({'|'.join(each.stem for each in paths)})\b")
    others = [
        str(file.relative_to(root))
        for file in sorted((root / "tests" / path.parts[0]).rglob("test_*.py"))
        if file not in own and named.search(file.read_text(encoding="utf-8"))
    ]
    if others:
        yield others


def _importing(path: Path, root: Path) -> list[Path]:
    """Return the public modules that import a private one, if only through other private ones."""
    codes = {
        file.relative_to(root / SOURCES): file.read_text(encoding="utf-8")
        for file in sorted((root / SOURCES).rglob("*.py"))
    }
    found, private = set[Path](), [path]
    for each in private:  # grows while it is gone through
        folder = ".".join([SOURCES.name, *each.parent.parts])
        named = re.compile(rf"\b{re.escape(folder)}(\.| import (.*\b)?){each.stem}\b")
        new = [other for other, code in codes.items() if named.search(code)]
        private += [other for other in new if other.stem[0] == "_" and other not in private]
        found |= {other for other in new if other.stem[0] != "_"}
    return sorted(found)


def is_noticed(tree: Path, drawn: Drawn) -> bool:
    """Return whether a test fails, or never ends, in a tree where the module is the mutant."""
    file = tree / drawn.module
    before = file.read_text(encoding="utf-8")
    file.write_text(drawn.mutant.code, encoding="utf-8")
    try:
        return any(_fails(tree, tests) for tests in suites_of(drawn.module, tree))
    finally:
        file.write_text(before, encoding="utf-8")


def _fails(tree: Path, tests: list[str]) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow and not fetched", *tests]
    environment = os.environ | {"PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}"}
    try:
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider"],
            cwd=tree,
            env=environment,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def run_mutants(root: Path, drawn: list[Drawn], n_workers: int) -> list[Drawn]:
    """Return the mutants with whether they were noticed; each worker has a tree of its own."""
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for number in range(n_workers):
            trees.put(_copy(root, Path(folder) / str(number)))

        def tried(each: Drawn) -> Drawn:
            tree = trees.get()
            try:
                return each._replace(is_noticed=is_noticed(tree, each))
            finally:
                trees.put(tree)

        with ThreadPoolExecutor(n_workers) as workers:
            return list(tqdm(workers.map(tried, drawn), total=len(drawn), desc="mutants"))


def _copy(root: Path, tree: Path) -> Path:
    """Copy what is in git of the project's folders, so that a test finds what it reads."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *COPIED], cwd=root, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, tree / name)
    return tree


def mutants_page(tried: list[Drawn], equal: pd.DataFrame, seed: int) -> str:
    """Return the page: how many were noticed by folder, and which were not."""
    table = pd.DataFrame(
        {
            "folder": each.module.split("/")[2],
            "module": each.module.removeprefix(f"{SOURCES}/"),
            "line": each.mutant.line,
            "before": each.mutant.before,
            "after": each.mutant.after,
            "noticed": each.is_noticed,
        }
        for each in tried
    )
    keys = ["module", "before", "after"]
    table = table.merge(equal, on=keys, how="left")
    table["equal"] = table["reason"].notna() & ~table["noticed"]
    counts = table.groupby("folder")[["noticed", "equal"]].sum()
    counts.insert(0, "mutants", table.groupby("folder").size())
    counts["share noticed"] = counts["noticed"] / (counts["mutants"] - counts["equal"])
    survived = table[~table["noticed"]].drop(columns=["folder", "noticed", "equal"])
    survived[["before", "after"]] = survived[["before", "after"]].map(code)
    return "\n".join(
        [
            "# Changes to the mathematics, and whether a test notices\n",
            f"{len(table)} of all changes that benchmarks/mutations.py makes, drawn by the seed "
            f"{seed}. A change that is equal, for the reason in {EQUAL}, does not count.\n",
            markdown_table(counts.reset_index(), 3),
            "\nNot noticed:\n",
            markdown_table(survived.fillna({"reason": ""}), 3),
        ]
    )


def main() -> None:
    """Draw, try and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    root = Path.cwd()
    drawn = draw_mutants(root, arguments.n, arguments.seed)
    tried = run_mutants(root, drawn, os.cpu_count() or 1)
    with writing(TABLE) as partial:
        partial.write_text(mutants_page(tried, pd.read_csv(EQUAL, dtype=str), arguments.seed))
    print(TABLE)


if __name__ == "__main__":
    main()
