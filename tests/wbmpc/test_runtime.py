"""The guard against wheel pairs that crash, and thread settings."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from wbmpc.errors import InstallError
from wbmpc.runtime import PINS, check_versions, installed_versions


def test_the_installed_pair_is_accepted() -> None:
    assert installed_versions() == PINS
    check_versions()


@pytest.mark.parametrize(
    ("package", "version"),
    [("pin", "4.1.0"), ("libpinocchio", "4.1.0"), ("crocoddyl", None)],
)
def test_another_pair_is_refused_with_the_cure(
    package: str, version: str | None
) -> None:
    found = {**PINS, package: version}
    with pytest.raises(InstallError, match=r"pip install pin==4\.0\.0") as caught:
        check_versions(found)
    assert package in str(caught.value)
    assert (version or "not installed") in str(caught.value)


def test_import_sets_the_thread_environment() -> None:
    """OpenMP reads its environment once, so it has to be set before the import."""
    code = "import wbmpc, os; print(os.environ['OMP_NUM_THREADS'])"
    clean = {k: v for k, v in os.environ.items() if "THREADS" not in k}
    for given, expected in ((None, "1"), ("2", "2")):
        env = clean if given is None else {**clean, "OMP_NUM_THREADS": given}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, check=True
        )
        assert done.stdout.decode().strip() == expected
