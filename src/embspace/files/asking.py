"""Lets a process connect to the model hub; `embspace.models` keeps all processes offline."""

import os


def allow_hub() -> None:
    """Let this process connect to the hub, in spite of earlier imports.

    Unless HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE was set at the start of the process.
    """
    from huggingface_hub import constants
    from psutil import Process

    started_with = Process().environ()
    if not any(started_with.get(key) for key in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")):
        os.environ["HF_HUB_OFFLINE"] = ""
        constants.HF_HUB_OFFLINE = False
