"""Measures corpora that fit into no memory and onto no one machine: sums while embedding."""

import os

# Before `embspace.models` says otherwise: texts may lie in a data set of the hub. Models are local.
os.environ.setdefault("HF_HUB_OFFLINE", "")
