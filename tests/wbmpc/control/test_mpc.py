"""The MPC: structure, warm start, live changes, and how failure shows."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from wbmpc.control.mpc import COLD_START_AFTER, WholeBodyMpc, shift
from wbmpc.control.plan import Plan, SolveStatus
from wbmpc.errors import SettingsError, UnknownNameError
from wbmpc.ocp.variant import FASTEST, STOCK, Variant
from wbmpc.reference import Reference, home_reference
from wbmpc.robot import Robot
from wbmpc.settings import CostSettings

STILL = np.zeros(27)


@pytest.fixture
def mpc(robot: Robot) -> WholeBodyMpc:
    return WholeBodyMpc(robot)


def test_standing_needs_the_weight_and_no_motion(mpc: WholeBodyMpc) -> None:
    """Analytic case: at rest at home the feet carry the weight in equal parts."""
    robot = mpc.robot
    result = mpc.solve(0.0, robot.home_q, STILL, home_reference(robot))
    assert result.status.ok
    node = mpc.ocp.problem.runningDatas[0].differential
    forces = [e.data().f.linear[2] for e in node.multibody.contacts.contacts]
    weight = 9.81 * pin.computeTotalMass(robot.model)
    np.testing.assert_allclose(forces, weight / 2, rtol=5e-3)
    assert np.abs(result.plan.v).max() < 0.02


def test_plan_has_the_horizon_of_the_paper(mpc: WholeBodyMpc) -> None:
    plan = mpc.plan
    assert plan.tau_Nm.shape == (30, 21)
    assert plan.q.shape == (31, 28)
    assert plan.end_s == pytest.approx(0.6)


def test_cost_by_term_adds_up_to_the_cost(mpc: WholeBodyMpc) -> None:
    robot = mpc.robot
    q = pin.integrate(robot.model, robot.home_q, np.full(27, 0.02))
    result = mpc.solve(0.0, q, STILL, home_reference(robot))
    terms = mpc.ocp.cost_by_term()
    assert sum(terms.values()) == pytest.approx(result.plan.cost, rel=1e-9)
    costs = msgspec.structs.asdict(robot.settings.mpc.costs)
    assert set(terms) == {name for name, cost in costs.items() if cost.weight}


def test_inertia_written_in_place_takes_effect_at_the_next_solve(
    mpc: WholeBodyMpc,
) -> None:
    robot = mpc.robot
    joint = robot.link_joint(robot.arms["left"].link)
    reference = home_reference(robot)
    elbow = robot.controlled_joints.index("LEFT_ELBOW_Y")
    before = mpc.solve(0.0, robot.home_q, STILL, reference).plan.tau_Nm[0, elbow]
    tip = robot.model.frames[robot.frame_id("LEFT_FOREARM_TIP")].placement
    loaded = robot.model.inertias[joint] + tip.act(pin.Inertia.FromSphere(5.0, 0.06))
    mpc.set_inertia(joint, loaded.toDynamicParameters())
    for _ in range(5):
        after = mpc.solve(0.0, robot.home_q, STILL, reference).plan.tau_Nm[0, elbow]
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.home_q)
    lever = data.oMf[robot.frame_id("LEFT_FOREARM_TIP")].translation[0]
    lever -= data.oMi[joint].translation[0]
    assert after - before == pytest.approx(-5.0 * 9.81 * lever, rel=0.05)
    wrench = [i for i in mpc.ocp.items if i.term == "wrench"][0].residual.reference
    mass = pin.computeTotalMass(robot.model) + 5.0
    assert wrench.linear[2] == pytest.approx(mass * 9.81 / 2)


def test_the_robot_description_keeps_its_own_inertias(robot: Robot) -> None:
    """Two controllers of one robot must not see each other's estimates."""
    first, second = WholeBodyMpc(robot), WholeBodyMpc(robot)
    joint = robot.link_joint(robot.arms["left"].link)
    nominal = robot.model.inertias[joint].mass
    first.set_inertia(joint, 3.0 * robot.model.inertias[joint].toDynamicParameters())
    assert robot.model.inertias[joint].mass == nominal
    assert second.model.inertias[joint].mass == nominal


def reference_with(robot: Robot, **changes: object) -> Reference:
    home = home_reference(robot)
    fields = {name: getattr(home, name) for name in home.__dataclass_fields__}
    return Reference(**{**fields, **changes})


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("q_upper", 0.2 * np.ones(9)),
        ("v_upper", 0.5 * np.ones(9)),
        ("com_m", np.array([0.02, 0.0, 0.78])),
        ("rotation_pelvis_to_midfoot", pin.rpy.rpyToMatrix(0.0, 0.2, 0.0)),
    ],
)
def test_every_reference_changes_the_plan(
    mpc: WholeBodyMpc, field: str, change: np.ndarray
) -> None:
    robot = mpc.robot
    home = mpc.solve(0.0, robot.home_q, STILL, home_reference(robot)).plan
    asked = reference_with(robot, **{field: change})
    plan = mpc.solve(0.0, robot.home_q, STILL, asked).plan
    assert np.abs(plan.tau_Nm - home.tau_Nm).max() > 0.1


@pytest.mark.parametrize("term", CostSettings.__struct_fields__)
def test_every_weight_changes_the_problem(robot: Robot, term: str) -> None:
    weight = getattr(robot.settings.mpc.costs, term).weight
    other = Robot.load("alexander", (f"mpc.costs.{term}.weight={10 * weight + 1}",))
    q = pin.integrate(robot.model, robot.home_q, np.full(27, 0.05))
    costs = []
    for candidate in (robot, other):
        mpc = WholeBodyMpc(candidate)
        state = np.concatenate([q, np.full(27, 0.3)])
        data = mpc.ocp.problem.runningModels[0].createData()
        mpc.ocp.problem.runningModels[0].calc(data, state, np.full(21, 100.0))
        costs.append(data.cost)
    assert costs[1] > costs[0]


@pytest.mark.parametrize(
    ("q", "v", "reference", "status"),
    [
        (np.nan, 0.0, 0.0, SolveStatus.FAILED_STATE),
        (0.0, np.inf, 0.0, SolveStatus.FAILED_STATE),
        (0.0, 0.0, np.nan, SolveStatus.FAILED_REFERENCE),
    ],
)
def test_a_bad_input_keeps_the_last_plan_and_says_why(
    mpc: WholeBodyMpc, q: float, v: float, reference: float, status: SolveStatus
) -> None:
    robot = mpc.robot
    good = mpc.solve(0.0, robot.home_q, STILL, home_reference(robot))
    asked = reference_with(robot, com_m=home_reference(robot).com_m + reference)
    bad = mpc.solve(0.01, robot.home_q + q, STILL + v, asked)
    assert bad.status is status
    assert not bad.status.ok
    assert bad.plan is good.plan
    assert bad.failures_in_a_row == 1
    again = mpc.solve(0.02, robot.home_q, STILL, home_reference(robot))
    assert again.status.ok
    assert again.failures_in_a_row == 0


@pytest.mark.parametrize(
    ("nq", "nv", "part", "status"),
    [
        (27, 27, None, SolveStatus.FAILED_STATE),
        (28, 28, None, SolveStatus.FAILED_STATE),
        (28, 27, "q_upper", SolveStatus.FAILED_REFERENCE),
        (28, 27, "v_upper", SolveStatus.FAILED_REFERENCE),
        (28, 27, "com_m", SolveStatus.FAILED_REFERENCE),
    ],
)
def test_vectors_of_another_length_never_reach_the_solver(
    mpc: WholeBodyMpc, nq: int, nv: int, part: str | None, status: SolveStatus
) -> None:
    asked = home_reference(mpc.robot)
    if part is not None:
        asked = reference_with(mpc.robot, **{part: getattr(asked, part)[:-1]})
    before = mpc.plan
    q, v = np.resize(mpc.robot.home_q, nq), np.zeros(nv)
    result = mpc.solve(0.0, q, v, asked)
    assert result.status is status
    assert result.plan is before


@pytest.mark.parametrize(
    ("norm", "ok", "renormalized"),
    [
        (1 + 1e-9, True, False),
        (1 + 1e-5, True, True),
        (1.01, False, False),
        (2.0, False, False),
    ],
)
def test_quaternions_off_unit_length(
    mpc: WholeBodyMpc, norm: float, ok: bool, renormalized: bool
) -> None:
    """As it is, renormalised and counted, or refused with the last plan kept."""
    q = mpc.robot.home_q.copy()
    q[3:7] *= norm
    before = mpc.plan
    result = mpc.solve(0.0, q, STILL, home_reference(mpc.robot))
    assert result.status.ok is ok
    assert result.renormalized is renormalized
    assert (result.plan is before) is not ok
    if ok:
        assert np.linalg.norm(result.plan.q[0, 3:7]) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(("joint", "size"), [(-1, 10), (0, 10), (999, 10), (5, 9)])
def test_inertias_of_no_body_are_refused(
    mpc: WholeBodyMpc, joint: int, size: int
) -> None:
    before = [body.toDynamicParameters() for body in mpc.model.inertias]
    with pytest.raises(ValueError, match="must be"):
        mpc.set_inertia(joint, np.ones(size))
    after = [body.toDynamicParameters() for body in mpc.model.inertias]
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(
    ("index", "value", "told"),
    [
        (0, np.nan, "must be finite"),
        (2, np.inf, "must be finite"),
        (9, -np.inf, "must be finite"),
        (0, 0.0, "mass 0 kg: must be positive"),
        (0, -1.0, "mass -1 kg: must be positive"),
        (0, 1e-300, "must not be negative"),
        (1, 50.0, "must not be negative"),
        (4, -1.0, "must not be negative"),
        (4, 1e300, "must not be negative"),
        (5, 10.0, "must not be negative"),
    ],
)
def test_an_impossible_body_is_refused_and_the_last_one_stays(
    mpc: WholeBodyMpc, index: int, value: float, told: str
) -> None:
    joint = mpc.robot.link_joint(mpc.robot.arms["left"].link)
    before = mpc.model.inertias[joint].toDynamicParameters()
    wrong = before.copy()
    wrong[index] = value
    with pytest.raises(ValueError, match=told):
        mpc.set_inertia(joint, wrong)
    np.testing.assert_array_equal(
        mpc.model.inertias[joint].toDynamicParameters(), before
    )
    assert mpc.solve(0.0, mpc.robot.home_q, STILL, home_reference(mpc.robot)).status.ok


@pytest.mark.parametrize("parameters", ["much", None, [None] * 10, [[1.0], [1.0, 2.0]]])
def test_an_inertia_that_is_no_numbers_is_refused(
    mpc: WholeBodyMpc, parameters: object
) -> None:
    with pytest.raises(ValueError, match="inertia"):
        mpc.set_inertia(5, parameters)  # type: ignore[arg-type]


@pytest.mark.parametrize("thickness_m", [0.0, 0.01])
def test_flat_and_point_like_bodies_are_possible(
    mpc: WholeBodyMpc, thickness_m: float
) -> None:
    joint = mpc.robot.link_joint(mpc.robot.arms["left"].link)
    plate = pin.Inertia.FromBox(1.3, 0.3, thickness_m, 0.0)
    away = pin.SE3(pin.rpy.rpyToMatrix(0.3, 0.2, 0.1), np.array([0.7, -0.2, 0.4]))
    for body in (plate, pin.Inertia(1.3, np.zeros(3), np.zeros((3, 3)))):
        mpc.set_inertia(joint, away.act(body).toDynamicParameters())
        assert mpc.model.inertias[joint].mass == pytest.approx(1.3)


def poison(mpc: WholeBodyMpc, what: str, ticks: int) -> None:
    """Solves with a number that native code does not digest; then all is right."""
    robot, v, reference = mpc.robot, STILL.copy(), home_reference(mpc.robot)
    joint = robot.link_joint(robot.arms["left"].link)
    good = mpc.model.inertias[joint].toDynamicParameters()
    if what == "velocity":
        v[8] = 1e200
    elif what == "reference":
        reference = reference_with(robot, com_m=reference.com_m + 1e200)
    elif what == "inertia":  # past the guard, as a fault of one's own code would
        mpc.ocp.set_inertia(joint, np.nan * good)
    elif what == "mass":
        mpc.set_inertia(joint, 1e200 * good)
    for k in range(ticks):
        assert not mpc.solve(0.01 * k, robot.home_q, v, reference).status.ok
    mpc.ocp.set_inertia(joint, good)


@pytest.mark.parametrize("variant", [FASTEST, STOCK], ids=lambda variant: variant.name)
@pytest.mark.parametrize("what", ["velocity", "reference", "inertia", "mass"])
@pytest.mark.parametrize("ticks", [1, 4, 5])
def test_a_poisoned_solver_recovers_within_five_ticks(
    robot: Robot, variant: Variant, what: str, ticks: int
) -> None:
    mpc = WholeBodyMpc(robot, variant)
    poison(mpc, what, ticks)
    after = [
        mpc.solve(0.1 + 0.01 * k, robot.home_q, STILL, home_reference(robot))
        for k in range(10)
    ]
    assert all(result.status.ok for result in after[4:])
    assert np.isfinite(after[-1].plan.tau_Nm).all()
    assert np.abs(after[-1].plan.v).max() < 0.05
    assert np.isfinite(list(mpc.ocp.cost_by_term().values())).all()


def test_states_that_are_refused_cost_no_new_solver(mpc: WholeBodyMpc) -> None:
    """The solver never saw them, and stays as it is."""
    robot, solver = mpc.robot, mpc.solver
    for k in range(2 * COLD_START_AFTER):
        mpc.solve(0.01 * k, robot.home_q * np.nan, STILL, home_reference(robot))
    assert mpc.solve(0.5, robot.home_q, STILL, home_reference(robot)).status.ok
    assert mpc.solver is solver


def test_failures_in_a_row_lead_to_a_cold_start(mpc: WholeBodyMpc) -> None:
    robot = mpc.robot
    for k in range(COLD_START_AFTER):
        result = mpc.solve(
            0.01 * k, robot.home_q * np.nan, STILL, home_reference(robot)
        )
    assert result.failures_in_a_row == COLD_START_AFTER
    recovered = mpc.solve(0.5, robot.home_q, STILL, home_reference(robot))
    assert recovered.status.ok
    assert np.abs(recovered.plan.v).max() < 0.05


class FakeSolver:
    """Answers a solve with prepared numbers."""

    def __init__(self, **answer: float) -> None:
        self.cost = answer.get("cost", 1.0)
        self.preg = answer.get("preg", 1e-9)
        self.reg_max = 1e9
        self._factor = answer.get("factor", 1.0)

    def solve(self, xs: list, us: list, *_: object) -> bool:
        self.xs = xs
        self.us = [self._factor * u for u in us]
        return False


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({}, SolveStatus.STALLED),
        ({"factor": 1.01}, SolveStatus.USABLE),
        ({"factor": np.nan}, SolveStatus.FAILED_COST),
        ({"cost": np.inf}, SolveStatus.FAILED_COST),
        ({"preg": 1e9, "factor": 1.01}, SolveStatus.FAILED_REGULARIZATION),
    ],
)
def test_every_way_a_solve_can_end_has_its_name(
    mpc: WholeBodyMpc, answer: dict[str, float], status: SolveStatus
) -> None:
    robot, before = mpc.robot, mpc.plan
    mpc.solver = FakeSolver(**answer)
    result = mpc.solve(0.01, robot.home_q, STILL, home_reference(robot))
    assert result.status is status
    assert (result.plan is before) is not status.ok


def test_a_solver_that_stalls_for_long_has_failed(mpc: WholeBodyMpc) -> None:
    robot, statuses = mpc.robot, []
    mpc.solver = FakeSolver()
    mpc._new_solver = lambda: FakeSolver()  # type: ignore[method-assign]
    for k in range(15):
        result = mpc.solve(0.01 * (k + 1), robot.home_q, STILL, home_reference(robot))
        statuses.append(result.status)
    assert statuses[:10] == [SolveStatus.STALLED] * 10
    assert statuses[10:] == [SolveStatus.FAILED_STALLED] * 5
    assert not result.status.ok and result.failures_in_a_row == 5


def test_same_input_same_bits(robot: Robot) -> None:
    plans = []
    for _ in range(2):
        mpc = WholeBodyMpc(robot)
        q = robot.home_q
        for k in range(3):
            plan = mpc.solve(0.01 * k, q, STILL + 0.01 * k, home_reference(robot)).plan
        plans.append(plan)
    np.testing.assert_array_equal(plans[0].tau_Nm, plans[1].tau_Nm)


def test_shift_by_a_node_moves_rows_and_repeats_the_last(robot: Robot) -> None:
    rng = np.random.default_rng(0)
    q = np.array(
        [
            pin.integrate(robot.model, robot.home_q, 0.1 * rng.normal(size=27))
            for _ in range(5)
        ]
    )
    v, tau = rng.normal(size=(5, 27)), rng.normal(size=(4, 21))
    plan = Plan(time_s=0.0, node_dt_s=0.02, q=q, v=v, tau_Nm=tau, cost=0.0)
    xs, us = shift(plan, 0.02)
    np.testing.assert_allclose(xs[:-1], np.hstack([q, v])[1:], atol=1e-12)
    np.testing.assert_allclose(xs[-1], xs[-2], atol=1e-12)
    np.testing.assert_allclose(us, tau[[1, 2, 3, 3]], atol=1e-12)
    half, _ = shift(plan, 0.01)
    np.testing.assert_allclose(half[0, 28:], 0.5 * (v[0] + v[1]))
    np.testing.assert_allclose(np.linalg.norm(half[:, 3:7], axis=1), 1.0)


def test_a_wrong_number_of_rows_is_refused_by_term() -> None:
    robot = Robot.load("alexander", ("mpc.costs.center_of_mass.kp=[1, 2]",))
    told = r"settings.toml: mpc.costs.center_of_mass.kp is .* has 2 values where 1 or 3"
    with pytest.raises(SettingsError, match=told):
        WholeBodyMpc(robot)


def test_unknown_cost_term_is_refused() -> None:
    robot = Robot.load("alexander", ('mpc.disabled=["balance"]',))
    with pytest.raises(UnknownNameError, match="unknown cost term 'balance'"):
        WholeBodyMpc(robot)
