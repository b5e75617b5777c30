"""What all benchmarks share: timing, where the figures are from, and how they are written."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import llvmlite.binding

from evaluator.execution.processes import cores

sys.path.append(str(Path(__file__).parents[1]))  # for the clusters of the tests

PACKAGES = (
    "numpy",
    "numba",
    "gensim",
    "faiss-cpu",
    "scikit-learn",
    "gensim-evaluations",
    "pandas",
    "testgen-evaluator",
    "rapidgzip",
    "msgspec",
    "zstandard",
    "qwikidata",
)


def command_line(doc: str | None, full: str) -> argparse.ArgumentParser:
    """The command line of a benchmark with these docs, and with a longer run under `--full`."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n\n")[0])
    parser.add_argument("--full", action="store_true", help=full)
    parser.add_argument("--output", type=Path, help="the folder for the figures")
    return parser


def best(run: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    """The shortest of several runs in seconds, and what the last gave."""
    seconds, result = float("inf"), None
    for _ in range(times):
        started = time.perf_counter()
        result = run()
        seconds = min(seconds, time.perf_counter() - started)
    return seconds, result


def machine() -> dict[str, Any]:
    """Where the figures are from."""
    found = {}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    maker = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD"}.get(_cpuinfo("vendor_id"), "unknown")
    return {
        "maker": maker,
        "cpu": _cpuinfo("model name") or platform.machine(),
        "AVX-512": bool(llvmlite.binding.get_host_cpu_features().get("avx512f")),  # what numba compiles for
        "cores": cores(),
        "python": platform.python_version(),
        "load": [round(load, 2) for load in os.getloadavg()],
        **found,
    }


def _cpuinfo(name: str) -> str:
    """What the kernel says of the first core; "" if it says nothing."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write(folder: Path | None, name: str, figures: Any, text: str) -> None:
    """Print a table; and write it and the figures, as JSON, into a folder."""
    print(text, flush=True)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        content = {"machine": machine(), "results": figures}
        (folder / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
        where = ", ".join(f"{key} {value}" for key, value in content["machine"].items())
        (folder / f"{name}.md").write_text(f"{text}\n\n{where}\n")
