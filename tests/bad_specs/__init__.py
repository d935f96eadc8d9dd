"""Bad specs and their answers: each file ends with the messages for it, after an empty line, each
line after `#> `.
"""

from pathlib import Path

SPECS = sorted(Path(__file__).parent.glob("*.toml"))
MARK = "#> "


def parts(path: Path) -> tuple[bytes, str]:
    """Return the spec of a file, and the answer."""
    spec, _, marked = path.read_bytes().partition(f"\n{MARK}".encode())
    return spec, f"{MARK}{marked.decode()}".replace(f"\n{MARK}", "\n").removeprefix(MARK)
