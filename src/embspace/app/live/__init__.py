"""The live app: tokens, directions, pairs of texts and a search, in a browser on this machine."""
