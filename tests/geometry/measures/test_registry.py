import re
from pathlib import Path

import embspace.geometry.measures.registry as module
from embspace.geometry.measures.declaration import FAMILIES
from embspace.geometry.measures.registry import definitions, profiled_measures


def test_every_module_with_a_measure_is_known() -> None:
    folder = Path(module.__file__).parent
    declares = re.compile(r"^(@measure|\w+ = partial\(\s*measure)\b", re.M)
    declaring = {file.stem for file in folder.rglob("*.py") if declares.search(file.read_text())}
    modules = {measure.function.__module__.rpartition(".")[2] for measure in definitions().values()}
    assert modules == declaring


def test_what_others_declare_is_not_ours() -> None:
    assert all(
        measure.function.__module__.startswith("embspace.") for measure in definitions().values()
    )


def test_families_stand_together_in_their_order() -> None:
    families = [measure.family for measure in definitions().values()]
    assert families == sorted(families, key=FAMILIES.index)
    assert set(families) == set(FAMILIES)


def test_stages_take_what_is_profiled_and_nothing_else() -> None:
    taken = profiled_measures()
    assert taken == {name: measure for name, measure in definitions().items() if measure.profiled}
    assert {measure.family for measure in taken.values()} == set(FAMILIES)
