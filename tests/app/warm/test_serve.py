"""A fork has the arguments, files and status of its call, and libraries of earlier ones."""

from pathlib import Path

from embspace.app.warm.serve import EVERYWHERE
from tests.app.warm.conftest import Finish

SAYS = """
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ["ASKED"])
print("to stderr", file=sys.stderr)
sys.exit(3)
"""


def test_a_module_has_arguments_folder_environment_and_status_of_its_call(
    finish: Finish, tmp_path: Path
):
    (tmp_path / "tree/src/says.py").write_text(SAYS)
    for name in ("this", "that"):
        said = finish("-m", "says", "a", "b c", ASKED=name)
        assert said.stdout == f"['a', 'b c'] {tmp_path / 'tree'} {name}\n"
        assert (said.stderr, said.returncode) == ("to stderr\n", 3)


def test_a_module_is_the_one_of_now_and_of_its_tree(finish: Finish, tmp_path: Path):
    module = tmp_path / "tree/src/embspace.py"
    for text in ("first", "the second"):
        module.write_text(f"print({text!r})")
        assert finish("-m", "embspace").stdout == f"{text}\n"


def test_a_module_that_is_killed_has_the_status_that_a_shell_gives_it(
    finish: Finish, tmp_path: Path
):
    (tmp_path / "tree/src/dies.py").write_text("import os, signal\nos.kill(os.getpid(), 9)")
    assert finish("-m", "dies").returncode == 128 + 9


def test_what_all_stages_need_is_imported_while_calls_run(finish: Finish, tmp_path: Path):
    text = f"import sys, time\ntime.sleep(1)\nprint({{*{EVERYWHERE}}} <= sys.modules.keys())"
    (tmp_path / "tree/src/says.py").write_text(text)
    assert "True\n" in (finish("-m", "says").stdout for _ in range(100))


def test_another_library_is_there_once_a_call_has_needed_it(finish: Finish, tmp_path: Path):
    (tmp_path / "tree/src/needs.py").write_text("import ruptures; raise SystemExit(3)")
    says = (
        "import sys, time\ntime.sleep(.2)\nprint('ruptures' in sys.modules, 'umap' in sys.modules)"
    )
    (tmp_path / "tree/src/says.py").write_text(says)
    assert finish("-m", "says").stdout == "False False\n"
    assert finish("-m", "needs").returncode == 3
    assert "True False\n" in (finish("-m", "says").stdout for _ in range(100))
