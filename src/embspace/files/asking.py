"""Lets a process connect to the model hub; `embspace.models` keeps all processes offline."""

import os


def allow_hub() -> None:
    """Let this process ask the hub, whatever was imported before.

    Without effect if HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE was set when the process started.
    """
    from huggingface_hub import constants
    from psutil import Process

    started_with = Process().environ()
    if not any(started_with.get(key) for key in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")):
        os.environ["HF_HUB_OFFLINE"] = ""
        constants.HF_HUB_OFFLINE = False
