"""Tests who may ask the hub, in processes of their own, for a library reads the variable once."""

import os
import subprocess
import sys

import pytest

CODE = """
import embspace.models  # forbids it
from huggingface_hub import constants
from embspace.files.asking import allow_hub
allow_hub()
print(constants.HF_HUB_OFFLINE)
"""


@pytest.mark.parametrize(
    ("said", "offline"),
    [
        ({}, "False"),
        ({"HF_HUB_OFFLINE": ""}, "False"),
        ({"HF_HUB_OFFLINE": "1"}, "True"),
        ({"TRANSFORMERS_OFFLINE": "1"}, "True"),
    ],
)
def test_a_process_may_ask_unless_it_was_started_offline(said: dict[str, str], offline: str):
    others = {
        key: value
        for key, value in os.environ.items()
        if key not in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    }
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, env=others | said, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == offline
