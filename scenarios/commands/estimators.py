"""What `wbmpc estimators` does."""

from __future__ import annotations

from scenarios.cli import EXIT_OK, print_result, say, tell_folder
from scenarios.commands.estimators_options import Estimators
from scenarios.records.run_folder import RunFolder, asked_path
from scenarios.records.versions import installed_versions
from scenarios.studies.estimators.benchmark import benchmark
from scenarios.studies.estimators.plots import write_estimators_figure
from scenarios.studies.estimators.tables import estimators_text


def compare_estimators(options: Estimators) -> int:
    """Run every estimator on every stream; one table, one figure.

    Raises:
        ModelsError: `--out` is in use, or a stream can not be made.
    """
    path, saved = asked_path(options, "estimators"), EXIT_OK
    result, shown = benchmark(quick=options.quick, progress=lambda part: say(part))
    text = estimators_text(result)
    if path is not None:
        with RunFolder(path) as folder:
            folder.write_json("metrics.json", result)
            folder.write_text("table.md", text + "\n")
            folder.write_json("versions.json", installed_versions())
            folder.write("estimators.png", lambda p: write_estimators_figure(p, shown))
        saved = tell_folder(folder, path)
    return max(saved, print_result(result, text, as_json=options.json))
