"""`--estimator NAME`, and what may not stand beside it."""

from __future__ import annotations

import pytest

from scenarios.cli import main
from scenarios.errors import ScenarioError
from scenarios.exit_codes import EXIT_BAD_INPUT
from scenarios.run.settings import RunSettings
from scenarios.studies.comparison import plan_runs


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[RunSettings]:
    """Settings of the runs that would have started."""
    runs: list[RunSettings] = []

    def refuse(settings: RunSettings, **_: object) -> None:
        runs.append(settings)
        raise ScenarioError("no run today")

    monkeypatch.setattr("scenarios.run.runner.run", refuse)
    return runs


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "ekf_supervised"),
        (["--estimator", "ekf"], "ekf"),
        (["--estimator", "none"], "none"),
        (["--no-ekf"], "none"),
        (["--no-ekf", "--estimator", "none"], "none"),
    ],
)
def test_it_reaches_the_runner(
    words: list[str], name: str, asked: list[RunSettings]
) -> None:
    main(["run", "standing", "--no-files", "--no-twin", *words])
    assert [settings.estimator for settings in asked] == [name]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--no-ekf", "--estimator", "ekf"], "not with --no-ekf"),
        (["run", "--estimator", "ekf_supervise"], "did you mean ekf_supervised"),
        (["run", "--estimator", "batch"], "unknown estimator"),
        (["run", "--estimator", "none", "--tare", "1"], "is for the estimator"),
        (["run", "--estimator", "moment_rls", "--tare", "1"], "is for a filter"),
        (["run", "--estimator", "moment_rls", "--prior", "all"], "is for a filter"),
        (["compare", "--estimator", "none"], "needs an estimator"),
        (["compare", "--estimator", "payload_rls", "--priors"], "is for a filter"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    asked: list[RunSettings],
) -> None:
    command, *flags = words
    assert main([command, "standing", "--no-files", *flags]) == EXIT_BAD_INPUT
    assert told in capsys.readouterr().err
    assert not asked


def test_a_comparison_is_of_the_estimator_that_is_asked_for() -> None:
    settings = RunSettings(estimator="momentum_observer", prior="all")
    plan = plan_runs(settings, priors=True)
    names = {name: run.estimator for name, run in plan.items()}
    assert names == {
        "unloaded": "none",
        "without_estimator": "none",
        "with_estimator": "momentum_observer",
        "prior_none": "momentum_observer",
        "prior_inertia_only": "momentum_observer",
    }
