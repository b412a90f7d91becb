"""Removes what a dropped corpus or model has left in folders on which stages depend as a whole.

To DVC such a file is a change of the folder: the stages that read it would run again, though they
read other files of it, and the hash with the stray would go into dvc.lock. DVC's cache has these
files, and gives them back when the corpus or model is named again.
"""

from pathlib import Path

from embspace.app.prune import STATES, STIMULI, TEXTS, leftovers, remove
from embspace.settings.params import Params


def remove_strays(params: Params) -> list[Path]:
    """Remove prepared texts and extracted states of other corpora and models; return which."""
    shared = (STATES, STIMULI, TEXTS)
    strays = [
        file for file in leftovers(params) if any(file.is_relative_to(folder) for folder in shared)
    ]
    remove(strays)
    return strays
