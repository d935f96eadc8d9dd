"""Spec → what the templates of one language name beside the spec's own words."""
