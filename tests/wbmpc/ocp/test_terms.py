"""Cost terms are found by their files; one more file is one more term, everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin
import pytest

from models.setting_types import Rows
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.ocp.cost import Cost, Part, WeightedCost, weighted_quad
from wbmpc.ocp.problem import build_ocp
from wbmpc.ocp.terms import find_terms
from wbmpc.reference import home_reference
from wbmpc.robot import Robot
from wbmpc.settings import CostSettings, load_settings

if TYPE_CHECKING:
    from wbmpc.ocp.scene import Scene

COSTS = load_settings("alexander").mpc.costs
WEIGHTED = [term for term in find_terms() if getattr(COSTS, term).weight]

TOY = '''
"""The centre of mass by its position alone."""
import crocoddyl

from models.dimensions import METRE
from wbmpc.ocp.cost import Part, WeightedCost


class Toy(WeightedCost, frozen=True, kw_only=True):
    """Distance of the centre of mass from its target [m]."""

    why = "A toy; residual [m]."
    comments = WeightedCost.comments | {"stiffness": "of a spring, in toys"}
    dimensions = {"weight": METRE**-2}

    weight: float = 0.0
    stiffness: float = 1.0

    def build(self, scene):
        residual = crocoddyl.ResidualModelCoMPosition(
            scene.state, scene.target.com_m, scene.nu
        )

        def set_target(target):
            residual.reference = target.com_m

        return [
            Part(
                residual=residual,
                activation=self.activation(3),
                set_target=set_target,
            )
        ]
'''

FIND_TOY = """
import json, sys
from pathlib import Path
import wbmpc.ocp.terms
wbmpc.ocp.terms.__path__.append(sys.argv[1])
from wbmpc.settings import load_settings
import numpy as np
from models.errors import UnknownNameError
from models.proposal import propose, settings_text
from wbmpc.control.mpc import WholeBodyMpc
from wbmpc.reference import home_reference
from wbmpc.robot import Robot
from wbmpc.robot_model import load_any

def mpc_with(*changes):
    robot = Robot.load("alexander", changes)
    mpc = WholeBodyMpc(robot)
    q = np.array(robot.home_q)
    q[2] += 0.01
    mpc.solve(0.0, q, np.zeros(robot.model.nv), home_reference(robot))
    return mpc

shipped = load_settings("alexander")
on = mpc_with("mpc.costs.toy_term.weight=3.0")
changed = load_settings("alexander", ["mpc.costs.toy_term.weight=3.0"])
proposal = propose(*load_any(Path(shipped.urdf)), changed)
try:
    load_settings("alexander", ["mpc.costs.toy_trm.weight=3.0"])
    refused = ""
except UnknownNameError as error:
    refused = str(error)
print(json.dumps({
    "terms": list(shipped.mpc.costs.__struct_fields__),
    "by_default": list(mpc_with().ocp.cost_by_term()),
    "on": on.ocp.cost_by_term(),
    "disabled": list(mpc_with("mpc.costs.toy_term.weight=3.0",
                              'mpc.disabled=["toy_term"]').ocp.cost_by_term()),
    "refused": refused,
    "text": settings_text(proposal, "a.urdf", "a"),
}))
"""


@pytest.fixture(scope="module")
def with_toy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process sees that starts with one more file beside the terms."""
    folder = tmp_path_factory.mktemp("terms")
    (folder / "toy_term.py").write_text(TOY, encoding="utf-8")
    root = str(Path(__file__).resolve().parents[3])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-c", FIND_TOY, str(folder)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_new_file_is_a_setting(with_toy: dict[str, Any]) -> None:
    assert "toy_term" in with_toy["terms"][11:]
    assert " toy_term," in with_toy["refused"]


def test_it_is_off_until_it_has_a_weight(with_toy: dict[str, Any]) -> None:
    assert with_toy["by_default"] == WEIGHTED


def test_it_is_in_the_problem_and_in_the_costs(with_toy: dict[str, Any]) -> None:
    assert list(with_toy["on"]) == [*WEIGHTED, "toy_term"]
    assert with_toy["on"]["toy_term"] > 0.0
    assert with_toy["disabled"] == WEIGHTED


def test_it_is_in_a_proposal_with_its_reason(with_toy: dict[str, Any]) -> None:
    """Only what is not at its default, and the weight."""
    head = "# A toy; residual [m].\n[mpc.costs.toy_term]\nweight = 2.99  # of the"
    section = with_toy["text"].partition("\n# A toy")[2].partition("[estimator]")[0]
    assert head in with_toy["text"]
    assert "stiffness" not in section
    assert "rows" not in section


def test_the_terms_are_those_of_table_one_in_its_order() -> None:
    terms = find_terms()
    rows = [kind.table_row for kind in terms.values()]
    assert rows[:11] == list(range(1, 12))
    assert set(rows[11:]) <= {Cost.table_row}
    assert tuple(terms) == CostSettings.__struct_fields__


@pytest.mark.parametrize("term", find_terms())
def test_every_term_says_what_it_is_and_why(term: str) -> None:
    kind = find_terms()[term]
    assert kind.__doc__ != Cost.__doc__
    assert kind.why.endswith(".")
    fields = set(kind.__struct_fields__)
    assert set(kind.comments) <= fields
    assert set(kind.dimensions) | set(kind.roll_rows) <= fields


class _Leaning(Cost, frozen=True, kw_only=True):
    """Centre of mass off its target."""

    heard: list = []

    def build(self, scene: Scene) -> list[Part]:
        import crocoddyl

        residual = crocoddyl.ResidualModelCoMPosition(
            scene.state, scene.target.com_m, scene.nu
        )
        return [
            Part(
                residual=residual,
                activation=weighted_quad(np.ones(3)),
                set_target=self.heard.append,
                set_mass=self.heard.append,
            )
        ]


def test_a_term_can_come_from_outside_and_hears_of_targets_and_mass(
    robot: Robot,
) -> None:
    mine = _Leaning(weight=2.0)
    mpc = WholeBodyMpc(robot, more_terms={"leaning": mine})
    assert "leaning" in mpc.ocp.cost_by_term()
    mine.heard.clear()
    mpc.set_reference(home_reference(robot))
    joint = robot.link_joint(robot.arms["left"].link)
    body = robot.model.inertias[joint] + pin.Inertia.FromSphere(2.0, 0.1)
    mpc.set_inertia(joint, body.toDynamicParameters())
    target, mass_kg = mine.heard
    np.testing.assert_allclose(target.com_m, home_reference(robot).com_m, atol=1e-9)
    assert mass_kg == pytest.approx(pin.computeTotalMass(robot.model) + 2.0)


def test_a_term_of_no_weight_is_not_built(robot: Robot) -> None:
    off = build_ocp(Robot.load("alexander", ("mpc.costs.torque.weight=0",)))
    assert "torque" not in {item.term for item in off.items}
    assert "leaning" not in {
        item.term
        for item in build_ocp(robot, more_terms={"leaning": _Leaning(weight=0.0)}).items
    }


def test_one_value_serves_every_row() -> None:
    class Rowed(WeightedCost, frozen=True, kw_only=True):
        gain: Rows = (2.0,)

    np.testing.assert_array_equal(Rowed(weight=1.0).per_row("gain", 3), [2.0] * 3)
