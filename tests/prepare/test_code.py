import sys
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.prepare.code import code_of, modules_in, prepare_code, stages_in

LOCKED = "# A comment.\nnumpy==2.4.6\nscikit-learn==1.9.1\n"
STAGE = """\"\"\"Stage.\"\"\"

from pkg_config import run_stage
from embspace.tool import Tool

if __name__ == "__main__":
    run_stage(main, measure_x)
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A package with one stage, which imports one module, and a module that nobody imports."""
    folder = tmp_path / "src/embspace"
    write(folder / "__init__.py", "")
    write(folder / "measure/__init__.py", "")
    write(folder / "measure/x.py", STAGE)
    write(folder / "tool.py", '"""A tool."""\n\nimport numpy\n\n\ndef tool():\n    return 1\n')
    write(folder / "other.py", "import sklearn\n")
    return tmp_path / "src"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def edit(source: Path, file: str, old: str, new: str) -> None:
    path = source / "embspace" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def paths_for(source: Path) -> list[str]:
    lines = prepare_code(source, LOCKED)["measure_x"].splitlines()
    return [line.split("  ")[1] for line in lines if "  " in line]


def test_the_code_of_a_stage_is_what_it_imports_and_the_packages_around_it(source: Path):
    assert list(prepare_code(source, LOCKED)) == ["measure_x"]
    assert paths_for(source) == [
        "src/embspace/__init__.py",
        "src/embspace/measure/__init__.py",
        "src/embspace/measure/x.py",
        "src/embspace/tool.py",
    ]


def test_imports_of_imports_and_inside_functions_count_those_of_type_checkers_do_not(source: Path):
    edit(source, "tool.py", "    return 1", "    from embspace import other")
    assert "src/embspace/other.py" in paths_for(source)
    edit(
        source, "tool.py", "def tool", "if TYPE_CHECKING:\n    from embspace import measure\ndef t"
    )
    edit(source, "tool.py", "    from embspace import other", "    return 1")
    assert "src/embspace/other.py" not in paths_for(source)


def test_locked_versions_of_imported_packages_are_named_and_no_others(source: Path):
    assert "numpy==2.4.6\n" in prepare_code(source, LOCKED)["measure_x"]
    assert "scikit-learn" not in prepare_code(source, LOCKED)["measure_x"]
    edit(source, "measure/x.py", "import Tool", "import Tool\nfrom sklearn.svm import SVC")
    before = prepare_code(source, LOCKED)["measure_x"]
    assert before.endswith("numpy==2.4.6\nscikit-learn==1.9.1\n")
    assert prepare_code(source, LOCKED.replace("1.9.1", "1.9.2"))["measure_x"] != before


def test_a_name_that_is_loaded_on_demand_is_refused(source: Path):
    write(source / "embspace/measure/__init__.pyi", "from .x import late as late\n")
    edit(source, "tool.py", "import numpy", "from embspace.measure import late")
    with pytest.raises(InputError, match=r"tool\.py: imports embspace\.measure\.late from a pack"):
        prepare_code(source, LOCKED)


def test_a_drawing_stage_is_named_after_its_folder(source: Path):
    for package in ("draw", "draw/positional"):
        write(source / f"embspace/{package}/__init__.py", "")
    write(source / "embspace/draw/positional/__main__.py", STAGE)
    assert "draw_positional" in prepare_code(source, LOCKED)


@pytest.fixture(scope="module")
def code_of_cubes(root: Path) -> set[Path]:
    modules = modules_in(root / "src")
    return {module.path for module in code_of(stages_in(modules)["measure_cubes"], modules)}


def test_the_code_that_is_found_is_what_python_loads(code_of_cubes: set[Path]):
    import embspace.measure.toys.cubes  # noqa: F401

    files = {Path(str(getattr(module, "__file__", None))) for module in sys.modules.values()}
    assert {path for path in code_of_cubes if path.resolve() in files} == code_of_cubes
