"""The specs of tests/bad_specs and their answers -> the page of messages."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path

import api
from tests.bad_specs import SPECS, parts

HEAD = """# Messages

The messages of `onnxop new` and `onnxop check`, each with a spec that causes it. A message has three parts:

```text
{example}
```

1. **Place**: the file, the line, and the key. Samples, errors and items of lists are numbered from 0: `samples[1].a` is the
   second sample's `a`. The carets mark the wrong part of the line.
2. **Fact**: what is wrong. A message that depends on values names the sample.
3. **Remedy**: what to write instead. Where several are possible, the message names them.

All problems of a spec are reported at once, in the order of the file. Some are found only after others are corrected: a
mapping runs on the samples only if its text is right. With an error, `new` writes nothing, and the exit status is 1.

The search of this site finds a message by its words. Open a message to see its spec, in which the faulty lines are
marked, and all messages of that spec.
"""
GROUPS = {
    "The file": "toml file",
    "Tables and keys": "table key keys types doc op several",
    "[op]: the signature": "schema results",
    "[op]: an operator that exists": "aten requires",
    "[onnx]: opset, domain and version": "opset onnx",
    "[onnx]: mapping": "mapping",
    "[kernel]: all kinds": "kernel",
    "[kernel]: elementwise": "elementwise",
    "[kernel]: source": "source",
    "[kernel]: python": "python",
    "[autograd]": "autograd",
    "[[samples]]": "samples",
    "[[errors]]": "errors",
    "[package]": "package",
}
"""Each heading, and the first words of the names of its files."""
_MESSAGE = re.compile(r"^[\w.-]+\.toml:(\d+): (.+?): (.+)$", re.MULTILINE)


def page() -> str:
    """Return the page in Markdown."""
    specs: dict[str, list[Path]] = {title: [] for title in GROUPS}
    titles = {word: title for title, words in GROUPS.items() for word in words.split()}
    for path in SPECS:
        word = path.stem.partition("_")[0]
        if word not in titles:
            raise ValueError(f"docs/site/messages.py lacks a group for {path.name}")
        specs[titles[word]].append(path)
    _, example = parts(SPECS[0].with_stem("mapping_op_misspelt"))
    sections = [HEAD.replace("{example}", example.rstrip())]
    for title, paths in specs.items():
        sections += [f"## {title}", *map(_entry, paths)]
    return "\n\n".join([*sections, *_raises()]) + "\n"


def _entry(path: Path) -> str:
    """Return a spec's first message, which opens to the spec and all its messages."""
    content, answer = parts(path)
    messages = _MESSAGE.findall(answer)
    _, place, text = messages[0]
    more = f" <em>and {len(messages) - 1} more</em>" if messages[1:] else ""
    lines = " ".join(dict.fromkeys(line for line, _, _ in messages))
    return "\n".join(
        [
            "<details markdown>",
            f'<summary><h3 id="{path.stem}"><code>{_plain(place)}</code> {_plain(text)}{more}</h3></summary>',
            "",
            f'```toml linenums="1" hl_lines="{lines}"',
            content.decode().rstrip("\n"),
            "```",
            "",
            "```text",
            answer.rstrip(),
            "```",
            "",
            "</details>",
        ]
    )


def _raises() -> Iterator[str]:
    """Yield the errors that the docstrings of the runtime's public functions name."""
    yield "## Errors of a package and of the runtime"
    yield (
        "The functions of a package and of `onnxop_runtime` raise these. Each text names the model or the operator, and "
        "the remedy. The arguments of the functions are described in [the runtime's API](api.md)."
    )
    for names in [*api.GROUPS.values()][:2]:
        for name, place in names.items():
            docstring = ast.get_docstring(api.node(name, place)) or ""
            section = re.search(r"^Raises:\n((?:    .*\n?)+)", docstring, re.MULTILINE)
            if section:
                text = re.sub(r"\n {5,}", " ", section[1]).replace("``", "`")
                yield f"**`{name}`**"
                yield re.sub(r"^    (\w+): ", r"- `\1`: ", text, flags=re.MULTILINE).rstrip()


def _plain(text: str) -> str:
    """Escape a text for HTML and for Markdown."""
    return re.sub(r"[\\`*_\[\]{}#]", lambda m: f"&#{ord(m[0])};", html.escape(text, quote=False))
