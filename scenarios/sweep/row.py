"""One run as one row: what was asked for, what came out, who made it.

Columns that begin with `made_` tell of the making (host, times): they differ each time.
All others are the same to the last bit wherever and however often a run is made.

Figures of a forearm are those of the `loaded` and of the `other` one, whatever the
links of a robot are called. With a load on both, the one whose mass is further off is
`loaded`, and `loaded_side` says which that is.
"""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from scenarios.report.metrics.results import LinkMetrics, RunMetrics
from scenarios.run.settings import RunSettings
from scenarios.workers.identity import Identity

Row = dict[str, Any]

DONE, FELL, FAILED = "done", "fell", "failed"
MADE = "made_"
FIRST = ("payload_kg", "arm", "seed")
"""Settings that come first; the others follow as they are declared."""
SIDES = ("left", "right")
_ASKED = {
    "scenario",
    "robot",
    "plant",
    "estimator",
    "estimator_name",
    "prior",
    "seed",
    "payload_kg",
    "arm",
    "base_estimator",
}
"""Fields of the metrics that settings have, too."""
_ELSEWHERE = {
    "versions",
    "events",
    "timing_ms",
    "real_time_factor",
    "deadlines",
    "fell",
}


def setting_columns(settings: RunSettings) -> Row:
    """Every setting of a run, each changed robot setting in a column of its own."""
    fields = msgspec.to_builtins(settings)
    overrides = fields.pop("overrides")
    row = {name: fields.pop(name) for name in FIRST}
    for name, value in fields.items():
        if name in ("push", "start"):
            nested = value or dict.fromkeys(_fields_of(name))
            row |= {f"{name}_{key}": part for key, part in nested.items()}
        elif name == "faults":
            row[name] = "; ".join(_compact(fault) for fault in value)
        elif isinstance(value, (list, tuple)):
            row |= _listed(name, value)
        else:
            row[name] = value
    for change in overrides:
        key, _, value = change.partition("=")
        row[f"set_{key.strip()}"] = value.strip()
    return row


def failed_row(run_id: str, settings: RunSettings, reason: str) -> Row:
    """The row of a run that has no figures."""
    told = " ".join(reason.split())
    return {
        "run_id": run_id,
        "status": FAILED,
        "reason": told,
        **setting_columns(settings),
    }


def finished_row(run_id: str, settings: RunSettings, metrics: RunMetrics) -> Row:
    """The row of a run that came to its end, or fell."""
    reason = ""
    if metrics.fell:
        reason = metrics.events[-1] if metrics.events else "the robot fell"
    return {
        "run_id": run_id,
        "status": FELL if metrics.fell else DONE,
        "reason": reason,
        **setting_columns(settings),
        **metric_columns(metrics),
    }


def metric_columns(metrics: RunMetrics) -> Row:
    """Figures of a run, those of a forearm by loaded and other one."""
    links = {link.side: link for link in metrics.links.values()}
    loaded = _loaded_side(metrics.arm, links)
    names = {loaded: "loaded", SIDES[SIDES.index(loaded) - 1]: "other"}
    fields = {
        name: value
        for name, value in msgspec.to_builtins(metrics).items()
        if name not in _ASKED | _ELSEWHERE
    }
    fields["simulated_s"] = fields.pop("duration_s")  # less than asked for after a fall
    fields["links"] = {
        side: {k: v for k, v in msgspec.to_builtins(link).items() if k != "side"}
        for side, link in links.items()
    }
    row: Row = {
        "loaded_side": loaded,
        "mass_error_kg": _mass_error(links.get(loaded)),
        "com_error_mm": _com_error(links.get(loaded)),
        "events": len(metrics.events),
    }
    for name, value in _flat("", fields, names):
        row[name] = value
    row |= {
        f"{MADE}ms_{stage}_{key}": value
        for stage, timing in metrics.timing_ms.items()
        for key, value in msgspec.to_builtins(timing).items()
        if key in ("p50", "p99")
    }
    row[f"{MADE}real_time_factor"] = metrics.real_time_factor
    return row


def maker_columns(identity: Identity, started_s: float, wall_s: float) -> Row:
    """Program and machine; the program decides over results, the machine should not."""
    versions = ", ".join(f"{k} {v}" for k, v in identity.versions.items() if v)
    started = datetime.fromtimestamp(started_s, UTC)
    return {
        "source": identity.source,
        "measuring": identity.measuring,
        "kernel": identity.kernel,
        "versions": versions,
        "identity": identity.digest,
        f"{MADE}host": socket.gethostname(),
        f"{MADE}processor": platform.processor() or platform.machine(),
        f"{MADE}pid": os.getpid(),
        f"{MADE}started_utc": started.isoformat(timespec="milliseconds"),
        f"{MADE}wall_s": round(wall_s, 3),
    }


def _loaded_side(arm: str, links: Mapping[str, LinkMetrics]) -> str:
    if arm != "both":
        return arm
    off = {side: abs(_mass_error(links.get(side)) or 0.0) for side in SIDES}
    return max(SIDES, key=lambda side: off[side])


def _mass_error(link: LinkMetrics | None) -> float | None:
    if link is None or link.mass_kg is None or link.mass_true_kg is None:
        return None
    return link.mass_kg - link.mass_true_kg


def _com_error(link: LinkMetrics | None) -> float | None:
    if link is None or link.com_m is None or link.com_true_m is None:
        return None
    pairs = zip(link.com_m, link.com_true_m, strict=True)
    return 1e3 * sum((a - b) ** 2 for a, b in pairs) ** 0.5


def _flat(
    prefix: str, fields: Mapping[str, Any], sides: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """Nested figures with their path as name; sides by the load they have."""
    for name, value in fields.items():
        path = f"{prefix}_{name}" if prefix else name
        if isinstance(value, Mapping) and value and set(value) <= set(SIDES):
            for side, called in sides.items():
                if isinstance(value.get(side), Mapping):
                    yield from _flat(f"{called}_{_short(path)}", value[side], sides)
                elif side in value:
                    yield f"{called}_{path}", value[side]
        elif isinstance(value, Mapping):
            yield from _flat(path, value, sides)
        elif isinstance(value, (list, tuple)):
            yield from _listed(path, value).items()
        else:
            yield path, value


def _short(path: str) -> str:
    return {"links": "link", "payloads": "payload"}.get(path, path)


def _listed(name: str, values: list[Any] | tuple[Any, ...]) -> Row:
    """Numbers get a column each, by axis if they are three; words share one."""
    if values and all(isinstance(v, (int, float)) for v in values):
        ends = "xyz" if len(values) == 3 else map(str, range(len(values)))
        stem, _, unit = name.rpartition("_")
        return {f"{stem}_{end}_{unit}": v for end, v in zip(ends, values, strict=True)}
    return {name: " ".join(map(str, values))}


def _compact(value: Any) -> str:
    return ":".join(str(part) for part in value.values())


def _fields_of(name: str) -> tuple[str, ...]:
    from scenarios.run.settings import Push, Start

    kind = Push if name == "push" else Start
    return kind.__struct_fields__
