"""Unit tests of exporting, a file for each module; none builds a package."""
