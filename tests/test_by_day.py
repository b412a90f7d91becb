from pathlib import Path

from dvc.repo import Repo

from embspace.settings.pipeline import read_stages
from tests.by_day import BY_NIGHT, stages_by_day


def test_what_is_left_for_the_night_are_stages(root: Path):
    assert {*BY_NIGHT} <= read_stages(root).keys()


def test_by_day_each_stage_stands_behind_what_it_needs_and_none_needs_one_of_the_night(root: Path):
    repo = Repo(str(root))
    stages = stages_by_day(repo)
    names = {stage.name.partition("@")[0] for stage in stages}
    assert {"measure_similarity", "draw_positional", "measure_ledger"} <= names
    assert names.isdisjoint({*BY_NIGHT, "draw_learned", "draw_texts"})
    made = {
        out.fs_path: place for place, stage_by_day in enumerate(stages) for out in stage_by_day.outs
    }
    night = {*repo.index.stages} - {*stages}
    lacking = {
        out.fs_path for stage_by_night in night for out in stage_by_night.outs if out.use_cache
    }
    assert lacking
    for place, stage in enumerate(stages):
        needed = {dep.fs_path for dep in stage.deps}
        assert all(made.get(path, -1) < place for path in needed)
        assert lacking.isdisjoint(needed)
