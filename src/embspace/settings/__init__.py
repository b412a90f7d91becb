"""Schemas of params.yaml and conf/."""
