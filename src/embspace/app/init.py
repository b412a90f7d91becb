"""Command `embspace init`: a study of one's own, with settings to change and results to keep."""

import re
import shutil
import subprocess
from pathlib import Path

from embspace.app.describe.description import check_complete, description_of
from embspace.app.describe.find import find_model
from embspace.app.reporting.about import be_about
from embspace.app.reporting.subject import describe_subject
from embspace.app.working_tree import add_texts
from embspace.errors import InputError
from embspace.files.copies import write_changed
from embspace.settings.params import CONF, PARAMS
from embspace.settings.study import brought_along, write_study

README = """\
# {name}

A study of the embedding spaces of {model}, made by `embspace init`.

- `embspace check` says what does not fit in params.yaml and conf/, and what was changed there.
- `embspace run` computes what is out of date; so does `dvc repro`, one stage after the other.
- `embspace report {model}` opens a page of all figures and tables.
- params.yaml says which models read which texts; conf/ how each analysis works.
- `dvc exp run -S seed=1` tries another setting and keeps both results.
- results/ and figures/ belong into git, data/ does not: .gitignore says so.
"""
IGNORED = (
    *("/.venv/", "/.cache/", ".*.partial", "/reports/", "__pycache__/"),
    *(f"/data/{name}/" for name in ("prepared", "trained", "extracted", "measured")),
    *(f"/data/{name}/" for name in ("projected", "streamed", "reported", "drawn")),
)
LIST = r"(?m)^{key}:\n(?:  .*\n)+"  # a block list of params.yaml with its comments


def write_own_study(folder: Path, model: str | None, corpus: str | None) -> str:
    """Write a study of a model and of texts; return the commands to type next.

    `model` is a name, a folder or a fetched repository, `corpus` a file of texts or a name in
    conf/corpus/; by default they are embspace's own models and corpora.

    Raises:
        InputError: if the folder is not empty, or the model or the texts are unknown.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: found something there, allowed: a new folder or an empty one")
    source = brought_along()
    if source is None:
        raise InputError("this embspace has no files of a study; install it from its wheel")
    named = find_model(model, source, None) if model else None
    if named is not None and model is not None:
        check_complete(named, model)
    texts = None
    if corpus is not None:
        texts = describe_subject("minilm", corpus, lambda line: None)
    write_study(folder, without_git=not _in_git(folder))
    name = named.name if named else "minilm"
    if named is not None and named.described is not None:
        text = description_of(named, folder)
        write_changed(folder / CONF / "model" / f"{name}.yaml", text.encode())
    if named is not None:
        _set_list(folder, "models", [name])
    if texts is not None:
        if texts.own is not None:
            add_texts(folder, texts.own)
        _set_list(folder, "corpora", texts.corpora)
        be_about(folder, texts.corpora)
    write_changed(folder / ".gitignore", "".join(f"{line}\n" for line in IGNORED).encode())
    write_changed(folder / "README.md", README.format(name=folder.name, model=name).encode())
    return f"cd {folder}\nembspace run"


def _set_list(folder: Path, key: str, values: list[str]) -> None:
    """Replace a list of params.yaml; comments outside of it stay."""
    text = (folder / PARAMS).read_text(encoding="utf-8")
    listed = f"{key}:\n" + "".join(f"  - {value}\n" for value in values)
    write_changed(folder / PARAMS, re.sub(LIST.format(key=key), listed, text).encode())


def _in_git(folder: Path) -> bool:
    """Make a git repository of a folder that is in none; return whether it is in one now."""
    folder.mkdir(parents=True, exist_ok=True)
    git = shutil.which("git")
    if git is None:
        return False
    inside = [git, "-C", str(folder), "rev-parse", "--is-inside-work-tree"]
    if subprocess.run(inside, capture_output=True, check=False).returncode == 0:
        return True
    made = subprocess.run([git, "init", "-q", str(folder)], capture_output=True, check=False)
    return made.returncode == 0
