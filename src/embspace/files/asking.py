"""Lets a process ask the model hub, from which `embspace.models` keeps all processes."""

import os


def allow_hub() -> None:
    """Let this process ask the hub, whatever was imported before.

    Unless HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE was set when it was started.
    """
    from huggingface_hub import constants
    from psutil import Process

    started_with = Process().environ()
    if not any(started_with.get(key) for key in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")):
        os.environ["HF_HUB_OFFLINE"] = ""
        constants.HF_HUB_OFFLINE = False
