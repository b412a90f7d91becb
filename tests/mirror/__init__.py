"""The mirror: each name stands in eight places, and every place knows the others.

A stage `measure_positions` has its settings in conf/measure/positional/positions.yaml, its function in
src/embspace/measure/positional/positions.py, its test in tests/measure/positional/test_positions.py, and so on. A toy,
which is measured without a model, has `toy` in the place of the model's name and is drawn by
`draw_toys`, in src/embspace/draw/toys.py. What compares models has one table for all of them,
results/compare/<noun>.csv, and is drawn by `draw_compare` as figures/compare/<noun>. What is
written here is read from the files alone: no module of embspace is imported, nothing is run.

`python -m tests.mirror`, at the root of the project, prints what does not fit.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.mirror.dependencies import files_are_deps, imports_are_deps, settings_are_params
from tests.mirror.leftovers import (
    figures_name_their_stage,
    nothing_is_left_over,
    readme_has_a_row_for_each_measure,
)
from tests.mirror.names import (
    draw_knows_all_drawings,
    modules_have_tests,
    outputs_lie_in_their_place,
    settings_are_arguments,
    stages_have_modules,
)
from tests.mirror.tree import Tree

RULES: tuple[Callable[[Tree], Iterator[str]], ...] = (
    stages_have_modules,
    draw_knows_all_drawings,
    settings_are_arguments,
    modules_have_tests,
    outputs_lie_in_their_place,
    imports_are_deps,
    files_are_deps,
    settings_are_params,
    nothing_is_left_over,
    readme_has_a_row_for_each_measure,
    figures_name_their_stage,
)


def problems(root: Path) -> list[str]:
    """What breaks the mirror, one sentence each; empty when all fits."""
    tree = Tree(root)
    return list(dict.fromkeys(sentence for rule in RULES for sentence in rule(tree)))
