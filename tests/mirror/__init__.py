"""The mirror: each name stands in eight places, and every place knows the others.

A stage `measure_positions` stands in pipeline/positional/dvc.yaml and has its settings in
conf/measure/positional/positions.yaml, its function in
src/embspace/measure/positional/positions.py, its test in
tests/measure/positional/test_positions.py, and so on. `draw_positional`, in
src/embspace/draw/positional/__main__.py, draws all of its chapter. A toy, which is measured
without a model, has `toy` in the place of the model's name; what compares two has the name of their
pair, which dvc.yaml calls `${key}`. What is written here is read from the files alone: no module of
embspace is imported, nothing is run.

`python -m tests.mirror`, at the root of the project, prints what does not fit.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.mirror.dependencies import code_is_a_dep, files_are_deps, settings_are_params
from tests.mirror.leftovers import (
    figures_name_their_stage,
    nothing_is_left_over,
    the_list_has_a_row_for_each_measure,
)
from tests.mirror.names import (
    drawings_are_drawn,
    modules_have_tests,
    nouns_have_one_chapter,
    outputs_lie_in_their_place,
    settings_are_arguments,
    stages_have_modules,
)
from tests.mirror.structure import (
    aliases_have_one_definition,
    chapters_stand_alone,
    nothing_outgrows_its_reader,
)
from tests.mirror.tree import Tree

RULES: tuple[Callable[[Tree], Iterator[str]], ...] = (
    stages_have_modules,
    nouns_have_one_chapter,
    drawings_are_drawn,
    settings_are_arguments,
    modules_have_tests,
    outputs_lie_in_their_place,
    code_is_a_dep,
    files_are_deps,
    settings_are_params,
    nothing_is_left_over,
    the_list_has_a_row_for_each_measure,
    figures_name_their_stage,
    chapters_stand_alone,
    nothing_outgrows_its_reader,
    aliases_have_one_definition,
)


def problems(root: Path) -> list[str]:
    """Return what breaks the mirror, one sentence each; empty when all fits."""
    tree = Tree(root)
    return list(dict.fromkeys(sentence for rule in RULES for sentence in rule(tree)))
