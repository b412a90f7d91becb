"""Stages that bring texts and stimuli into a common form."""
