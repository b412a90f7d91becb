import getpass
import json
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from embspace.verify.provenance import LIBRARIES, machine, other_bytes, processor, update_provenance
from tests.verify.tree import SCALARS, SUMMARY, compute, put


def provenance() -> dict[str, Any]:
    return json.loads(Path("results/provenance.json").read_text())


def compute_all() -> None:
    compute("results/similarity/summary/small.csv", SUMMARY)
    compute("results/interrelations/small.json", SCALARS)


def test_it_names_what_may_move_a_digit():
    facts = machine()
    assert facts["processor"] == processor() != ""
    assert facts["cores"] >= 1
    assert facts["simd"]
    assert facts["blas"]
    assert all(facts[library][0].isdigit() for library in LIBRARIES)


def test_it_names_no_person_place_or_time():
    text = json.dumps(machine())
    assert socket.gethostname() not in text
    assert getpass.getuser() not in text.split()
    assert str(Path.home()) not in text
    assert "/" not in text


def test_it_is_said_for_each_model(tree: Path):
    compute_all()
    update_provenance(Path("results"), ["small"], {})
    assert list(provenance()) == ["small"]
    assert provenance()["small"]["files_computed_on_it"] == 2
    assert provenance()["small"]["other_files"] == 0


def test_what_git_brought_keeps_its_provenance(tree: Path):
    put("results/provenance.json", '{"small": {"processor": "another"}, "large": {"cores": 64}}')
    update_provenance(Path("results"), ["small", "large"], {})
    assert provenance() == {"large": {"cores": 64}, "small": {"processor": "another"}}


def test_a_part_from_git_is_counted(tree: Path):
    compute("results/similarity/summary/small.csv", SUMMARY)
    update_provenance(Path("results"), ["small"], {})
    assert provenance()["small"]["files_computed_on_it"] == 1
    assert provenance()["small"]["other_files"] == 1


def test_nothing_computed_and_nothing_known_is_nothing_said(tree: Path):
    update_provenance(Path("results"), ["small"], {})
    assert not Path("results/provenance.json").exists()


def test_files_of_git_with_other_bytes_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert other_bytes(Path("results")) == []  # no repository
    for file in ("results/a.csv", "results/b.csv", "figures/c.md", "other"):
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text("1")
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b.c commit -qm a"):
        subprocess.run(["git", *command.split()], check=True)
    assert other_bytes(Path("results")) == []
    for file in ("results/b.csv", "figures/c.md", "other", "results/new.csv"):
        Path(file).write_text("2")
    assert other_bytes(Path("results")) == ["figures/c.md", "results/b.csv"]
    assert other_bytes(Path("elsewhere")) == []
