import subprocess
from pathlib import Path

import pytest

from tests.app.cli.call import call, call_program
from tests.verify.tree import SUMMARY, make_tree, put

SUMMARY_FILE = "results/similarity/summary/small.csv"


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_tree()
    return tmp_path


def test_exit_code_0_within_tolerance():
    result = call("verify")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "0 files computed in this tree, 2 from git" in result.stdout


def test_exit_code_1_beyond_it():
    put(SUMMARY_FILE, SUMMARY.replace("1.5", "1.6"))
    result = call("verify")
    assert result.exit_code == 1
    assert "space=input: mean: baseline 1.5, found 1.6, allowed ±0.00015" in result.stdout
    assert "FAILED: facts beyond tolerance: 1" in result.stdout


def test_update_accepts():
    put(SUMMARY_FILE, SUMMARY.replace("1.5", "1.6"))
    assert call("verify", "--update").exit_code == 0
    assert call("verify").exit_code == 0


def test_results_and_computed():
    Path("results").rename("others")
    assert call("verify", "--results", "others").exit_code == 0
    assert call("verify", "--results", "others", "--computed").exit_code == 1


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("params.yaml", None, "params.yaml: not found in "),
        ("params.yaml", "models: small", "params.yaml: key 'models'"),
        ("tests/baselines/tolerances.yaml", None, "tests/baselines/tolerances.yaml: not found"),
        ("tests/baselines/tolerances.yaml", "[", "tests/baselines/tolerances.yaml: is not YAML"),
        ("tests/baselines/interrelations/small.json", "{", "small.json: is no JSON"),
        (SUMMARY_FILE, "space,n,mean\ninput\n", "small.csv, line 2: 1 cells under 3 columns"),
        (SUMMARY_FILE, "space,n,median\ninput,1,2\n", "small.csv: no rule names median"),
        ("data/published/paper.yaml", "source: a\n", "paper.yaml: key 'protocol' is missing"),
    ],
)
def test_bad_input_is_one_clear_message(file: str, content: str | None, message: str):
    if content is None:
        Path(file).unlink()
    else:
        put(file, content)
    result = call("verify")
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("error: ")
    assert message in result.stderr


def test_as_a_program(root: Path):
    finished = call_program(root, "verify")
    assert (finished.returncode, finished.stderr) == (0, "")
    put(SUMMARY_FILE, SUMMARY.replace("1.5", "1.6"))
    assert call_program(root, "verify").returncode == 1
    Path("params.yaml").unlink()
    finished = call_program(root, "verify")
    assert (finished.returncode, finished.stdout) == (1, "")
    assert "Traceback" not in finished.stderr


def test_prune_lists_first_and_removes_when_told(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    for file in ("params.yaml", "pipeline/learned/dvc.yaml"):
        put(file, (root / file).read_text(encoding="utf-8"))
    left, mine = put("figures/similarity/gone.png", "x"), put("results/mine.csv", "x")
    listed = call("prune")
    assert "results/mine.csv: not made by a stage, left alone\n" in listed.output
    assert "figures/similarity/gone.png\n1 file left over; remove with --yes\n" in listed.output
    assert left.is_file()
    assert "1 file removed" in call("prune", "--yes").output
    assert not left.exists() and mine.exists()
    assert call("prune").output.endswith("\n0 files left over\n")


def test_prune_says_that_what_git_has_stays(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    for file in ("params.yaml", "pipeline/learned/dvc.yaml"):
        put(file, (root / file).read_text(encoding="utf-8"))
    kept = put("figures/similarity/gone.png", "x")
    for command in (["init", "--quiet"], ["add", "figures"]):
        subprocess.run(["git", *command], check=True)
    said = call("prune", "--yes").output
    assert "1 file in git of what params.yaml does not name, left alone: prune removes" in said
    assert kept.is_file()


def test_the_help_of_prune_says_what_it_removes():
    page = " ".join(call("prune", "--help").output.split())
    for part in ("data/", "results/", "figures/", "baselines stay"):
        assert part in page


def test_check_says_that_all_is_well_or_what_is_not(root: Path, monkeypatch):
    monkeypatch.chdir(root)
    said = call("check").output
    assert said.startswith("params.yaml and conf/ fit, and the files of the models and corpora ")
    assert said.endswith(" that params.yaml names\n")
    monkeypatch.chdir(root / "tests")
    assert call("check").exit_code == 0


@pytest.mark.parametrize("command", [["check"], ["run", "helicx"], ["verify"], ["prune", "--yes"]])
def test_outside_of_a_tree_it_says_where_to_run_from(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "nowhere").mkdir()
    monkeypatch.chdir(tmp_path / "nowhere")
    said = call(*command)
    assert said.exit_code == 1
    assert "params.yaml: not found in" in said.stderr
    assert "run in a study, which `embspace init` makes" in said.stderr


def test_from_a_folder_of_a_tree_its_results_or_those_of_the_folder_are_verified(
    tree: Path, monkeypatch: pytest.MonkeyPatch
):
    put("dvc.yaml", "stages: {}\n")
    put("docs/page.md", "x")
    monkeypatch.chdir(tree / "docs")
    assert call("verify").exit_code == 0
    (tree / "results").rename(tree / "docs/others")
    assert call("verify").exit_code == 1
    assert call("verify", "--results", "others").exit_code == 0
    assert Path.cwd() == tree / "docs"
