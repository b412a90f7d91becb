"""Loads a model and names its spaces: input, positional, segment, layer 0..L."""

import os

# Stages read local files only. The libraries read these variables when they are imported.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
