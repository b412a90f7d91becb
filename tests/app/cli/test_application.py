import logging
import re
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.app.cli.call import call, python
from tests.verify.tree import make_tree


def test_it_says_its_version():
    assert call("--version").output == f"embspace {version('embspace')}\n"


def test_without_a_subcommand_it_lists_them():
    assert "verify" in call().output
    assert call("--help").exit_code == 0


def test_commands_are_listed_by_what_they_are_for():
    listed = re.findall(r"^╭─ (\w+) ─|^│ (\w+)  ", call("--help").output, re.M)
    groups: dict[str, list[str]] = {}
    for group, command in listed:
        if group:
            groups[group] = []
        else:
            groups[[*groups][-1]].append(command)
    assert [*groups] == ["Options", "Questions", "Reports", "Studies", "Data"]
    assert groups["Questions"][:3] == ["layer", "search", "cosine"]
    assert groups["Reports"][:2] == ["models", "report"]
    assert {"init", "run", "verify", "prune"} <= {*groups["Studies"]}
    assert {*groups["Data"]} >= {"vectors", "corpus", "export"}


def test_lines_of_a_help_text_end_where_the_screen_does():
    line = "Prints how many results agree, differ or were not compared, and how to compare"
    assert line in call("verify", "--help").output


def test_a_warning_is_named_so(monkeypatch: pytest.MonkeyPatch):
    def list_models() -> list[str]:
        logging.getLogger("embspace.models").warning("not %s", "pinned")
        return []

    monkeypatch.setattr("embspace.app.models.list_models", list_models)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # those of pytest
    assert call("models").stderr == "warning: not pinned\n"


def test_it_starts_fast(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """No torch, pandas, matplotlib or hydra: half a second is felt by whoever waits for it."""
    monkeypatch.chdir(tmp_path)
    make_tree()
    heavy = ["torch", "transformers", "pandas", "numpy", "matplotlib", "hydra", "sklearn", "numba"]
    code = f"""
import sys
from pathlib import Path
import embspace.app.cli
from embspace.verify.command import verify_results
verify_results(Path("results"), update=False, computed=False, everything=False)
sys.exit(", ".join(sorted(set({heavy}) & set(sys.modules))))
"""
    assert python(root, code).stderr.strip() == ""


REFUSED = [
    ("report", "./nothing"),
    ("report", "minilm", "--corpus", "nothing.csv"),
    ("layer", "nothing.csv"),
    ("vectors", "nothing.npy"),
    ("corpus", "nothing.txt"),
    ("corpus", "README.md", "--model", "nothing"),
    ("fetch", "minilm_l3", "nothing"),
    ("figure", "minilm", "nothing"),
    ("figure", "nothing", "helix"),
    ("figure", "helix", "--of", "nothing"),
]


def test_what_is_not_there_is_refused_before_anything_slow_is_imported():
    slow = {"pandas", "scipy", "matplotlib", "torch", "transformers", "numba", "huggingface_hub"}
    code = f"""
import sys
from typer.testing import CliRunner
from embspace.app.cli import app
for command in {REFUSED}:
    result = CliRunner().invoke(app, command)
    print(result.exit_code, "nothing" in result.output, *({slow} & {{*sys.modules}}))
"""
    assert python(Path(__file__).parents[3], code).stdout.splitlines() == ["1 True"] * len(REFUSED)
