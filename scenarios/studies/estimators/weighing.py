"""The answer of a whole log, in numbers and words, and what it does to a stream."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from ekf import JointLog
from ekf.identification.drive import Drives
from ekf.identification.evidence import Chain
from ekf.identification.log_fit import Fit, Task, fit
from ekf.identification.payload_answer import (
    PayloadAnswer,
    Verdict,
    Weighing,
    course,
    prepare,
    weigh,
)
from ekf.identification.settings import IdentificationSettings
from ekf.model_lookup import root_dofs
from scenarios.errors import ScenarioError
from scenarios.studies.estimators.streams.stream import Stream

SETTINGS = IdentificationSettings()
LONG_ENOUGH_S = 10.0
"""Friction that fits a shorter log is not taken off: it may be anything."""
QUIET_SHARE = 0.7
"""Of twice what the fit leaves, below which noise is not learnt."""
_UNMEASURED = 1e8
"""Factor on the variance of a row that nobody measures."""


class PayloadRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the whole log says about the link.

    Attributes:
        verdict: payload, none, model_heavier or cannot_tell.
        reason: Why, in a sentence.
        mass_kg: More than the model has at the link; null if nothing can be said.
        sigma_kg: Its standard deviation.
        interval_kg: 95 % interval.
        com_m: Centre in the frame of the link; null where it is not determined.
        from_s: Beginning of the span that the answer is true of.
        to_s: Its end.
        course: Time [s], mass and standard deviation [kg] along the log.
    """

    verdict: str
    reason: str
    mass_kg: float | None = None
    sigma_kg: float | None = None
    interval_kg: tuple[float, float] | None = None
    com_m: list[float] | None = None
    from_s: float | None = None
    to_s: float | None = None
    course: list[tuple[float, float, float]] = []


def evidence(
    stream: Stream, *, tare: Stream | None = None, known: Drives | None = None
) -> Task | str:
    """What a log has to say about its link; or why it has nothing to say."""
    chain = Chain.to(stream.robot.model, stream.robot.link)
    return prepare(
        stream.log,
        chain,
        SETTINGS,
        tare=None if tare is None else tare.log,
        known=known,
        unmeasured=stream.unmeasured,
    )


def weigh_stream(
    stream: Stream, *, tare: Stream | None = None, known: Drives | None = None
) -> Weighing:
    """Say what is on the link of a stream."""
    task = evidence(stream, tare=tare, known=known)
    if isinstance(task, str):
        answer = PayloadAnswer(verdict=Verdict.CANNOT_TELL, reason=task)
        return Weighing(answer=answer)
    return weigh(task, stream.at_s)


def identify_stream(stream: Stream) -> tuple[Task, Fit]:
    """Drives of the joints of a stream without a payload.

    Raises:
        ScenarioError: The log has nothing to say about them.
    """
    task = evidence(stream)
    if isinstance(task, str):
        raise ScenarioError(f"{stream.notes or stream.name}: {task}")
    return task, fit(task)


def payload_row(weighing: Weighing) -> PayloadRow:
    """An answer in numbers."""
    answer, along = weighing.answer, []
    if weighing.task is not None and weighing.fit is not None:
        along = list(
            zip(*(x.tolist() for x in course(weighing.task, weighing.fit)), strict=True)
        )
    return PayloadRow(
        verdict=answer.verdict.value,
        reason=answer.reason,
        mass_kg=answer.mass_kg,
        sigma_kg=answer.sigma_kg,
        interval_kg=answer.interval_kg,
        com_m=None if answer.com_m is None else answer.com_m.tolist(),
        from_s=answer.from_s,
        to_s=answer.to_s,
        course=along,
    )


def without_drives(stream: Stream, weighing: Weighing, known: Drives | None) -> Stream:
    """The stream as the streaming estimators get it.

    Friction, offsets and torque scales are taken off the torques: those that were
    identified before, else those that fit this log. Rows that nobody measures count
    for nothing, and what is noise is what the fit leaves.
    """
    found, task = weighing.fit, weighing.task
    if found is None or task is None:
        return stream
    short = stream.log.time_s[-1] - stream.log.time_s[0] < LONG_ENOUGH_S
    if known is None and short:
        return stream
    drives = known or found.drives
    log, robot, chain = stream.log, stream.robot, task.chain
    tau, channels = log.tau.copy(), chain.channels()
    tau[:, channels] = drives.clean(log.v[:, chain.rows], tau[:, channels])
    off = [
        row
        for row, name in zip(chain.rows, chain.names, strict=True)
        if name in dict(task.logs[0].unmeasured)
    ]
    variance, filtered = robot.torque_variance.copy(), robot.filter_variance.copy()
    variance[off] *= _UNMEASURED
    filtered[off] *= _UNMEASURED
    supervisor = robot.supervisor
    if not root_dofs(robot.model):
        rows = task.logs[0].usable.any(axis=0)
        noise = float(np.max(found.noise_Nm[rows], initial=0.0))
        usual = supervisor.noise.joints_Nm
        if noise > 0.5 * usual:
            supervisor = supervisor.scaled(force=1.0, torque=2.0 * noise / usual)
            # A quiet moment says nothing of the friction to come; the whole log does.
            quiet = replace(supervisor.noise, floor_share=QUIET_SHARE)
            supervisor = replace(supervisor, noise=quiet)
            filtered = filtered * max(1.0, (2.0 * noise / usual) ** 2)
    return replace(
        stream,
        log=JointLog(
            time_s=log.time_s,
            q=log.q,
            v=log.v,
            tau=tau,
            a=log.a,
            wrenches=log.wrenches,
        ),
        robot=replace(
            robot,
            torque_variance=variance,
            filter_variance=filtered,
            supervisor=supervisor,
        ),
    )
