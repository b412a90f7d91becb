"""Stages that bring texts and stimuli into one form."""
