"""Writes the seconds that stages took, by which a first report says what it will cost.

`python -m benchmarks.stage_seconds DURATIONS TREE MODEL CHARACTERS [PART]`: a durations.json as
.cache/ of a study has it, the name of the report's tree in it ("" of the study's own run), the
description of its model, and the length of its texts. PART is that of the file which they go into:
with the settings of conf/, or with those of a report without `--all`. Times of stages that did not
run stay. The part `small`, of a second run of a small model and few texts, has sizes of its own;
its seconds were those of the processor.
"""

import json
import sys
from pathlib import Path

from embspace.app.reporting.costs import MEASURED, QUICKER, WHOLE
from embspace.app.repro.durations import OF_TREE
from embspace.files.atomic import writing
from embspace.settings.schema import read_yaml
from embspace.verify.provenance import processor

TARGET = Path("src/embspace/app/reporting") / MEASURED


def seconds_by_stage(durations: dict[str, float], tree: str, model: str) -> dict[str, float]:
    """Return the seconds by stage, of several corpora the longest one."""
    by_stage = dict[str, float]()
    for key, seconds in durations.items():
        tree_of_key, _, item = key.rpartition(OF_TREE)
        name, _, rest = item.partition("@")
        if tree_of_key != tree or not (rest.startswith(model) or not rest or tree):
            continue
        by_stage[name] = max(seconds, by_stage.get(name, 0.0))
    return by_stage


def main(durations: str, tree: str, model: str, characters: str, part: str = WHOLE) -> None:
    """Load, call, save."""
    content, description = json.loads(Path(durations).read_text()), Path(model)
    known = json.loads(TARGET.read_text()) if TARGET.is_file() else {}
    table = {WHOLE: {}, QUICKER: {}, **known}
    seconds = table[part] | seconds_by_stage(content, tree, description.stem)
    table |= {
        "processor": processor(),
        "parameters": read_yaml(description)["parameters"],
        "characters": int(characters),
        part: dict(sorted(seconds.items())),
    }
    with writing(TARGET) as partial:
        partial.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
