"""Tests of `embspace.stream`."""
