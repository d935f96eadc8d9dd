"""Spec → problems that the runtime finds before a build: in its mapping, samples and values."""
