"""The figures that the pages state, measured again, once for all tests."""

from __future__ import annotations

import pytest

from scenarios.records.run_cache import RunCache
from scenarios.run.estimator_settings import checked_robot
from scenarios.run.lab import Lab
from scenarios.studies.paper.experiment import Report, Scope
from scenarios.studies.paper.reproduction import chosen_parts, planned_runs

PARTS = ("washing", "balance", "runtime_loading", "squat_pickup")


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Reports of the parts that take minutes and not hours, on shipped defaults."""
    lab = Lab(RunCache(tmp_path_factory.mktemp("claims")), jobs=2)
    experiments, robot = chosen_parts(PARTS, Scope()), checked_robot("alexander", ())
    lab.prepare(planned_runs(experiments))
    return {e.key: e.evaluate(lab, robot) for e in experiments}
