"""Finds which analyses are drawn, in a moment: what draws them takes seconds to import."""

from difflib import get_close_matches
from glob import escape
from pathlib import Path

from embspace.app.queries.reported import why_not_there
from embspace.errors import InputError
from embspace.settings.params import CONF, PAIR, TOY
from embspace.settings.pipeline import read_stages

FIGURES, RESULTS = "figures/", Path("results")
ALL_RUNS = "all_runs"  # as in draw/page/saving.py, which imports matplotlib


def drawn_nouns(root: Path) -> set[str]:
    """Return the analyses of which the stages of a tree make a figure."""
    outputs = (path for stage in read_stages(root).values() for path in stage.outputs())
    return {Path(path).parts[1] for path in outputs if path.startswith(FIGURES)}


def check_drawn(noun: str, name: str) -> None:
    """Refuse an analysis that is not drawn, or of which a model has no results.

    The current folder is a tree's root.

    Raises:
        InputError: naming what is allowed, or what makes the results.
    """
    nouns = drawn_nouns(Path())
    if noun not in nouns:
        near = get_close_matches(noun, nouns, n=3, cutoff=0.4)
        meant = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise InputError(f"'{noun}': no such analysis; {meant}allowed: {', '.join(sorted(nouns))}")
    folder = RESULTS / noun
    is_there = not folder.is_dir() or any(folder.rglob(f"{escape(name)}.*"))
    if not is_there and (why := why_no_results(name)):
        raise InputError(f"{folder}: nothing of '{name}'; {why}")


def why_no_results(name: str) -> str:
    """Return why there are no results of a model, and what makes them; empty of what is none."""
    is_run = name == ALL_RUNS or (CONF / "train" / f"{name}.yaml").is_file()
    return "" if is_run or name == TOY or PAIR in name else why_not_there(name)
