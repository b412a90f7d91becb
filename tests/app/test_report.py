"""Command `embspace report` as a user has it; on all real stages: test_whole_pipeline.py."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from embspace.app.report import beside, write_report
from embspace.app.reporting.listed import list_reports
from embspace.app.reporting.subject import Subject
from embspace.app.repro.environment import KERNELS
from embspace.app.working_tree import TREES, WorkingTree
from embspace.errors import InputError
from embspace.settings.pipeline import read_stages
from tests.drawn import drawn_files
from tests.hub_server import serving_hub
from tests.tiny import build_tiny_bert, tiny_description, write_tiny_model
from tests.workspace import Workspace

pytestmark = pytest.mark.slow
SUBJECT = Subject("x", ["t"], None, None)

COMMAND = (sys.executable, "-c", "from embspace.app.cli import app; app()", "report")
LEFT = r"up to \d+ (?:s|min) left|first run here: no estimate yet"
STEP = re.compile(r"^\[\d+ of \d+\] (\S+) done in ", re.MULTILINE)
PER_MODEL = {"model": "${models}"}
OF_MATRICES, OF_TEXTS = "${item.model}.bin", "states/${item.model}"
BY_LAYER = "information_imbalance"  # of reports with --layers alone
# A pipeline whose stages hand out what git has of the default model, in no time.
STAGES = {
    "prepare_model": {
        "matrix": PER_MODEL,
        "cmd": "mkdir -p data/prepared/model && echo '{}' > data/prepared/model/${item.model}.json",
        "params": [{"conf/model/${item.model}.yaml": None}],
        "outs": ["data/prepared/model/${item.model}.json"],
    },
    "extract_embeddings": {
        "matrix": PER_MODEL,
        "cmd": "cp data/prepared/model/${item.model}.json ${item.model}.bin",
        "deps": ["data/prepared/model/${item.model}.json"],
        "outs": ["${item.model}.bin"],
    },
    "extract_hidden_states": {
        "matrix": {"model": "${models}", "corpus": "${corpora}"},
        "cmd": "sleep 4; mkdir -p states/${item.model} && cat data/texts/* ${item.model}.bin "
        "> states/${item.model}/${item.corpus}.bin",
        "deps": ["${item.model}.bin", "data/texts"],
        "params": [{"conf/corpus/${item.corpus}.yaml": None}],
        "outs": ["states/${item.model}/${item.corpus}.bin"],
    },
    **{
        f"measure_{noun}": {
            "matrix": {"model": "${profiled}" if noun == BY_LAYER else "${models}"},
            "cmd": f"python src/given/hand_out.py {noun} ${{item.model}}",
            "deps": [
                "${item.model}.bin" if noun == "explained_variance" else "states/${item.model}"
            ],
            "params": ["corpora"],
            "outs": [
                {f"results/{noun}{table}/${{item.model}}.csv": {"cache": False}} for table in tables
            ],
        }
        for noun, tables in {
            "explained_variance": ("/curve", "/dimensions"),
            "search": ("",),
            BY_LAYER: ("",),
        }.items()
    },
}
DRAWN = {"explained_variance": "learned", "search": "texts"}  # of every report, and their chapters
FIGURE = {"explained_variance": "pdf"}
HAND_OUT = """
import shutil, sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

noun, model = sys.argv[1:]
for file in sorted(Path("src/given/results", noun).rglob("minilm.csv")):
    # A model's name may hold dots, and begin another's.
    for name in (model, f"{model}.2"):
        target = Path("results", file.relative_to("src/given/results")).with_name(f"{name}.csv")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
"""


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree that knows `tiny`, has computed nothing, and names another model in params.yaml."""
    tree = Workspace(root, tmp_path_factory.mktemp("report"))
    build_tiny_bert(tree.folder / "src/given")
    (tree.folder / "conf/model/tiny.yaml").write_text(
        json.dumps(tiny_description(Path("src/given")))
    )
    shutil.copytree(root / "results", tree.folder / "src/given/results")
    shutil.rmtree(tree.folder / "pipeline")
    tree.edit("params.yaml", models=["minilm"], corpora=["model_card", "posts"])
    (tree.folder / "src/given/hand_out.py").write_text(HAND_OUT)
    (tree.folder / "dvc.yaml").write_text(json.dumps({"stages": STAGES}))
    tree.commit()
    return tree


def report(tree: Workspace, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=tree.folder,
        env=tree.environment() | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def steps(said: str) -> list[str]:
    """The stages that ran."""
    return [step[1] for step in STEP.finditer(said)]


# The tests build on each other, as a user's calls do.


def test_quick_prints_the_first_numbers_and_runs_no_stage(workspace: Workspace):
    said = report(workspace, "tiny", "--quick")
    assert said.returncode == 0, said.stderr
    assert "| layer | mean cosine |" in re.sub(" +", " ", said.stdout)
    assert said.stdout.endswith("reports/tiny+quick/index.html\n")
    assert steps(said.stderr) == []


def test_a_report_that_is_ended_goes_on_when_it_is_called_again(workspace: Workspace):
    with subprocess.Popen(
        [*COMMAND, "tiny"],
        cwd=workspace.folder,
        env=workspace.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            if line.startswith("extract_hidden_states@tiny-posts starts"):
                process.send_signal(signal.SIGTERM)
                break
        assert process.stderr.read().endswith("ended; what is computed is kept\n")
    assert process.returncode == 128 + signal.SIGTERM
    page = (workspace.folder / "reports/tiny/index.html").read_text()
    assert "The run was ended. The same command goes on where it was." in page
    assert 'http-equiv="refresh"' not in page
    assert '<section id="waiting">' in page and "explained variance, search" in page
    said = report(workspace, "tiny")
    assert said.returncode == 0, said.stderr
    assert said.stdout.endswith("\nreports/tiny/index.html\n")
    # A stage beside the one that was ended was ended with it.
    assert {f"measure_{noun}@tiny" for noun in DRAWN} <= {*steps(said.stdout)}
    assert "extract_hidden_states@tiny-posts" in steps(said.stdout)
    assert "6 stages in " in said.stdout
    assert re.search(", [234] up to date", said.stdout)
    assert "[6 of 6] measure_" in said.stdout


def test_the_page_and_its_files_are_there_and_nothing_else_changed(workspace: Workspace):
    folder = workspace.folder / "reports/tiny"
    page = (folder / "index.html").read_text()
    assert "Embedding spaces of tiny" in page
    assert "refresh" not in page and 'id="waiting"' not in page
    for noun, chapter in DRAWN.items():
        assert f'<section id="{noun}" class="part">' in page
        own = FIGURE.get(noun, "tex")  # an analysis drawn in another's figure has tables alone
        assert (folder / f"data/drawn/{chapter}/tiny/{noun}.{own}").is_file()
    copied = {file.relative_to(folder).as_posix() for file in folder.glob("figures/**/*.*")}
    assert copied == {
        *drawn_files("figures/explained_variance/tiny", "explained_variance", "")[:2],
        "figures/search/tiny.md",
    }
    paths = re.findall(r'href="((?:results|figures|data/drawn)/[^"]+)"', page)
    assert "results/explained_variance/curve/tiny.csv" in paths
    for path in paths:
        assert (folder / path).is_file()
    assert workspace.git("status", "--short") == ""
    left = {file.name for file in (workspace.folder / "results").rglob("*") if file.is_file()}
    assert left == {".gitkeep"}  # those of runs, which every tree has


def test_a_second_report_computes_nothing_and_writes_the_same(workspace: Workspace):
    page = workspace.folder / "reports/tiny/index.html"
    before = page.read_bytes()
    said = report(workspace, "tiny", "--no-open")
    assert said.returncode == 0, said.stderr
    assert steps(said.stdout) == []
    assert page.read_bytes() == before


def test_what_no_stage_of_the_report_has_made_is_not_beside_the_page(workspace: Workspace):
    stray = workspace.folder / TREES / "tiny/results/atlas/tiny.csv"
    stray.parent.mkdir(parents=True)
    stray.write_text("corpus\narticles\n")
    assert report(workspace, "tiny", "--no-open").returncode == 0
    made = (workspace.folder / "reports/tiny/results").rglob("*.csv")
    assert {file.parent.name for file in made} == {"curve", "dimensions", "search"}


def test_own_texts_have_a_report_of_their_own(workspace: Workspace):
    (workspace.folder / "my notes.csv").write_text("text\na cat\na dog\n")
    before = (workspace.folder / "reports/tiny/index.html").read_bytes()
    said = report(workspace, "tiny", "--corpus", "my notes.csv")
    assert said.returncode == 0, said.stderr
    page = said.stdout.splitlines()[-1]
    assert re.fullmatch(r"reports/tiny--my_notes-[0-9a-f]{8}/index\.html", page)
    assert {*steps(said.stdout)} == {
        "extract_hidden_states@tiny-my_notes",
        *(f"measure_{noun}@tiny" for noun in DRAWN),
    }
    text = (workspace.folder / page).read_text()
    assert "on my notes.csv</title>" in text and "my_notes-" not in text.split("</header>")[0]
    listed = list_reports(workspace.folder, workspace.folder)
    assert re.fullmatch(rf"tiny on my notes\.csv  +\d{{4}}-\d\d-\d\d  {page}", listed[0])
    assert (workspace.folder / "reports/tiny/index.html").read_bytes() == before


def test_a_report_with_layers_and_one_without_both_stay(workspace: Workspace):
    plain = workspace.folder / "reports/tiny/index.html"
    before = plain.read_bytes()
    said = report(workspace, "tiny", "--layers")
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1] == "reports/tiny+layers/index.html"
    layers = (workspace.folder / "reports/tiny+layers/index.html").read_bytes()
    section = f'<section id="{BY_LAYER}"'.encode()
    assert section in layers and section not in before
    assert b"<code>--layers</code> adds" in before and b"<code>--layers</code>" not in layers
    assert report(workspace, "tiny").returncode == 0
    assert plain.read_bytes() == before
    assert (workspace.folder / "reports/tiny+layers/index.html").read_bytes() == layers


def test_the_tree_is_found_from_any_folder(workspace: Workspace, tmp_path: Path):
    (workspace.folder / "docs").mkdir()
    (workspace.folder / "docs/some.txt").write_text("a cat\na dog\n")
    command = [*COMMAND, "tiny", "--quick", "--corpus", "some.txt"]
    said = subprocess.run(
        command,
        cwd=workspace.folder / "docs",
        env=workspace.environment() | {"PYTHONPATH": str(workspace.folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    assert "4 tokens of 2 texts, some.txt" in said.stdout


def test_a_folder_is_reported_on_and_conf_stays(workspace: Workspace):
    said = report(workspace, "src/given", "--quick")
    assert steps(said.stderr) == []  # conf/model/tiny.yaml is of this folder
    build_tiny_bert(workspace.folder / "elsewhere/my bert")
    before = workspace.files("conf")
    said = report(workspace, "elsewhere/my bert", "--no-open")
    assert said.returncode == 0, said.stderr
    page = said.stdout.splitlines()[-1]
    assert re.fullmatch(r"reports/my_bert-[0-9a-f]{8}/index\.html", page)
    assert "Embedding spaces of my bert" in (workspace.folder / page).read_text()
    assert workspace.files("conf") == before


def test_what_does_not_fit_is_one_message(workspace: Workspace):
    (workspace.folder / "x.docx").write_bytes(b"PK")
    (workspace.folder / "x.csv").write_text("a,b\n1,2\n")
    for arguments, message in (
        (["tinny"], "tinny.yaml: not found; did you mean 'tiny'? allowed: a folder, "),
        (["./tinny"], "./tinny: no such folder"),
        (["a b.csv"], "not a model; to have a model read them, type\n  embspace report minilm"),
        (["a b.csv"], "embspace report minilm --corpus 'a b.csv'\n"),
        (["tiny", "--corpus", "none.txt"], "none.txt: not found"),
        (["tiny", "--corpus", "model_cards"], "model_cards.yaml: not found; did you mean "),
        (["tiny", "--corpus", "x.docx"], "x.docx: found the ending '.docx', allowed: .jsonl"),
        (["tiny", "--corpus", "x.csv"], "x.csv, line 2: no column 'text', found 'a', 'b'"),
    ):
        said = report(workspace, *arguments)
        assert said.returncode == 1
        assert message in said.stderr
        assert said.stderr.startswith("error: ")
        assert "Traceback" not in said.stderr


def test_a_model_of_the_hub_is_fetched(workspace: Workspace, tiny_folder: Path, tmp_path: Path):
    content = tiny_description(Path()) | {"source": "hub", "repository": "maker/tiny"}
    del content["path"]
    path = workspace.folder / "conf/model/remote.yaml"
    path.write_text(json.dumps(content))
    with serving_hub() as server:
        commit = server.push("maker/tiny", tiny_folder)
        hidden = {"HF_HUB_OFFLINE": "", "TRANSFORMERS_OFFLINE": ""}
        hub = server.environment(tmp_path) | hidden
        said = report(workspace, "remote", "--quick", **hub)
        assert said.returncode == 0, said.stderr
        assert f"remote: maker/tiny, main is {commit[:8]}" in said.stderr
        assert commit in (workspace.folder / "models.lock").read_text()
        n_requests = len(server.requests)
        said = report(workspace, "remote", "--quick", **hub)
        assert "all here" in said.stderr
        assert steps(said.stderr) == []
        assert len(server.requests) == n_requests


def test_a_repository_that_conf_does_not_have_is_fetched_and_described(
    workspace: Workspace, tmp_path: Path
):
    before = workspace.files("conf") | workspace.files("params.yaml")
    with serving_hub() as server:
        server.push("maker/new-bert", build_tiny_bert(tmp_path / "new", seed=1))
        hidden = {"HF_HUB_OFFLINE": "", "TRANSFORMERS_OFFLINE": ""}
        said = report(
            workspace,
            "maker/new-bert",
            "--no-open",
            **server.environment(tmp_path / "cache") | hidden,
        )
    assert said.returncode == 0, said.stderr
    assert "maker_new-bert: maker/new-bert, main is" in said.stdout
    page = workspace.folder / "reports/maker_new-bert/index.html"
    assert "Embedding spaces of maker/new-bert" in page.read_text()
    assert workspace.files("conf") | workspace.files("params.yaml") == before


def test_the_bytes_are_those_of_params_yaml_and_repro(
    root: Path, tmp_path_factory: pytest.TempPathFactory
):
    """Real stages, in two trees that share nothing: the second has a cache of its own."""
    tree = Workspace(root, tmp_path_factory.mktemp("bytes"))
    write_tiny_model(tree.folder / "models/tiny", tree.folder / "conf", "tiny")
    tree.edit("conf/model/tiny.yaml", path="models/tiny")
    tree.edit("params.yaml", models=["minilm"], corpora=["model_card"])
    stages = read_stages(tree.folder)
    names = ("measure_explained_variance", "measure_sentence_similarity")
    targets = [stages[name].address("tiny") for name in names]
    own = WorkingTree(tree.folder, tree.folder / TREES / "tiny")
    own.update("tiny", None)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KERNELS.items():
            patch.setenv(name, value)
        assert {step.kind for step in own.reproduce(*targets)} == {"starts", "ends"}
        tree.edit("params.yaml", models=["tiny"])
        tree.run("dvc", "config", "--local", "cache.dir", "other_cache")
        tree.repro(*targets)
    made = tree.files("results", "data/extracted", "data/prepared")
    assert len(made) > 10
    for file, content in made.items():
        if not file.endswith(".gitkeep"):  # made by no stage
            assert (own.folder / file).read_bytes() == content, file


@pytest.fixture
def page(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page of a report `x`, which is not written yet and has no stages."""
    shutil.copy(root / "params.yaml", tmp_path)
    (tmp_path / "conf/model").mkdir(parents=True)
    shutil.copy(root / "conf/model/minilm.yaml", tmp_path / "conf/model/x.yaml")
    (tmp_path / "conf/corpus").mkdir()
    shutil.copy(root / "conf/corpus/posts.yaml", tmp_path / "conf/corpus/t.yaml")

    @contextmanager
    def locked() -> Iterator[None]:
        yield

    tree = SimpleNamespace(root=tmp_path, folder=tmp_path, stages=lambda *_: (), locked=locked)
    for name, made in {
        "app.report.open_tree": tree,
        "app.report.check_probed": None,
        "app.report.stages_of": {},
        "app.report._steps": iter(()),
        "app.page.model.page_of": "a new page",
    }.items():
        monkeypatch.setattr(f"embspace.{name}", lambda *given, made=made, **options: made)
    monkeypatch.chdir(tmp_path)
    made = tmp_path / SUBJECT.folder / "index.html"
    made.parent.mkdir(parents=True)
    return made


def test_a_first_page_is_there_before_the_model_is_loaded_and_an_old_one_stays(
    page: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        there.append(page.is_file())
        raise InputError("is no model")

    there: list[bool] = []
    monkeypatch.setattr("embspace.app.report.check_probed", refuse)
    with pytest.raises(InputError, match="is no model"):
        write_report(SUBJECT, print)
    assert there == [True] and page.read_text() == "a new page"
    page.write_text("an old page")
    with pytest.raises(InputError, match="is no model"):
        write_report(SUBJECT, print)
    assert page.read_text() == "an old page"


def test_a_full_disk_leaves_the_old_page(page: Path, monkeypatch: pytest.MonkeyPatch):
    page.write_text("an old page")

    def full(path: Path, text: str, **options: str) -> None:
        path.write_bytes(text[:3].encode())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(InputError, match="cannot be written: No space left"):
        write_report(SUBJECT, print)
    assert [file.read_text() for file in page.parent.iterdir()] == ["an old page"]


def test_a_report_of_the_cache_comes_beside_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path / "cache"))
    root, here = tmp_path / "cache/study", tmp_path / "here"
    page = Path("reports/m/index.html")
    (root / page.parent / "figures").mkdir(parents=True)
    (root / page).write_text("page")
    (root / page.parent / "figures/a.png").write_text("figure")
    (here / page.parent).mkdir(parents=True)
    (here / page.parent / "notes.txt").write_text("mine")
    assert beside(page, root, here) == here / page
    assert (here / page).read_text() == "page"
    assert (here / page.parent / "figures/a.png").is_file()
    assert (here / page.parent / "notes.txt").read_text() == "mine"
    assert beside(page, tmp_path, here) == tmp_path / page  # of one's own study
