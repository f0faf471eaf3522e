"""A user's cost that raises: the process lives, the plan goes on, the cause is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
from own_cost_term import MirrorResidual
from wbmpc import ControlLoop, MujocoPlant, Robot, WholeBodyMpc, home_reference
from wbmpc.ocp.cost import Part, SecondOrderCost
from wbmpc.control.plan import SolveStatus

class Raising(MirrorResidual):
    asked = 0
    def _value(self, *arguments):
        Raising.asked += 1
        value = super()._value(*arguments)
        if Raising.asked <= 100:
            return value
        if sys.argv[1] == "raises":
            raise RuntimeError("a mistake of the user's")
        return [*value, 0.0]

class Term(SecondOrderCost, frozen=True, kw_only=True):
    \"\"\"One that raises.\"\"\"
    def build(self, scene):
        residual = Raising(scene, *self.gains(1))
        return [Part(residual=residual, activation=self.activation(1))]

robot = Robot.load("alexander", (f"mpc.threads={sys.argv[2]}",))
terms = {"raising": Term(weight=1.0, kp=(200.0,), kd=(28.0,))}
mpc = WholeBodyMpc(robot, more_terms=terms)
plant, reference = MujocoPlant(robot), home_reference(robot)
for _ in range(20):
    q, v = robot.controlled_q(plant.state.q), robot.controlled_v(plant.state.v)
    result = mpc.solve(plant.state.time_s, q, v, reference)
assert result.status is SolveStatus.FAILED_SOLVER, result.status
print(result.error.splitlines()[-1])
"""


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize(
    ("how", "told"), [("raises", "a mistake of the user's"), ("has two rows", "")]
)
def test_a_cost_that_raises_is_a_failed_solve(
    tmp_path: Path, how: str, told: str, threads: str
) -> None:
    """In a process of its own, which native code would end without a word."""
    script = tmp_path / "raising.py"
    examples = Path(__file__).parents[3] / "examples"
    script.write_text(f"import sys; sys.path.append({str(examples)!r})\n{SCRIPT}")
    ended = subprocess.run(
        [sys.executable, str(script), how, threads],
        capture_output=True,
        text=True,
        timeout=300.0,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert told in ended.stdout
    assert "Traceback" in ended.stderr and "terminate" not in ended.stderr
