"""``python -m tests.zoo [family ...]``: scan the models of the families, and write docs/models.json
and docs/models.md.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import page
from .environments import python_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_OTHERS = "__init__", "__main__", "environments", "page", "sets", "stock"
FAMILIES = {file.stem: file for file in sorted(HERE.glob("*.py")) if file.stem not in _OTHERS}
"""The files of the families, by name."""
_SECONDS = 300


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("families", nargs="*", metavar="family", help=", ".join(FAMILIES))
    parser.add_argument("--model", action="append", default=[], help="this model only")
    options = parser.parse_args()
    os.chdir(ROOT)
    results, commit = page.read(), _commit()
    for family in options.families or FAMILIES:
        if family not in FAMILIES:
            parser.error(f"{family} is no family; write one of {', '.join(FAMILIES)}")
        requirements, names = read_family(FAMILIES[family])
        python = python_of(family, requirements)
        versions = _versions(python, requirements)
        for name in options.model or names:
            results[f"{family}.{name}"] = {
                "date": datetime.date.today().isoformat(),
                "commit": commit,
                "versions": versions,
                **_result(python, family, name),
            }
            page.write(results)


def read_family(file: Path) -> tuple[list[str], list[str]]:
    """Return the requirements of a family, and its models: the functions without arguments."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    (required,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "REQUIREMENTS"
    )
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    names = [f.name for f in functions if not f.args.args and not f.name.startswith("_")]
    return [*required], names


def _commit() -> str:
    """Return the commit of onnxop that runs, if it is one of the main branch, whose commits last;
    else ``""``.
    """
    if subprocess.run(
        ["git", "merge-base", "--is-ancestor", "HEAD", "main"], check=False
    ).returncode:
        return ""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def _versions(python: Path, requirements: list[str]) -> dict[str, str]:
    """Return the versions of PyTorch, the exporters' packages and the family's."""
    code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    asked = ["torch", "onnx", "onnxscript", "onnxruntime", *requirements]
    told = subprocess.run([python, "-c", code, *asked], capture_output=True, text=True, check=True)
    return dict(zip(asked, told.stdout.split(), strict=True))


def _result(python: Path, family: str, name: str) -> dict[str, Any]:
    """Return what the exporters write of a model, and what scan says of it."""
    stock = {
        exporter: _stock(python, family, name, exporter) for exporter in ("dynamo", "TorchScript")
    }
    print(family, name, {exporter: each["verdict"] for exporter, each in stock.items()}, flush=True)
    scan = _scan(python, f"tests.zoo.{family}:{name}")
    told = {exporter: each["kind"] for exporter, each in scan.get("whole", {}).items()}
    print(f"  {told}; {scan['seconds']} s, {scan['cpu_seconds']} s of CPU", flush=True)
    print(*(f"    {line}" for line in scan.get("next", [])), sep="\n", flush=True)
    return {"stock": stock, "scan": scan}


def _run(python: Path, folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module in an empty folder."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [str(python), "-W", "ignore", "-m", *arguments]
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=4 * _SECONDS,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no end in {4 * _SECONDS} seconds")


def _stock(python: Path, family: str, name: str, exporter: str) -> Mapping[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        done = _run(python, folder, "tests.zoo.stock", family, name, exporter)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        return {"verdict": "crash", "why": "".join(done.stderr.splitlines()[-1:])}
    answer: dict[str, str] = json.loads(lines[-1])
    return answer


def _scan(python: Path, target: str) -> dict[str, Any]:
    """Return the report of ``scan --write --build``, its seconds, and its exit status."""
    begin, cpu = time.monotonic(), _cpu_seconds()
    options = ["--json", "--write", "specs", "--build", "--time-limit", str(_SECONDS)]
    with tempfile.TemporaryDirectory() as folder:
        done = _run(python, folder, "onnxop", "scan", target, *options)
    taken = {
        "seconds": round(time.monotonic() - begin),
        "cpu_seconds": round(_cpu_seconds() - cpu),
        "load_per_core": _load_per_core(),
        "status": done.returncode,
    }
    if "{" not in done.stdout:
        return {**taken, "next": done.stderr.strip().splitlines()[-3:]}
    printed = from_root(done.stdout, folder)
    output = json.loads(printed[printed.index("{") :])
    package = output["package"] or {}
    return {
        **taken,
        "whole": _by_exporter(output["whole"]),
        "with_package": _by_exporter(package.get("whole", [])),
        "findings": [_finding(one) for one in output["findings"]],
        "notes": output["notes"],
        "next": output["next"],
        "specs": [Path(file).stem for file in output["written"]],
    }


def from_root(text: str, folder: str) -> str:
    """Return what a scan in a folder prints, with the paths of files here as seen from the root."""
    for root in (os.path.relpath(ROOT, folder), ROOT):  # the former may end with the latter
        text = text.replace(f"{root}/", "")
    return text


def _by_exporter(outcomes: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    kept = ("kind", "why", "how", "stopped")
    return {one["exporter"]: {key: one[key] for key in kept if one[key]} for one in outcomes}


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "op": finding["op"],
        "exporters": [one["exporter"] for one in finding["outcomes"]],
        "remedies": [one["text"] for one in finding["remedies"]],
    }


def _load_per_core() -> float:
    """Return how many processes want each core, of the last minute: with one, seconds of CPU are
    those of an idle machine.
    """
    return round(os.getloadavg()[0] / (os.cpu_count() or 1), 1)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
