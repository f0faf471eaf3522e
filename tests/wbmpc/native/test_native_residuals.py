"""Native residuals equal their Python twins, and leave the process in good health."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import crocoddyl
import numpy as np
import pinocchio as pin
import pytest
from native_scenes import STANCES, Scene

from wbmpc import native, residuals
from wbmpc.ocp.problem import OptimalControlProblem, build_ocp
from wbmpc.ocp.variant import PYTHON, STOCK, Variant
from wbmpc.robot import Robot

if not native.AVAILABLE:
    pytest.skip(native.REASON, allow_module_level=True)

KINDS = tuple(residuals.__all__)
TWINS = {"native": native, "python": residuals}
TOLERANCE = 1e-10


def assert_twins_agree(scene: Scene, kind: str) -> None:
    """Largest difference below 1e-10 of the largest entry (or of 1)."""
    ours, reference = scene.result(kind, "native"), scene.result(kind, "python")
    for name, expected in reference.items():
        scale = max(1.0, np.abs(expected).max())
        error = np.abs(ours[name] - expected).max() / scale
        assert error < TOLERANCE, f"{kind} {name}: relative difference {error:.1e}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("stance", STANCES)
@pytest.mark.parametrize("seed", range(5))
def test_equals_python(kind: str, literal: bool, stance: str, seed: int) -> None:
    """Running node, contact forces acting: r, Rx, Ru."""
    scene = Scene(STANCES[stance](), TWINS, seed, literal)
    scene.evaluate(*scene.random_point())
    forces = [
        c.f.linear for c in scene.data.multibody.contacts.contacts.todict().values()
    ]
    assert min(np.linalg.norm(f) for f in forces) > 1.0
    assert np.abs(scene.result(kind, "python")["r"]).max() > 1e-3
    assert_twins_agree(scene, kind)
    if literal:
        assert not scene.result(kind, "native")["Ru"].any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("stance", STANCES)
def test_equals_python_at_the_terminal_node(
    kind: str, literal: bool, stance: str
) -> None:
    """Terminal node: r, Rx; the data have never seen a running node."""
    scene = Scene(STANCES[stance](), TWINS, 7, literal)
    x, _ = scene.random_point()
    scene.evaluate(x, None)
    assert_twins_agree(scene, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_terminal_after_running(kind: str) -> None:
    """Nothing of a running node is left over at a terminal one, nor the reverse."""
    scene = Scene(STANCES["alexander"](), TWINS, 8, False)
    for terminal in (False, True, False):
        x, u = scene.random_point()
        scene.evaluate(x, None if terminal else u)
        ours, reference = scene.result(kind, "native"), scene.result(kind, "python")
        for name in ("r", "Rx") if terminal else ("r", "Rx", "Ru"):
            np.testing.assert_allclose(
                ours[name], reference[name], rtol=TOLERANCE, atol=1e-8
            )


@pytest.mark.parametrize("kind", KINDS)
def test_inertia_changed_in_place(kind: str) -> None:
    """The estimator writes into the state's model; both twins follow."""
    scene = Scene(STANCES["alexander"](), TWINS, 3, False)
    x, u = scene.random_point()
    scene.evaluate(x, u)
    before = scene.result(kind, "native")
    last = scene.state.pinocchio.njoints - 1
    scene.state.pinocchio.inertias[last] = pin.Inertia.Random()
    scene.evaluate(x, u)
    assert_twins_agree(scene, kind)
    assert not np.allclose(scene.result(kind, "native")["Rx"], before["Rx"])


@pytest.mark.parametrize("kind", KINDS)
def test_reference_changed(kind: str) -> None:
    """set_reference acts on both twins in the same way."""
    scene = Scene(STANCES["alexander"](), TWINS, 4, False)
    x, u = scene.random_point()
    scene.evaluate(x, u)
    before = scene.result(kind, "native")
    other = Scene(STANCES["alexander"](), TWINS, 5, False).arguments[kind]
    references = {
        "ResidualModelJointResponse": other[1:3],
        "ResidualModelCoMResponse": other[:1],
        "ResidualModelFrameRotationResponse": other[1:2],
        "ResidualModelFramePlacementResponse": other[1:2],
    }
    if kind not in references:
        assert not hasattr(scene.residuals[kind, "native"], "set_reference")
        return
    for label in TWINS:
        scene.residuals[kind, label].set_reference(*references[kind])
    scene.evaluate(x, u)
    assert_twins_agree(scene, kind)
    assert not np.allclose(scene.result(kind, "native")["r"], before["r"])


@pytest.mark.parametrize("kind", KINDS)
def test_same_signature(kind: str) -> None:
    """By keyword, with literal left out, lists for vectors."""
    scene = Scene(STANCES["alexander"](), TWINS, 2, False)
    names = getattr(residuals, kind).__init__.__annotations__
    values = [
        v.tolist() if isinstance(v, np.ndarray) else v for v in scene.arguments[kind]
    ]
    arguments = [scene.state, *values, scene.nu]
    keywords = dict(zip(names, arguments, strict=False))
    for module in TWINS.values():
        residual = getattr(module, kind)(**keywords)
        assert residual.literal is False
        assert residual.u_dependent
        assert residual.nr == scene.residuals[kind, "python"].nr


def test_readable_like_the_python_twins() -> None:
    """Gains and references under the same attribute names."""
    scene = Scene(STANCES["alexander"](), TWINS, 2, False)
    for kind in KINDS:
        python = scene.residuals[kind, "python"]
        ours = scene.residuals[kind, "native"]
        for name in ("kp", "kd", "gain", "q_ref", "v_ref", "c_ref", "frame_id"):
            assert hasattr(ours, name) == hasattr(python, name)
            if hasattr(python, name):
                np.testing.assert_array_equal(
                    getattr(ours, name), getattr(python, name)
                )


def test_wrong_sizes_are_refused() -> None:
    """With a sentence, not with a crash."""
    scene = Scene(STANCES["alexander"](), TWINS, 2, False)
    three = np.ones(3)
    with pytest.raises(ValueError, match="c_ref has 2 entries, expected 3"):
        native.ResidualModelCoMResponse(scene.state, np.ones(2), three, three, scene.nu)
    with pytest.raises(ValueError, match="joint index 21 is not among the 21"):
        native.ResidualModelJointResponse(
            scene.state, [21], [0.0], [0.0], [1.0], [1.0], scene.nu
        )
    with pytest.raises(ValueError, match="frame index 10000"):
        native.ResidualModelFrameRotationResponse(
            scene.state, 10000, np.eye(3), three, three, scene.nu
        )
    com = scene.residuals["ResidualModelCoMResponse", "native"]
    with pytest.raises(ValueError, match="c_ref has 4 entries"):
        com.set_reference(np.ones(4))
    with pytest.raises(ValueError, match="must hold Pinocchio data"):
        com.createData(crocoddyl.DataCollectorAbstract())


@pytest.mark.parametrize("stance", STANCES)
def test_derivatives_against_finite_differences(stance: str) -> None:
    """Independent of the twins: the whole action model with native residuals only."""
    scene = Scene(STANCES[stance](), {"native": native}, 11, False)
    numeric = crocoddyl.DifferentialActionModelNumDiff(scene.action, True)
    numeric.disturbance = 1e-7
    numeric_data = numeric.createData()
    x, u = scene.random_point()
    scene.evaluate(x, u)
    numeric.calc(numeric_data, x, u)
    numeric.calcDiff(numeric_data, x, u)
    for name in ("Lx", "Lu"):
        expected = getattr(numeric_data, name)
        error = np.abs(getattr(scene.data, name) - expected).max()
        assert error < 1e-5 * np.abs(expected).max()


def _solve(variant: Variant) -> tuple[OptimalControlProblem, crocoddyl.SolverFDDP]:
    """Three iterations of the project's problem, pushed at the start."""
    robot = Robot.load("alexander")
    ocp = build_ocp(robot, variant)
    v = 0.1 * np.random.default_rng(0).standard_normal(robot.model.nv)
    x0 = np.concatenate([robot.home_q, v])
    ocp.problem.x0 = x0
    solver = crocoddyl.SolverFDDP(ocp.problem)
    xs = [x0] * (ocp.problem.T + 1)
    us = ocp.problem.quasiStatic([x0] * ocp.problem.T)
    solver.solve(xs, us, 3, False, 1e-6)
    return ocp, solver


def test_same_iterates() -> None:
    """The solver walks the same path with either twin."""
    _, ours = _solve(STOCK)
    _, reference = _solve(PYTHON)
    assert ours.iter == reference.iter
    assert ours.cost == pytest.approx(reference.cost, rel=1e-9)
    np.testing.assert_allclose(ours.xs, reference.xs, rtol=0, atol=1e-8)
    scale = np.abs(reference.us).max()
    np.testing.assert_allclose(ours.us, reference.us, rtol=0, atol=1e-7 * scale)


def _run(code: str) -> str:
    """Output of a program in a process of its own, which must end with exit code 0.

    Heap trouble shows when a process ends, after a test that has passed.
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    return done.stdout


def test_clean_exit() -> None:
    output = _run("""
        import native_scenes
        from wbmpc import native
        for make in native_scenes.STANCES.values():
            for literal in (False, True):
                scene = native_scenes.Scene(make(), {"native": native}, 0, literal)
                for _ in range(3):
                    x, u = scene.random_point()
                    scene.evaluate(x, u)
                    scene.evaluate(x, None)
        print("reached the end")
    """)
    assert "reached the end" in output


def test_threads_do_not_matter() -> None:
    """In a process of its own: one residual written in Python forbids threads."""
    output = _run("""
        import numpy as np
        from wbmpc.ocp.problem import build_ocp
        from wbmpc.robot import Robot
        from wbmpc.ocp.variant import STOCK
        problem = build_ocp(Robot.load("alexander"), STOCK).problem
        xs, us = [problem.x0] * (problem.T + 1), [np.zeros(21)] * problem.T
        hessians = []
        for threads in (1, 2):
            problem.nthreads = threads
            problem.calc(xs, us)
            problem.calcDiff(xs, us)
            hessians.append([np.array(d.Lxx) for d in problem.runningDatas])
        assert problem.nthreads == 2
        print(np.array_equal(*hessians))
    """)
    assert output.strip() == "True"
