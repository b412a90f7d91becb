"""Holds what analyses of runs read to a small run."""

from embspace.measure.tables.runs import CHECKPOINT, CHECKPOINTS, RUN, RUN_NAME
from tests.train.runs import MASKED, small_run


def test_a_run_is_read_with_its_name_and_its_checkpoints():
    run = small_run({"first": MASKED}, seeds=[0, 3])
    assert (RUN_NAME.load("small", run), RUN.load("small", run)) == ("small", run)
    checkpoints = CHECKPOINTS.load("data/trained/small", "small", run)
    assert {checkpoint.root for checkpoint in checkpoints} == {"data/trained/small"}
    keys = [tuple(getattr(point, name) for name in CHECKPOINT) for point in checkpoints]
    assert len(set(keys)) == len(keys) == 2 * MASKED["n_checkpoints"]
