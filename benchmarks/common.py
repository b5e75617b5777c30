"""What all benchmarks share: timing, where the figures are from, and how they are written."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
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
from threadpoolctl import threadpool_info

from evaluator.execution.machine import cores

sys.path.append(str(Path(__file__).parents[1]))  # for the clusters of the tests

PACKAGES = (
    "numpy",
    "numba",
    "gensim",
    "faiss-cpu",
    "scikit-learn",
    "gensim-evaluations",
    "pandas",
    "polars",
    "pyarrow",
    "testgen-evaluator",
    "msgspec",
    "usearch",
)


MEASURED = {
    "analogies": ("evaluator/engine", "evaluator/measures"),
    "average": ("evaluator/vectors",),
    "batch": ("evaluator/engine", "evaluator/measures", "evaluator/studies", "evaluator/vectors"),
    "cluster": ("evaluator/engine", "evaluator/execution", "evaluator/studies"),
    "engines": ("queries",),
    "live": ("testgen/sources",),
    "loading": ("evaluator/vectors",),
    "many_languages": ("evaluator/engine", "evaluator/measures", "evaluator/studies", "evaluator/vectors"),
    "programs": ("evaluator", "testgen"),
    "scaling": ("evaluator/engine", "evaluator/measures"),
    "scoring": ("evaluator/engine", "evaluator/measures"),
    "translation": ("evaluator/engine", "evaluator/measures"),
}
"""The folders of the code that each table measures."""

_AT_REST = os.getloadavg()[0]


def command_line(doc: str | None, full: str) -> argparse.ArgumentParser:
    """The command line of a benchmark with these docs, and with a longer run under `--full`."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n\n")[0])
    parser.add_argument("--full", action="store_true", help=full)
    parser.add_argument("--output", type=Path, help="the folder for the figures")
    return parser


def digest(name: str) -> str:
    """The first 12 digits of a SHA-256 of the code that a table measures."""
    root, found = Path(__file__).parents[1], hashlib.sha256()
    folders = (root / folder for folder in MEASURED[name.partition("-")[0]])
    files = sorted(file for folder in folders for file in folder.rglob("*") if file.suffix in {".py", ".rq"})
    for file in files:
        found.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:12]


WITHOUT_AVX512 = {"OPENBLAS_CORETYPE": "Haswell", "NUMBA_CPU_NAME": "haswell", "FAISS_OPT_LEVEL": "avx2"}
"""What makes the BLAS, compiled code and faiss use AVX2 alone, as most laptops have."""

_WITH_AVX512 = {"OPENBLAS_CORETYPE": "SkylakeX"}
"""The BLAS of some libraries is older than some processors, and would take code for very old ones there."""


def with_processor(*, avx512: bool) -> None:
    """Start the program again with code for this processor, or for one without AVX-512.

    The libraries read these variables when they are loaded. Some environments set them to an old processor.
    """
    chosen = ("OPENBLAS_", "NUMBA_CPU_", "FAISS_OPT_")
    own = {name: value for name, value in os.environ.items() if not name.startswith(chosen)}
    wide = llvmlite.binding.get_host_cpu_features().get("avx512f")
    own |= (_WITH_AVX512 if wide else {}) if avx512 else WITHOUT_AVX512
    if own != dict(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.argv], own)  # noqa: S606  # itself


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
    found: dict[str, Any] = {}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    maker = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD"}.get(_cpuinfo("vendor_id"), "unknown")
    return {
        "maker": maker,
        "cpu": _cpuinfo("model name") or platform.machine(),
        "AVX-512": "NUMBA_CPU_NAME" not in os.environ
        and bool(llvmlite.binding.get_host_cpu_features().get("avx512f")),  # what numba compiles for
        "cores": cores(),
        "BLAS kernels": ", ".join(
            sorted({each["architecture"] for each in threadpool_info() if "architecture" in each})
        ),
        **{name: os.environ[name] for name in WITHOUT_AVX512 if name in os.environ},
        "python": platform.python_version(),
        "load at the start": round(_AT_REST, 2),
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
    """Print a table; and write it and the figures, as JSON, into a folder, if the machine was quiet."""
    print(text, flush=True)
    if folder is not None:
        if cores() < _AT_REST:
            sys.exit(f"{name}: not recorded, as the machine was busy (load {_AT_REST:.1f}) at the start")
        folder.mkdir(parents=True, exist_ok=True)
        content = {"machine": machine(), "modules": digest(name), "results": figures}
        (folder / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
        where = ", ".join(f"{key} {value}" for key, value in content["machine"].items())
        (folder / f"{name}.md").write_text(f"{text}\n\n{where}\n")
