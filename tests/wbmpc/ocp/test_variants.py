"""Every implementation of the problem walks the same path."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from wbmpc import native
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.ocp.variant import (
    FASTEST,
    PYTHON,
    STOCK,
    Variant,
    kernel_name,
    line_search_trials,
    stage_times_ms,
)
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

ROOT = Path(__file__).resolve().parents[3]
WALK = """
    import sys
    import numpy as np
    from wbmpc.ocp import variant
    from wbmpc.control.mpc import WholeBodyMpc
    from wbmpc.reference import home_reference
    from wbmpc.robot import Robot
    robot = Robot.load("alexander")
    mpc = WholeBodyMpc(robot, getattr(variant, sys.argv[1]))
    for k in range(4):
        v = np.full(27, 0.01 * k)
        plan = mpc.solve(0.01 * k, robot.home_q, v, home_reference(robot)).plan
    np.save(sys.argv[2], plan.tau_Nm)
"""


WITHOUT_COMPILED_PART = """
    import sys
    sys.modules["wbmpc.native._native"] = None  # as if it was never built
"""


def walk(name: str, path: Path, before: str = "") -> np.ndarray:
    """In a process of its own: residuals in Python change a whole process."""
    code = textwrap.dedent(before) + textwrap.dedent(WALK)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    paths_first = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, name, str(path)],
        env=os.environ | paths_first,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    torques: np.ndarray = np.load(path)
    return torques


def test_the_same_plan_from_every_variant(tmp_path: Path) -> None:
    stock = walk("STOCK", tmp_path / "stock.npy")
    for name in ("FASTEST", "PYTHON"):
        other = walk(name, tmp_path / f"{name}.npy")
        np.testing.assert_allclose(other, stock, rtol=1e-6, atol=1e-6)


def test_without_the_compiled_part_the_default_still_works(tmp_path: Path) -> None:
    bare = walk("FASTEST", tmp_path / "bare.npy", WITHOUT_COMPILED_PART)
    usual = walk("FASTEST", tmp_path / "usual.npy")
    np.testing.assert_allclose(bare, usual, rtol=1e-6, atol=1e-6)


def test_the_default_is_fused_or_says_why_not(robot: Robot) -> None:
    ocp = WholeBodyMpc(robot).ocp
    assert (ocp.not_fused == "") == native.AVAILABLE
    assert WholeBodyMpc(robot, STOCK).ocp.not_fused == ""


@pytest.mark.skipif(not native.AVAILABLE, reason="needs the compiled part")
def test_stages_of_a_solve_are_timed(robot: Robot) -> None:
    mpc = WholeBodyMpc(robot)
    mpc.solve(0.0, robot.home_q, np.zeros(27), home_reference(robot))
    stages = stage_times_ms(mpc.solver)
    assert set(stages) == {"calc", "calc_diff", "backward", "forward"}
    assert all(duration > 0.0 for duration in stages.values())
    assert (line_search_trials(mpc.solver) or 0) >= 1
    assert "none" not in kernel_name()


@pytest.mark.parametrize("variant", [STOCK, PYTHON], ids=lambda v: v.name)
def test_a_solver_without_a_clock_has_no_stages(variant: Variant) -> None:
    solver = variant.solver
    assert not variant.fused
    assert stage_times_ms(solver) == {}
    assert line_search_trials(solver) is None


def test_the_variants_differ() -> None:
    assert len({v.name for v in (FASTEST, STOCK, PYTHON)}) == 3
