from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.prepare.code_module import Imported, Module

TOOL = '"""A tool."""\n\nimport numpy\n\n\ndef tool():\n    return 1\n'


def module(folder: Path, old: str = "", new: str = "") -> Module:
    """The tool, with something in it exchanged."""
    assert old in TOOL
    path = folder / "tool.py"
    path.write_text(TOOL.replace(old, new, 1) if old else TOOL)
    return Module(path)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("A tool.", "Another word.", False),
        ("return 1", "return 1  # a reason", False),
        ("def tool", "# A reason.\ndef tool", False),
        ("import numpy\n", "import numpy\n\n", False),
        ("def tool():\n", 'def tool():\n    """Return\n\n    it."""\n', False),
        ("return 1", "return 2", True),
        ("return 1", 'return "# no comment"', True),
        ("return 1", 'return """no docstring"""', True),
        ("import numpy", "import scipy", True),
    ],
)
def test_words_do_not_count_and_code_does(tmp_path: Path, old: str, new: str, changes: bool):
    before = module(tmp_path).digest
    assert (module(tmp_path, old, new).digest != before) == changes


def test_a_string_that_is_returned_counts_by_its_content(tmp_path: Path):
    digests = {module(tmp_path, "1", f'"# {n}"').digest for n in range(2)}
    assert len(digests) == 2


def test_imports_are_found_inside_functions_and_not_those_of_a_type_checker(tmp_path: Path):
    new = "from a.b import c, d\n    return 1"
    imports = (Imported("numpy", ()), Imported("a.b", ("c", "d")))
    assert module(tmp_path, "return 1", new).imports == imports
    new = "if TYPE_CHECKING:\n    import a\nelse:\n    import b"
    assert module(tmp_path, "import numpy", new).imports == (Imported("b", ()),)


def test_a_data_file_counts_where_a_module_beside_it_names_it(tmp_path: Path):
    for name in ("house.mplstyle", "unnamed.mplstyle"):
        (tmp_path / name).touch()
    opens = module(tmp_path, "return 1", 'return open("house.mplstyle")')
    assert opens.opened_beside == (tmp_path / "house.mplstyle",)


@pytest.mark.parametrize(
    "call", ["importlib.import_module('x')", "__import__('x')", "runpy.run_path('x')"]
)
def test_a_dynamic_import_is_refused_by_file_and_line(tmp_path: Path, call: str):
    with pytest.raises(InputError, match=r"tool\.py:7: imports a module by a name that only a run"):
        _ = module(tmp_path, "return 1", f"return {call}").imports


def test_a_stage_is_what_runs_one(tmp_path: Path):
    run = 'if __name__ == "__main__":\n    run_stage(main, tool)\n'
    assert module(tmp_path, "import numpy", run).is_stage
    assert not module(tmp_path, "return 1", "return run_stage(main)").is_stage
    assert not module(tmp_path).is_stage
