"""The README's first code block is a program that works."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "ekf" / "README.md"


def test_readme_example_finds_the_payload():
    block = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)[0]
    names = {}
    exec(compile(block, str(README), "exec"), names)
    assert names["estimate"].ok
    assert abs(names["gain_kg"] - 2.0) < 0.1
    joint_id = names["estimator"].joint_ids[0]
    published_kg = names["controller_model"].inertias[joint_id].mass
    assert abs(published_kg - names["plant"].inertias[joint_id].mass) < 0.1
