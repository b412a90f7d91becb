"""`embspace thesis`: prints or writes the page, or keeps verdicts."""

from pathlib import Path

import pytest

from tests.app.cli.call import call
from tests.app.page.trees import write_model_tree


@pytest.fixture
def tree(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_model_tree(root, tmp_path)
    (folder / "dvc.yaml").write_text("stages: {}\n")
    monkeypatch.chdir(folder)
    return folder


def test_the_page_is_printed_with_links_from_the_tree(tree: Path):
    said = call("thesis", "minilm")
    assert said.exit_code == 0
    assert said.stdout.startswith("# The thesis, on MiniLM-L6\n")
    assert "(./figures/hopf_link/toy.png)" in said.stdout


def test_a_written_page_has_links_from_where_it_lies(tree: Path):
    said = call("thesis", "minilm", "--write", "docs/deep/page.md")
    assert said.exit_code == 0
    assert "(../../figures/hopf_link/toy.png)" in Path("docs/deep/page.md").read_text()


def test_a_folder_in_the_files_place_is_told(tree: Path):
    Path("page.md").mkdir()
    said = call("thesis", "minilm", "--write", "page.md")
    assert said.exit_code == 1
    assert "page.md" in said.stderr and said.stderr.count("\n") == 1


def test_verdicts_are_kept_by_model(tree: Path):
    said = call("thesis", "minilm", "--keep")
    assert (said.exit_code, said.stdout) == (
        0,
        "data/published/verdicts/minilm.csv\ndata/published/answers/minilm.csv\n",
    )
    assert Path("data/published/verdicts/minilm.csv").is_file()


def test_a_model_without_a_ledger_is_an_error_of_one_line(tree: Path):
    said = call("thesis", "minilm_random")
    assert said.exit_code == 1
    assert said.stderr.strip().count("\n") == 0
    assert "results/ledger/minilm_random.csv: not found" in said.stderr


def test_to_keep_and_to_write_at_once_is_refused(tree: Path):
    said = call("thesis", "minilm", "--keep", "--write", "page.md")
    assert said.exit_code == 1
    assert "--keep and --write: found both" in said.stderr
    assert not Path("page.md").exists()
