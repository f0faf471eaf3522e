"""Drives of a log, in numbers and as a table."""

from __future__ import annotations

import msgspec

from ekf.identification.drive import KINDS
from ekf.identification.log_fit import Fit, Task
from ekf.identification.payload_answer import explained
from scenarios.studies.estimators.streams.samples import SampleCounts
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.tables import markdown

DETERMINED = 0.5
"""A parameter is determined if the log makes its deviation smaller than this share."""
HEADERS = (
    "joint",
    "Coulomb [Nm]",
    "viscous [Nms/rad]",
    "offset [Nm]",
    "Stribeck [Nm]",
    "rotor [kgm2]",
    "torque scale",
    "per torque",
    "left [Nm]",
)


class JointDrive(msgspec.Struct, frozen=True, kw_only=True):
    """Drive of one joint: values and standard errors by name.

    Attributes:
        joint: Its name.
        values: Parameters: coulomb, viscous, offset, stribeck, inertia, gain,
            load_friction.
        sigma: Their standard errors.
        undetermined: Those that the log does not determine.
        residual_Nm: Root mean square of what the fit leaves.
    """

    joint: str
    values: dict[str, float]
    sigma: dict[str, float]
    undetermined: list[str]
    residual_Nm: float


class IdentificationResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `wbmpc identify` measures.

    Attributes:
        log: File or folder.
        robot: Its name.
        samples: What became of the log's rows.
        remarks: What a user should know about the log, one sentence each.
        explained: Share of the torques' changes that model and drives explain.
        joints: From the base to the link.
    """

    log: str
    robot: str
    samples: SampleCounts
    remarks: tuple[str, ...]
    explained: float
    joints: list[JointDrive]


def identification_result(
    stream: Stream, task: Task, found: Fit
) -> IdentificationResult:
    """Drives in numbers."""
    drives, joints = found.drives, []
    off = dict(task.logs[0].unmeasured)
    for k, name in enumerate(drives.joints):
        known = drives.sigma[k] < DETERMINED * drives.prior_sigma[k]
        joints.append(
            JointDrive(
                joint=name,
                values=dict(zip(KINDS, drives.values[k].tolist(), strict=True)),
                sigma=dict(zip(KINDS, drives.sigma[k].tolist(), strict=True)),
                undetermined=[
                    kind
                    for kind, sure in zip(KINDS, known, strict=True)
                    if not sure or name in off
                ],
                residual_Nm=float(found.noise_Nm[k]),
            )
        )
    return IdentificationResult(
        log=stream.notes or stream.name,
        robot=stream.robot.name,
        samples=stream.samples
        or SampleCounts(total=len(stream.log), used=len(stream.log)),
        remarks=(*stream.remarks, *unmeasured_remarks(task)),
        explained=explained(task.logs[0], found),
        joints=joints,
    )


def identification_text(result: IdentificationResult) -> str:
    """Lines about the log and a table; a dash where the log determines nothing."""
    head = [
        f"{result.log}: {result.robot}",
        result.samples.sentence(),
        *result.remarks,
        f"model and drives explain {result.explained:.1%} of the torques' changes",
    ]
    rows = [
        (
            joint.joint,
            *(
                "-"
                if kind in joint.undetermined
                else f"{joint.values[kind]:.3g} +- {joint.sigma[kind]:.1g}"
                for kind in KINDS
            ),
            f"{joint.residual_Nm:.2g}",
        )
        for joint in result.joints
    ]
    return "\n".join(head) + "\n\n" + markdown(HEADERS, rows)


def unmeasured_remarks(task: Task) -> tuple[str, ...]:
    """A sentence per joint whose torques do not count."""
    return tuple(
        f"{name}: its torque is not measured in {share:.0%} of the log, and not used"
        for name, share in task.logs[0].unmeasured
    )
