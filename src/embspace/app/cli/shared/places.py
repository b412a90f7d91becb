"""Lets a command work from any folder of a tree, as its code works from the root."""

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

from embspace.app.cli.shared.failures import clear_errors


@contextmanager
def at_own_root() -> Iterator[None]:
    """Go to the root of the tree that holds the current folder, and show errors clearly.

    Outside of any tree the folder stays the same, for these commands judge or change a tree and
    must not turn to one elsewhere; files missing there are an error.
    """
    from embspace.settings.roots import enclosing_root
    from embspace.settings.study import renew_package

    here = Path.cwd()
    with clear_errors(), chdir(enclosing_root(here) or here):
        renew_package(Path.cwd())
        yield


@contextmanager
def at_model(typed: str, *, own: bool = False) -> Iterator[str]:
    """Go to the tree that has a model's results, yield the model's name there, and show errors.

    The tree is a root, the one of `at_own_root` if it must be the user's `own`, or the tree of a
    report; see `embspace.app.queries.reported`.
    """
    from embspace.app.queries.reported import place_of
    from embspace.settings.roots import enclosing_root, find_root

    here = Path.cwd()
    with clear_errors():
        root = enclosing_root(here) if own else find_root()
        tree, model = place_of(typed, root, here, for_results=True) if root else (here, typed)
        with chdir(tree):
            yield model


@contextmanager
def at_texts(typed: str) -> Iterator[str]:
    """Go to the tree whose settings say how a model reads texts, yield the model, show errors.

    A folder is a model by its absolute path; the name of a report stands for the report's model.
    """
    from embspace.app.describe.names import placed
    from embspace.app.queries.reported import place_of
    from embspace.settings.roots import find_root

    here = Path.cwd()
    with clear_errors():
        root = find_root()
        model = placed(typed, root, here)
        tree = root
        if not _is_model_folder(model):
            tree, model = place_of(typed, root, here)
        with chdir(tree):
            yield model


def placed_texts(corpus: str | None) -> str | None:
    """Return the absolute path of a file of texts; leave a name as it is."""
    return str(Path(corpus).absolute()) if corpus and Path(corpus).suffix else corpus


def _is_model_folder(model: str) -> bool:
    """Return whether a path is a folder of a model's own files, and not of a model's report."""
    marks = ("config.json", "modules.json", "0_Transformer", "adapter_config.json")
    return Path(model).is_absolute() and any((Path(model) / mark).exists() for mark in marks)


@contextmanager
def at_any_root() -> Iterator[None]:
    """Go to the root that `embspace report` takes, even from outside of a tree, and show errors."""
    from embspace.settings.roots import find_root

    with clear_errors(), chdir(find_root()):
        yield
