"""Small synthetic runs with known answers."""

from __future__ import annotations

import numpy as np

from scenarios.records.record import (
    SIDES,
    LinkSeries,
    PayloadSeries,
    RunRecord,
    SupervisionSeries,
    TipSeries,
)
from scenarios.run.settings import RunSettings
from wbmpc.robot import BASE, Robot

TICK_S = 0.01
WEIGHT_N = 656.0


def make_record(
    robot: Robot,
    /,
    *,
    sag_mm: float = 0.0,
    arrival_s: float = 0.3,
    fell: bool = False,
    **settings: object,
) -> RunRecord:
    """A run whose loaded tip hangs `sag_mm` low from the instant of loading.

    The estimate jumps from nominal to truth `arrival_s` after loading and back the
    instant the load comes off.
    """
    asked = RunSettings(**{"duration_s": 6.0, **settings})  # type: ignore[arg-type]
    time = np.arange(round(asked.duration_s / TICK_S)) * TICK_S
    ticks = len(time)
    n = len(robot.joint_names)
    loaded = _loaded(asked, time)
    q = np.tile(robot.home_q_full, (ticks, 1))
    wrench = np.zeros((ticks, 2, 6))
    wrench[:, :, 2] = (WEIGHT_N + 9.81 * loaded.sum(axis=1))[:, None] / 2
    return RunRecord(
        settings=asked,
        robot="alexander",
        joint_names=robot.joint_names,
        time_s=time,
        q=q,
        v=np.full((ticks, robot.full_model.nv), 0.1),
        tau_Nm=np.zeros((ticks, n)),
        q_upper_ref=np.tile(_upper(robot), (ticks, 1)),
        com_m=np.tile([0.0, 0.0, 0.8], (ticks, 1)),
        com_ref_m=np.tile([0.0, 0.0, 0.8], (ticks, 1)),
        pelvis_m=np.tile([0.0, 0.0, 0.9], (ticks, 1)),
        wrench_true=wrench,
        wrench_estimated=1.01 * wrench if asked.has_estimator else 0.0 * wrench,
        payload_kg=loaded,
        links={
            side: _link(robot, side, loaded[:, i], asked, time, arrival_s)
            for i, side in enumerate(SIDES)
        },
        tips={
            side: _tip(side, time, 1e-3 * sag_mm * (loaded[:, i] > 0))
            for i, side in enumerate(SIDES)
        },
        status=("USABLE",) * ticks,
        mode=("TRACK",) * ticks,
        plan_cost=np.linspace(1.0, 2.0, ticks),
        cost_by_term={
            "upper_body_tracking": np.linspace(1.0, 2.0, ticks // 10),
            "torque": np.linspace(0.2, 0.1, ticks // 10),
        },
        cost_time_s=time[: 10 * (ticks // 10) : 10],
        timing_ms={
            "mpc": np.linspace(4.0, 6.0, ticks),
            "estimator": np.full(ticks, 0.3),
        },
        faults={"torque_saturated": 2},
        events=((asked.at_s, "5 kg on the left forearm"),),
        fell=fell,
        wall_s=asked.duration_s / 2,
        torque_limit_Nm=np.full(n, 100.0),
        supervision=SupervisionSeries(
            test_ratio=np.linspace(0.1, 2.0, ticks),
            rows_left_out=np.zeros(ticks),
            unexplained_kg=np.zeros(ticks),
        )
        if asked.has_estimator
        else None,
    )


def _loaded(settings: RunSettings, time: np.ndarray) -> np.ndarray:
    """Load (T, 2) left and right."""
    stop = np.inf if settings.remove_at_s is None else settings.remove_at_s
    on = (time >= settings.at_s) & (time < stop)
    sides = [settings.arm in (side, "both") for side in SIDES]
    return settings.payload_kg * np.outer(on, sides)


def _link(
    robot: Robot,
    side: str,
    load: np.ndarray,
    settings: RunSettings,
    time: np.ndarray,
    arrival_s: float,
) -> LinkSeries:
    link = robot.arms[side].link
    nominal = robot.model.inertias[robot.link_joint(link)].toDynamicParameters()
    com = np.array([0.0, 0.0, -0.41])
    sphere = np.concatenate([[1.0], com, np.zeros(6)])
    sphere[[4, 6]] = 0.41**2
    truth = nominal + load[:, None] * sphere
    known = settings.has_estimator & (time >= settings.at_s + arrival_s - 1e-9)
    estimate = np.where(known[:, None], truth, nominal)
    theta = np.zeros((len(time), 10))
    theta[:, 0] = 0.5 * np.log(estimate[:, 0] / nominal[0])
    theta[:, 7:] = (estimate[:, 1:4].T / estimate[:, 0]).T - nominal[1:4] / nominal[0]
    return LinkSeries(
        link=link,
        nominal=nominal,
        truth=truth,
        estimate=estimate,
        published=estimate,
        theta=theta,
        sigma_mass_kg=np.full(len(time), 0.1),
        payload=_payload(truth[:, 0] - nominal[0], known)
        if settings.has_estimator
        else None,
    )


def _payload(load: np.ndarray, known: np.ndarray) -> PayloadSeries:
    ticks, held = len(load), (known & (load > 0.0))[:, None]
    return PayloadSeries(
        mass_kg=np.where(known, load, 0.0),
        sigma_mass_kg=np.full(ticks, 0.1),
        smallest_kg=np.full(ticks, 0.2),
        com_m=np.where(held, [0.0, 0.0, -0.41], np.nan),
        sigma_com_m=np.where(held, [0.01, 0.02, 0.03], np.nan),
        observability=np.tile(np.linspace(0.0, 1.0, 10), (ticks, 1)),
        state=tuple(np.where(held[:, 0], "tracking", "nominal").tolist()),
    )


def _tip(side: str, time: np.ndarray, sag_m: np.ndarray) -> TipSeries:
    lateral = 0.3 if side == "left" else -0.3
    phase = 2 * np.pi * time / 3.0
    path = np.column_stack(
        [
            np.full_like(time, 0.4),
            lateral + 0.1 * np.sin(phase),
            1.0 + 0.1 * np.cos(phase),
        ]
    )
    sagged = path - np.outer(sag_m, [0.0, 0.0, 1.0])
    offset = np.array([0.0, 0.0, 0.9])
    return TipSeries(
        world_m=sagged, torso_m=sagged - offset, reference_torso_m=path - offset
    )


def _upper(robot: Robot) -> np.ndarray:
    names = robot.joint_names
    groups = robot.settings.groups
    upper = (*groups.spine, *groups.left_arm, *groups.right_arm)
    return robot.home_q_full[[BASE + 1 + names.index(name) for name in upper]]
