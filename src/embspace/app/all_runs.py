"""Names in params.yaml what `make all` computes on top: every profile and every run."""

import re
import sys

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.settings.params import CONF, PARAMS, read_params


def named_all(text: str, lists: dict[str, list[str]]) -> tuple[str, list[str]]:
    """Return params.yaml with these lists where it has `[]`, and the keys that have not.

    By text, so that comments and order stay as they are.
    """
    kept = []
    for key, names in lists.items():
        text, n = re.subn(rf"(?m)^{key}: *\[\]", f"{key}: [{', '.join(names)}]", text)
        if not n:
            kept.append(key)
    return text, kept


def main() -> None:
    """Write params.yaml; say which keys stay as they are."""
    try:
        models = read_params().models
        runs = sorted(path.stem for path in (CONF / "train").glob("*.yaml"))
        text, kept = named_all(
            PARAMS.read_text(encoding="utf-8"), {"profiled": models, "trained": runs}
        )
        with writing(PARAMS) as partial:
            partial.write_text(text, encoding="utf-8")
    except InputError as error:
        sys.exit(f"error: {error}")
    for key in kept:
        print(f"{PARAMS}: key '{key}' stays as it is, for it is not []")


if __name__ == "__main__":
    main()
