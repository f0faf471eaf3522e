"""A layout for Foxglove: the robot with its loads, plots, states, events."""

from __future__ import annotations

import json
from typing import Any

from scenarios.report.layouts.panels import EVENTS, PANELS, STATES, Panel


def foxglove_layout() -> str:
    """The layout as JSON, to be opened by *Import from file*."""
    configs: dict[str, Any] = {"3D!robot": _scene(), "RosOut!events": _events()}
    configs["StateTransitions!loads"] = _states()
    plots = []
    for index, panel in enumerate(PANELS):
        name = f"Plot!plot{index}"
        configs[name] = _plot(panel)
        plots.append(name)
    left = _split("column", "3D!robot", _split("row", *configs_below()), 70)
    right = _stack(plots)
    layout = {
        "configById": configs,
        "globalVariables": {},
        "userNodes": {},
        "playbackConfig": {"speed": 1},
        "layout": _split("row", left, right, 55),
    }
    return json.dumps(layout, indent=1) + "\n"


def configs_below() -> tuple[str, str]:
    """Panels below the robot."""
    return "StateTransitions!loads", "RosOut!events"


def _split(direction: str, first: Any, second: Any, share: int = 50) -> dict[str, Any]:
    return {
        "direction": direction,
        "first": first,
        "second": second,
        "splitPercentage": share,
    }


def _stack(names: list[str]) -> Any:
    """Panels of equal height, one above the other."""
    if len(names) == 1:
        return names[0]
    return _split("column", names[0], _stack(names[1:]), round(100 / len(names)))


def _scene() -> dict[str, Any]:
    urdf = {
        "layerId": "foxglove.Urdf",
        "instanceId": "robot",
        "label": "Robot",
        "sourceType": "topic",
        "topic": "/robot_description",
        "visible": True,
        "frameLocked": True,
        "displayMode": "visual",
        "order": 1,
    }
    grid = {
        "layerId": "foxglove.Grid",
        "instanceId": "floor",
        "label": "Floor",
        "visible": True,
        "frameId": "world",
        "size": 4,
        "divisions": 8,
        "color": "#24849580",
        "order": 2,
    }
    return {
        "cameraState": {
            "perspective": True,
            "distance": 4.5,
            "phi": 75,
            "thetaOffset": 75,
            "targetOffset": [0, 0, 0.8],
            "target": [0, 0, 0],
            "targetOrientation": [0, 0, 0, 1],
            "fovy": 30,
            "near": 0.1,
            "far": 100,
        },
        "followMode": "follow-none",
        "followTf": "world",
        "scene": {"transforms": {"visible": False}},
        "transforms": {},
        "topics": {"/loads": {"visible": True}},
        "layers": {"robot": urdf, "floor": grid},
    }


def _plot(panel: Panel) -> dict[str, Any]:
    paths = [
        {
            "value": f"{curve.topic}.{curve.field}",
            "label": curve.label,
            "color": curve.color,
            "enabled": True,
            "timestampMethod": "headerStamp",
        }
        for curve in panel.curves
    ]
    return {
        "title": panel.title,
        "foxglovePanelTitle": panel.title,
        "paths": paths,
        "xAxisVal": "timestamp",
        "isSynced": True,
        "showLegend": True,
        "legendDisplay": "floating",
        "showXAxisLabels": True,
        "showYAxisLabels": True,
        "showPlotValuesInLegend": True,
        "sidebarDimension": 240,
    }


def _states() -> dict[str, Any]:
    paths = [
        {"value": f"{topic}.state", "timestampMethod": "receiveTime"}
        for topic in STATES
    ]
    return {"paths": paths, "isSynced": True, "foxglovePanelTitle": "Belief in a load"}


def _events() -> dict[str, Any]:
    return {"topicToRender": EVENTS, "minLogLevel": 1, "searchTerms": []}
