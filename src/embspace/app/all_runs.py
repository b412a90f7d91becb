"""Names the runs of `make all` in params.yaml: models, pairs, profiles, every run."""

import re
import sys

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.settings.find_description import described_in
from embspace.settings.model import RandomModel, describe_model
from embspace.settings.params import CONF, PAIR, PARAMS, read_params
from embspace.settings.schema import read_yaml


def named_all(text: str, entries: dict[str, str]) -> tuple[str, list[str]]:
    """Return params.yaml with entries in place of `[]` or `{}`, and the keys that had neither.

    Only the text is edited, so comments and order stay.
    """
    kept = []
    for key, entry in entries.items():
        text, n = re.subn(rf"(?m)^{key}:[ \t]*(\[\]|\{{\}})", f"{key}:{entry}", text)
        if not n:
            kept.append(key)
    return text, kept


def with_models(text: str, names: list[str]) -> str:
    """Return params.yaml with more models at the end of the list, in brackets or with dashes.

    Raises:
        InputError: if params.yaml has no list of models.
    """
    if match := re.search(r"(?m)^models:[ \t]*\[[^\]]*", text):
        head = text[: match.end()]
        before = "" if head.rstrip().endswith(",") else ", "
        return head + before * bool(names) + ", ".join(names) + text[match.end() :]
    match = re.search(r"(?m)^models:.*\n(?:(?:[ \t]*(?:#.*)?\n)*([ \t]*- ).*\n)+", text)
    if not match:
        raise InputError(f"{PARAMS}: key 'models': found no list in brackets, or with dashes")
    lines = (f"{match[1]}{name}\n" for name in names)
    return "".join([text[: match.end()], *lines, text[match.end() :]])


def entries_of(models: list[str], others: list[str], runs: list[str]) -> dict[str, str]:
    """Return the entries of params.yaml for `profiled`, `compared`, `trained`, `run_pages`.

    Profiled are all models except those with random weights, which are the null of the others.
    Compared is the first model with every model of `others`.
    """
    profiled = [name for name in models if not _is_random(name)]
    pairs = [(models[0], name) for name in others if name != models[0]]
    compared = [
        f"  {model}{PAIR}{other}: {{model: {model}, other_model: {other}}}"
        for model, other in pairs
    ]
    return {
        "profiled": f" [{', '.join(profiled)}]",
        "compared": "\n" + "\n".join(compared) if compared else " {}",
        "trained": f" [{', '.join(runs)}]",
        "run_pages": " [all_runs]" if runs else " []",
    }


def _is_random(name: str) -> bool:
    description = read_yaml(described_in(CONF / "model", name))
    return isinstance(describe_model(name, description), RandomModel)


def main(others: list[str]) -> None:
    """Write params.yaml; name the keys that stay unchanged."""
    try:
        models = read_params().models
        new = [name for name in others if name not in models]
        runs = sorted(path.stem for path in (CONF / "train").glob("*.yaml"))
        text = with_models(PARAMS.read_text(encoding="utf-8"), new)
        text, kept = named_all(text, entries_of([*models, *new], others, runs))
        with writing(PARAMS) as partial:
            partial.write_text(text, encoding="utf-8")
    except InputError as error:
        sys.exit(f"error: {error}")
    for key in kept:
        print(f"{PARAMS}: key '{key}' stays as it is, for it is not empty")


if __name__ == "__main__":
    main(sys.argv[1:])
