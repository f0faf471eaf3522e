"""Own scenario: one arm waves, the other one gets a load.

As a file of `scenarios/library/`, without `register`, it is found by `wbmpc run wave`
and every other command; its imports then go into the functions, since help reads it.
"""

import msgspec
import numpy as np

import scenarios
from scenarios import Move, Pose, RunRecord
from scenarios.report.metrics.results import RunMetrics
from scenarios.run.runner import run
from teleop.reference_track import ReferenceTrack
from wbmpc import Robot

UP, DOWN = (Pose(joints={"RIGHT_SHOULDER_Y": angle}) for angle in (-0.8, -0.2))


def wave(robot: Robot, duration_s: float) -> ReferenceTrack:
    """Raise and lower the right arm, half a second each way."""
    count = int(duration_s / 0.5)
    moves = [Move(at_s=0.5 * n, over_s=0.5, to=(UP, DOWN)[n % 2]) for n in range(count)]
    return scenarios.record_moves(robot, duration_s, moves)


class WaveFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What this scenario measures; every name ends in its unit."""

    raised_mm: float


def measure(record: RunRecord, robot: Robot, twin: RunRecord | None) -> WaveFigures:
    """How far the waving tip moves up and down."""
    height_m = record.tips["right"].world_m[:, 2]
    return WaveFigures(raised_mm=1e3 * float(np.ptp(height_m)))


SCENARIO = scenarios.Scenario(
    name="wave",
    summary="the right arm waves, the left one gets a load",
    motion=wave,
    defaults=scenarios.Defaults(payload_kg=3.0, arm="left", at_s=0.3, duration_s=1.5),
    measures=measure,
)
scenarios.register(SCENARIO)


def main() -> RunMetrics:
    """Every number of a run, its own figures among them."""
    record = run(scenarios.run_settings("wave"))
    metrics = scenarios.evaluate(record, Robot.load(record.settings.robot))
    print(scenarios.evaluation_text(metrics))
    return metrics


if __name__ == "__main__":
    main()
