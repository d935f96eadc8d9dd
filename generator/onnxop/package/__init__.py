"""Packages on disk: rendered, built and updated. The only room that runs copier, git and pip."""
