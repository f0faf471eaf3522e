"""Virtual payloads on logs of real arms: errors, and whether the intervals hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from ekf import JointLog
from ekf.identification.motion import pieces
from ekf.identification.payload_answer import PayloadAnswer, Verdict
from scenarios.studies.estimators.streams.recorded import read_stream
from scenarios.studies.estimators.streams.stream import Stream
from scenarios.studies.estimators.tables import markdown
from scenarios.studies.estimators.weighing import SETTINGS, weigh_stream

REAL = Path(__file__).resolve().parents[4] / "shared" / "real-logs"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not REAL.is_dir(), reason="no real logs here"),
]
ROBOTS = {
    "panda_100hz.csv": "panda_nohand.urdf",
    "kuka_1_100hz.csv": "kuka_lwr4_centroepiaggio.urdf",
    "kuka_2_100hz.csv": "kuka_lwr4_centroepiaggio.urdf",
    "tiago_arm_100hz.csv": "tiago_arm.urdf",
}
LOADS_KG = (0.5, 1.0, 3.0)


def read(name: str) -> Stream:
    return read_stream(REAL / name, robot=str(REAL / ROBOTS[name]))


def loaded(stream: Stream, load_kg: float, at_s: float) -> Stream:
    """With a payload 10 cm before the last joint from a time on."""
    model, log = stream.robot.model, stream.log
    (piece,) = pieces(model, log, SETTINGS)
    heavier, last = model.copy(), model.njoints - 1
    load = pin.Inertia(load_kg, np.array([0.0, 0.0, 0.1]), 1e-3 * load_kg * np.eye(3))
    heavier.inertias[last] = heavier.inertias[last] + load
    datas = model.createData(), heavier.createData()
    added = np.array(
        [
            pin.rnea(heavier, datas[1], *row) - pin.rnea(model, datas[0], *row)
            for row in zip(piece.q, piece.v, piece.a, strict=True)
        ]
    )
    here = [np.interp(log.time_s, piece.time_s, column) for column in added.T]
    tau = log.tau + np.column_stack(here) * (log.time_s >= at_s)[:, None]
    return replace(stream, log=JointLog(time_s=log.time_s, q=log.q, v=log.v, tau=tau))


def window(stream: Stream, from_s: float, to_s: float) -> Stream:
    log = stream.log
    kept = (log.time_s >= from_s) & (log.time_s < to_s)
    part = JointLog(
        time_s=log.time_s[kept], q=log.q[kept], v=log.v[kept], tau=log.tau[kept]
    )
    return replace(stream, log=part)


def row(name: str, found: list[tuple[PayloadAnswer, float]]) -> tuple[str, ...]:
    """Errors and coverage of the answers that have a mass."""
    told = [(a, truth) for a, truth in found if a.mass_kg is not None]
    errors = np.array([a.mass_kg - truth for a, truth in told])
    sigmas = np.array([a.sigma_kg for a, _ in told])
    sizes = np.abs(errors) / sigmas
    assert sizes.max(initial=0.0) < 3.0, name
    for answer, truth in found:
        if answer.verdict is Verdict.PAYLOAD:
            assert abs(answer.mass_kg - truth) < 0.05 * truth + 1e-3, name
    counts = [sum(a.verdict is verdict for a, _ in found) for verdict in Verdict]
    return (
        name,
        str(len(found)),
        f"{np.sqrt(np.mean(errors**2)):.3f}",
        f"{sigmas.mean():.3f}",
        f"{np.mean(sizes < 1.96):.2f}",
        f"{sizes.max():.1f}",
        " / ".join(map(str, counts)),
    )


def test_table() -> None:
    rows = []
    for name, step_s in (
        ("panda_100hz.csv", 4.0),
        ("kuka_1_100hz.csv", 4.0),
        ("tiago_arm_100hz.csv", 12.0),
    ):
        stream, told, found, empty = read(name), [], [], []
        start, end = stream.log.time_s[0], stream.log.time_s[-1]
        for from_s in np.arange(start, end - 10.0, step_s):
            bare = window(stream, from_s, from_s + 10.0)
            answer = weigh_stream(bare).answer
            assert answer.verdict is not Verdict.PAYLOAD
            empty.append(answer.verdict)
            for load_kg in LOADS_KG:
                at_s = from_s + 3.0
                part = window(loaded(stream, load_kg, at_s), from_s, from_s + 10.0)
                found.append((weigh_stream(part).answer, load_kg))
                known = replace(part, at_s=at_s)
                told.append((weigh_stream(known).answer, load_kg))
        short = name.split("_")[0]
        rows.append(row(f"{short}, 10 s, load from 3 s on, --payload-at", told))
        if short != "tiago":  # its load is relative to a file that is wrong
            rows.append(row(f"{short}, the same, time unknown", found))
    tare = read("kuka_2_100hz.csv")
    kuka = read("kuka_1_100hz.csv")
    answers = [
        (weigh_stream(loaded(kuka, kg, 0.0), tare=tare).answer, kg) for kg in LOADS_KG
    ]
    rows.append(row("kuka 1, loaded all along, --tare kuka 2", answers))
    heads = ("log", "n", "RMS error [kg]", "sigma [kg]", "inside 95 %", "worst")
    verdicts = " / ".join(v.value for v in Verdict)
    print("\n" + markdown((*heads, verdicts), rows))
