"""What a check finds: one broken value at a time, named with element, value, rule."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from urdf_texts import LIMIT, SPHERE, arm, checked, described, inertial, joint, link
from urdf_texts import robot as robot_text

from models.description.check import check_description
from models.description.findings import Finding
from models.description.inertia import (
    nearest_possible,
    second_moments,
    smallest_eigenvalue,
    tensor_of,
)
from models.description.reading import read_description
from models.description.tree import rotation_from_rpy
from wbmpc.settings import load_settings


def only_error(text: str) -> Finding:
    """The one error of a text."""
    report = checked(text)
    assert not report.ok
    assert len(report.errors) == 1, [f.sentence() for f in report.errors]
    return report.errors[0]


def told(text: str, severity: str, where: str) -> Finding:
    """The finding of a place."""
    found = [f for f in checked(text).findings if f.where == where]
    assert [f.severity for f in found] == [severity], found
    return found[0]


def test_a_sound_arm_has_no_finding() -> None:
    report = checked(arm())
    assert report.ok
    assert report.findings == ()


def test_the_shipped_robot_is_ok() -> None:
    report = check_description(read_description(Path(load_settings("alexander").urdf)))
    assert report.ok
    assert [f.where for f in report.findings] == [
        "link LEFT_SHOULDER_Z_LINK and link RIGHT_SHOULDER_Z_LINK: inertia in the "
        "root's axes"
    ]


def test_errors_come_before_warnings() -> None:
    odd = joint("elbow", "upper", "lower", axis="0 2 0", limit=LIMIT.replace("50", "0"))
    report = checked(arm(elbow=odd))
    assert [f.severity for f in report.findings] == ["error", "warning"]


# Bodies


def test_moving_link_without_mass_is_named() -> None:
    found = only_error(arm(hand=""))
    assert found.where == "link lower: mass"
    assert found.rule == "its moving subtree (joint elbow) has no mass, must have some"


def test_mass_behind_a_fixed_joint_will_do() -> None:
    light = link("tool", inertial('<mass value="0.4"/>'))
    tool = light + joint("weld", "lower", "tool", kind="fixed")
    assert checked(arm(hand="", more=tool)).findings == ()


def test_mass_behind_a_moving_joint_will_not_do_for_the_simulator() -> None:
    more = link("hand") + joint("wrist", "lower", "hand")
    found = only_error(arm(hand="", more=more))
    assert found.where == "link lower: mass"
    assert found.rule == "joint elbow must carry mass of its own"


@pytest.mark.parametrize(
    ("content", "where", "value"),
    [
        (inertial('<mass value="0"/>'), "link lower: mass", "0 with an inertia"),
        (inertial('<mass value="-2"/>'), "link lower: mass", "-2"),
        (inertial('<mass value="nan"/>'), "link lower: mass", "'nan'"),
        (inertial('<mass value="1e400"/>'), "link lower: mass", "1e400"),
        (inertial('<mass value="heavy"/>'), "link lower: mass", "'heavy'"),
        (inertial('<mass value="1,5"/>'), "link lower: mass", "'1,5'"),
        (inertial('<mass value="1_0"/>'), "link lower: mass", "'1_0'"),
        (inertial("<mass/>"), "link lower: mass", "missing"),
        (inertial(""), "link lower: mass", "missing"),
        (inertial(tensor=""), "link lower: inertia", "missing, mass 1.5"),
        (inertial(tensor='ixx="1"'), "link lower: inertia ixy", "missing"),
        (
            inertial(tensor=SPHERE.replace('izz="0.01"', 'izz="inf"')),
            "link lower: inertia izz",
            "'inf'",
        ),
        (inertial() * 2, "link lower: inertial", "2 times"),
    ],
)
def test_mass_and_inertia_come_together(content: str, where: str, value: str) -> None:
    found = next(iter(checked(arm(hand=content)).errors))
    assert (found.where, found.value) == (where, value)


def test_mass_zero_alone_is_no_body() -> None:
    frame = link("frame", inertial('<mass value="0"/>', SPHERE.replace("0.01", "0")))
    more = frame + joint("weld", "lower", "frame", kind="fixed")
    found = told(arm(more=more), "warning", "link frame: mass")
    assert found.rule == "is read as no <inertial> element"


def test_triangle_inequality_is_judged_before_merging() -> None:
    """1 kg, diag(0.010, 0.010, 0.030): eigenvalue -0.005, alone and welded."""
    tensor = 'ixx="0.010" ixy="0" ixz="0" iyy="0.010" iyz="0" izz="0.030"'
    content = inertial('<mass value="1"/>', tensor)
    heavy = link("heavy", inertial('<mass value="50"/>', SPHERE.replace("0.01", "2")))
    weld = heavy + joint("weld", "lower", "heavy", kind="fixed")
    for text in (arm(hand=content), arm(hand=content, more=weld)):
        found = only_error(text)
        assert found.where == "link lower: inertia"
        assert "izz 0.03" in found.value
        assert "smallest eigenvalue of the pseudo-inertia -0.005" in found.rule
        assert "the nearest possible one is ixx 0.01515" in found.rule


@pytest.mark.parametrize(
    "tensor",
    [
        'ixx="-0.02" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"',
        'ixx="0.02" ixy="0.03" ixz="0" iyy="0.02" iyz="0" izz="0.02"',
    ],
)
def test_negative_principal_moments_are_refused(tensor: str) -> None:
    found = only_error(arm(hand=inertial('<mass value="5"/>', tensor)))
    assert found.where == "link lower: inertia"
    assert "no body has this tensor" in found.rule


def test_tensor_in_another_order_is_suspected() -> None:
    """Moments first, products last, written into the URDF's attributes in a row."""
    text = 'ixx="0.02" ixy="0.03" ixz="0.025" iyy="0" iyz="0.001" izz="0"'
    found = only_error(arm(hand=inertial(tensor=text)))
    assert (
        "read in the order ixx iyy izz ixy ixz iyz it would be possible" in found.rule
    )


REAL = np.array([[0.020, 0.003, -0.002], [0.003, 0.025, 0.004], [-0.002, 0.004, 0.03]])
"""The tensor of a body."""
KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def written(*values: float) -> str:
    """Six numbers in the order in which the attributes are listed."""
    return " ".join(f'{k}="{v!r}"' for k, v in zip(KEYS, values, strict=True))


@pytest.mark.parametrize("products", [1.0, 0.0])
def test_a_walk_over_rows_is_named_as_the_cause(products: float) -> None:
    """The first six of nine numbers: iyy is ixy again, izz is lost."""
    real = np.where(np.eye(3) == 1.0, REAL, products * REAL)
    found = only_error(arm(hand=inertial(tensor=written(*map(float, real.flat[:6])))))
    assert "iyy is ixy again" in found.rule
    assert "rows of the whole 3 x 3 matrix" in found.rule
    assert "then iyy is 0.025" in found.rule
    assert "izz is not in the file" in found.rule


def test_the_tensors_own_eigenvalues_are_told() -> None:
    flat = written(0.01, 0.0, 0.0, 0.05, 0.0, 0.02)
    found = only_error(arm(hand=inertial(tensor=flat)))
    assert "the tensor's own eigenvalues are 0.01, 0.02, 0.05, each must" in found.rule
    assert "iyy is ixy" not in found.rule


def test_numbers_that_are_all_the_same_are_a_placeholder() -> None:
    found = only_error(arm(hand=inertial(tensor=written(*6 * [0.001]))))
    assert "own eigenvalues are 0, 0, 0.003," in found.rule
    assert "all six numbers are the same, as in a placeholder" in found.rule


def test_products_with_reversed_signs_are_suspected() -> None:
    moments = np.diag([0.01, 0.04, 0.045])
    turn = rotation_from_rpy(np.array([0.6, 0.5, 0.4]))
    xx, xy, xz, yy, yz, zz = (turn @ moments @ turn.T)[np.triu_indices(3)].tolist()
    assert checked(arm(hand=inertial(tensor=written(xx, xy, xz, yy, yz, zz)))).ok
    wrong = written(xx, -xy, -xz, yy, -yz, zz)
    found = only_error(arm(hand=inertial(tensor=wrong)))
    assert "with the signs of ixy, ixz and iyz reversed it would be" in found.rule


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ('lower="0" upper="0" effort="5" velocity="5"', "lock the joint: name it in"),
        ('lower="1" upper="1" effort="5" velocity="5"', "lock the joint: name it in"),
        ('lower="-0" upper="0" effort="5" velocity="5"', "lock the joint: name it in"),
        ('effort="5" velocity="5"', "both are missing, which means 0"),
        ('lower="1" upper="-1" effort="5" velocity="5"', "must be below the upper"),
        ('lower="inf" upper="inf" effort="5" velocity="5"', "must be below the upper"),
    ],
)
def test_limits_that_leave_no_room_say_what_they_mean(limit: str, words: str) -> None:
    found = only_error(arm(elbow=joint("elbow", "upper", "lower", limit=limit)))
    assert found.where == "joint elbow: position limits"
    assert words in found.rule


def test_a_point_cannot_be_turned() -> None:
    point = inertial(tensor=SPHERE.replace("0.01", "0"))
    found = only_error(arm(hand=point))
    assert found.where == "link lower: inertia"
    assert "joint elbow" in found.rule


def test_what_a_joint_moves_is_no_rounding_error() -> None:
    dust = inertial('<mass value="1e-300"/>', SPHERE.replace("0.01", "1e-302"))
    assert only_error(arm(hand=dust)).rule.endswith("must be 1e-09 kg or more")


def test_attributes_that_nothing_reads_are_said() -> None:
    elbow = joint("elbow", "upper", "lower", origin='XYZ="0 0 0.2"')
    found = told(arm(elbow=elbow), "warning", "joint elbow: origin XYZ")
    assert (found.value, found.rule) == ("0 0 0.2", "is not read; did you mean xyz?")


def test_millimetres_are_suspected() -> None:
    content = inertial(tensor=SPHERE.replace("0.01", "1e4"))
    found = told(arm(hand=content), "warning", "link lower: inertia")
    assert "units must be kg and m" in found.rule


@pytest.mark.parametrize("seed", range(20))
def test_second_moments_and_the_nearest_tensor(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    tensor = root + root.T
    np.testing.assert_allclose(tensor_of(second_moments(tensor)), tensor, atol=1e-12)
    near = nearest_possible(tensor)
    if near.any():
        assert smallest_eigenvalue(10.0, near) > 0.0
        # No step towards another possible tensor comes nearer.
        other = rng.normal(size=(3, 3))
        feasible = second_moments(near) + 1e-3 * other @ other.T
        gap = second_moments(tensor) - second_moments(near)
        assert (
            np.linalg.norm(gap)
            <= np.linalg.norm(second_moments(tensor) - feasible)
            + 1e-2 * np.abs(gap).max()
        )


# The tree


@pytest.mark.parametrize(
    ("text", "where", "value"),
    [
        (robot_text(), "robot", "no link"),
        (robot_text(link("a"), link("b")), "robot", "root links a, b"),
        (
            robot_text(link("a"), joint("j", "torso", "a")),
            "joint j: parent link",
            "torso",
        ),
        (robot_text(link("a"), joint("j", "a", "aa")), "joint j: child link", "aa"),
        (
            robot_text(
                link("a"), link("b"), joint("i", "a", "b"), joint("j", "a", "b")
            ),
            "link b",
            "child of joints i, j",
        ),
        (
            robot_text(
                link("a"), link("b"), joint("i", "a", "b"), joint("j", "b", "a")
            ),
            "robot",
            "links a, b form a loop",
        ),
        (robot_text(link("a"), link("a")), "link a: name", "used twice"),
        (robot_text("<link/>"), "link number 1: name", "''"),
    ],
)
def test_links_must_form_one_tree(text: str, where: str, value: str) -> None:
    found = [f for f in checked(text).errors if f.where == where]
    assert [f.value for f in found] == [value]


def test_a_fragment_names_the_parent_it_lacks() -> None:
    found = checked(robot_text(link("a"), joint("j", "torso", "a"))).errors[0]
    assert "is the file a part of another one?" in found.rule


# Joints


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_unsupported_joints_are_named(kind: str) -> None:
    found = only_error(arm(elbow=joint("elbow", "upper", "lower", kind=kind)))
    assert (found.where, found.value) == ("joint elbow: type", kind)


def test_unknown_kind() -> None:
    report = checked(arm(elbow=joint("elbow", "upper", "lower", kind="hinge")))
    assert report.errors[0].where == "joint elbow: type"
    assert "must be one of revolute, continuous" in report.errors[0].rule


def test_mimic_is_refused_by_name() -> None:
    fingers = (
        link("f1")
        + link("f2")
        + joint("finger1", "lower", "f1")
        + joint(
            "finger2",
            "lower",
            "f2",
            more='<mimic joint="finger1" multiplier="-1" offset="0.01"/>',
        )
    )
    found = only_error(arm(more=fingers))
    assert found.where == "joint finger2: mimic"
    assert found.value == "of finger1 (factor -1, offset 0.01)"


@pytest.mark.parametrize(
    ("limit", "where", "value"),
    [
        (LIMIT.replace("50", "0"), "joint elbow: effort limit", "0"),
        (LIMIT.replace("50", "-3"), "joint elbow: effort limit", "-3"),
        (LIMIT.replace("50", "inf"), "joint elbow: effort limit", "inf"),
        (LIMIT.replace("50", "nan"), "joint elbow: effort limit", "'nan'"),
        (LIMIT.replace('effort="50"', ""), "joint elbow: effort limit", "missing"),
        (LIMIT.replace('"1"', '"-2"'), "joint elbow: position limits", None),
        ('effort="50" velocity="5"', "joint elbow: position limits", None),
        (None, "joint elbow: limit", "missing"),
    ],
)
def test_limits_without_a_meaning_are_errors(
    limit: str | None, where: str, value: str | None
) -> None:
    elbow = joint("elbow", "upper", "lower", limit=limit)
    found = next(iter(checked(arm(elbow=elbow)).errors))
    assert found.where == where
    assert value is None or found.value == value


@pytest.mark.parametrize(
    ("limit", "where", "value"),
    [
        (LIMIT.replace("50", "1e9"), "joint elbow: effort limit", "1e+09"),
        (LIMIT.replace('"5"', '"-1"'), "joint elbow: velocity limit", "-1"),
        (LIMIT.replace('velocity="5"', ""), "joint elbow: velocity limit", "missing"),
        (LIMIT.replace('"5"', '"1000"'), "joint elbow: velocity limit", "1000"),
        (
            LIMIT.replace('"1"', '"inf"'),
            "joint elbow: position limits",
            "lower -1, upper inf",
        ),
        (
            LIMIT.replace('"1"', '"90"'),
            "joint elbow: position limits",
            "lower -1, upper 90",
        ),
    ],
)
def test_placeholders_are_warnings(limit: str, where: str, value: str) -> None:
    elbow = joint("elbow", "upper", "lower", limit=limit)
    assert told(arm(elbow=elbow), "warning", where).value == value


@pytest.mark.parametrize(
    ("elbow", "where"),
    [
        (joint("elbow", "upper", "lower", axis="0 0 0"), "joint elbow: axis"),
        (joint("elbow", "upper", "lower", axis="0 0"), "joint elbow: axis"),
        (joint("elbow", "upper", "lower", axis="0 nan 1"), "joint elbow: axis"),
        (
            joint("elbow", "upper", "lower", origin='xyz="0 0 1e9"'),
            "joint elbow: origin xyz",
        ),
        (
            joint("elbow", "upper", "lower", origin='rpy="0 x 0"'),
            "joint elbow: origin rpy",
        ),
    ],
)
def test_vectors_that_are_none(elbow: str, where: str) -> None:
    assert where in [f.where for f in checked(arm(elbow=elbow)).errors]


def test_dynamics_that_are_not_used_are_said() -> None:
    elbow = joint("elbow", "upper", "lower", more='<dynamics damping="0.3"/>')
    found = told(arm(elbow=elbow), "warning", "joints: <dynamics>")
    assert "1 joints, the first is elbow" in found.value


# Left and right


def legs(right_axis: str = "0 1 0", right_limit: str = LIMIT, mass: str = "1.5") -> str:
    """A base with an ankle on either side."""
    limit = LIMIT.replace('lower="-1"', 'lower="-0.3"')
    right_limit = limit if right_limit is LIMIT else right_limit
    return robot_text(
        link("base"),
        link("left_foot"),
        link("right_foot", inertial(f'<mass value="{mass}"/>')),
        joint(
            "left_ankle_pitch",
            "base",
            "left_foot",
            origin='xyz="0 0.1 -0.3"',
            limit=limit,
        ),
        joint(
            "right_ankle_pitch",
            "base",
            "right_foot",
            origin='xyz="0 -0.1 -0.3"',
            axis=right_axis,
            limit=right_limit,
        ),
    )


MIRRORED = 'lower="-1" upper="0.3" effort="50" velocity="5"'


@pytest.mark.parametrize(
    "text", [legs(), legs("0 -1 0", MIRRORED)], ids=["same sense", "opposite sense"]
)
def test_mirror_images_pass(text: str) -> None:
    assert checked(text).findings == ()


def test_a_range_with_its_sign_flipped_is_found() -> None:
    report = checked(legs(right_limit=MIRRORED))
    (found,) = report.warnings
    assert report.ok
    assert found.where.startswith("joint left_ankle_pitch and joint right_ankle_pitch")
    assert found.value == "(-0.3, 1) against (-1, 0.3)"


def test_other_mass_and_other_torque_are_listed_with_both_numbers() -> None:
    limit = 'lower="-0.3" upper="1" effort="1000" velocity="100"'
    values = {f.where.split(": ")[1]: f.value for f in checked(legs(mass="2")).warnings}
    assert values["mass"] == "1.5 against 2"
    found = {f.where: f for f in checked(legs(right_limit=limit)).warnings}
    pair = "joint left_ankle_pitch and joint right_ankle_pitch: effort limit"
    assert found[pair].value == "50 against 1000"
    assert "placeholder" in found["joint right_ankle_pitch: effort limit"].rule


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("LEFT_KNEE", "RIGHT_KNEE"),
        ("knee_l", "knee_r"),
        ("l_knee", "r_knee"),
        ("LKnee", "RKnee"),
        ("leftKnee", "rightKnee"),
        ("LeftKnee", "RightKnee"),
        ("arm_left_1_joint", "arm_right_1_joint"),
    ],
)
def test_sides_are_found_in_names(left: str, right: str) -> None:
    from models.description.check.symmetry import mirror_pairs, mirrored_name

    pairs = [(p.left, p.right) for p in mirror_pairs([right, "pelvis", left])]
    assert pairs == [(left, right)]
    assert (mirrored_name(left), mirrored_name(right)) == (right, left)
    assert mirrored_name("pelvis_link") == "pelvis_link"


# Meshes


def test_missing_meshes_are_counted_and_the_last_one_named(tmp_path: Path) -> None:
    shape = (
        '<visual><geometry><mesh filename="package://sdk/{}.stl"/></geometry></visual>'
    )
    links = [link(f"l{i}", inertial() + shape.format(f"m{i}")) for i in range(5)]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}", kind="fixed") for i in range(4)]
    description = described(robot_text(*links, *joints), tmp_path / "a" / "r.urdf")
    from models.description.check.shapes import check_shapes

    (found,) = check_shapes(description)
    assert found.severity == "warning"
    assert found.value.startswith("5 of 5 files are missing: package://sdk/m0.stl")
    folder = tmp_path / "elsewhere" / "sdk"
    folder.mkdir(parents=True)
    for i in range(5):
        (folder / f"m{i}.stl").touch()
    assert list(check_shapes(description, [folder.parent])) == []
    assert list(check_shapes(description, [folder])) == []
    (folder / "m3.stl").unlink()
    (found,) = check_shapes(description, [folder])
    assert found.value == "1 of 5 files are missing: package://sdk/m3.stl"


def test_every_finding_is_complete() -> None:
    """Place, value and rule are never empty."""
    broken = joint("elbow", "upper", "lower", axis="0 3 0", limit='effort="0"')
    report = checked(arm(hand=inertial('<mass value="nan"/>'), elbow=broken))
    assert len(report.findings) >= 4
    for finding in report.findings:
        assert re.match(r"(link|joint|robot|joints|meshes)", finding.where)
        assert finding.value and finding.rule
