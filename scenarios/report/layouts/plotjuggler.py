"""A layout for PlotJuggler: two tabs of plots."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from scenarios.report.layouts.panels import PANELS, Panel

PER_TAB = 3


def plotjuggler_layout() -> str:
    """The layout as XML, for *Layout, Load*, after the log was loaded."""
    root = ET.Element("root")
    place = {"name": "Main Window", "parent": "main_window"}
    window = ET.SubElement(root, "tabbed_widget", place)
    for start in range(0, len(PANELS), PER_TAB):
        _tab(window, PANELS[start : start + PER_TAB])
    ET.SubElement(window, "currentTabIndex", index="0")
    ET.SubElement(root, "use_relative_time_offset", enabled="1")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _tab(window: ET.Element, panels: tuple[Panel, ...]) -> None:
    name = panels[0].title.partition(" [")[0]
    tab = ET.SubElement(window, "Tab", tab_name=name, containers="1")
    container = ET.SubElement(tab, "Container")
    sizes = ";".join(f"{1 / len(panels):.6f}" for _ in panels)
    splitter = ET.SubElement(
        container, "DockSplitter", orientation="-", sizes=sizes, count=str(len(panels))
    )
    for panel in panels:
        area = ET.SubElement(splitter, "DockArea", name=panel.title)
        plot = ET.SubElement(area, "plot", style="Lines", mode="TimeSeries")
        for curve in panel.curves:
            field = curve.field.replace(".", "/")
            path = f"{curve.topic}/{field}"
            ET.SubElement(plot, "curve", name=path, color=curve.color)
