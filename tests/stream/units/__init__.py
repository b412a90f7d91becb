"""Tests of the units of streamed texts."""
