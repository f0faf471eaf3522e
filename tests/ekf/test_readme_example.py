"""The README's first code block is a program that works."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "ekf" / "README.md"
ESTIMATORS = ROOT / "docs" / "estimators.md"


def test_readme_example_finds_the_payload():
    block = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)[0]
    names = {}
    exec(compile(block, str(README), "exec"), names)
    assert names["estimate"].ok
    assert abs(names["gain_kg"] - 2.0) < 0.1
    joint_id = names["estimator"].joint_ids[0]
    published_kg = names["controller_model"].inertias[joint_id].mass
    assert abs(published_kg - names["plant"].inertias[joint_id].mass) < 0.1


def test_example_of_the_supervised_filter_tells_a_load_with_its_interval():
    block = re.findall(r"```python\n(.*?)```", ESTIMATORS.read_text(), re.DOTALL)[0]
    names = {}
    exec(compile(block, str(ESTIMATORS), "exec"), names)
    assert [sentence.split()[1] for sentence in names["told"]] == ["attach", "detach"]
    assert names["low"] < 2.0 < names["high"]
    assert names["report"].mass_kg == 0.0
    nominal = names["supervised"].ekf.nominal_parameters
    assert (names["published"] == nominal).all()
