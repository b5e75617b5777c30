"""Libraries that compute have one thread in a context, also those that are loaded after the first one."""

from __future__ import annotations

import subprocess
import sys

from threadpoolctl import threadpool_info, threadpool_limits

from evaluator.execution.machine import one_thread


def threads(user_api):
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == user_api}


def test_one_thread_inside_and_as_many_as_before_outside():
    with threadpool_limits(2, user_api="blas"):
        for _ in range(2):
            with one_thread("blas"):
                assert threads("blas") == {1}
            assert threads("blas") == {2}


def test_libraries_that_are_loaded_later_are_found():
    text = """
from threadpoolctl import threadpool_info, threadpool_limits
from evaluator.execution.machine import one_thread

with one_thread():
    before = len(threadpool_info())
import scipy.linalg
threadpool_limits(2)
with one_thread():
    print(len(threadpool_info()) > before, {each["num_threads"] for each in threadpool_info()})
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "True {1}\n"
