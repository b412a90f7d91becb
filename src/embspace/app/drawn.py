"""Finds which analyses are drawn, in a moment: the drawing code takes seconds to import."""

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
    """Return the analyses for which the stages of a tree make a figure."""
    outputs = (path for stage in read_stages(root).values() for path in stage.outputs())
    return {Path(path).parts[1] for path in outputs if path.startswith(FIGURES)}


def check_drawn(noun: str, name: str) -> None:
    """Refuse an analysis without a drawing, or without results for a model.

    The current folder is a tree's root.

    Raises:
        InputError: naming the allowed analyses, or how to make the results.
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
    """Return why a model has no results, and how to make the results; empty for no model."""
    is_run = name == ALL_RUNS or (CONF / "train" / f"{name}.yaml").is_file()
    return "" if is_run or name == TOY or PAIR in name else why_not_there(name)
