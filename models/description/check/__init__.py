"""Rules a robot file must keep; one file per kind of rule, one list of all of them.

A rule is a function from a description to findings. Rules look at the file as it is
written, before fixed joints are merged, and use no native code, so that any text can be
checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from models.description.check.attributes import check_attributes
from models.description.check.bodies import check_bodies
from models.description.check.carried import check_carried, check_moving_bodies
from models.description.check.joint_kinds import check_kinds
from models.description.check.limits import check_limits
from models.description.check.mimics import check_mimics
from models.description.check.shapes import check_shapes
from models.description.check.size import check_size
from models.description.check.structure import check_structure
from models.description.check.symmetry import check_symmetry
from models.description.check.text import check_expanded, check_text
from models.description.findings import Finding, Report, report
from models.description.reading import Description

Rule = Callable[[Description], Iterable[Finding]]

STRUCTURE: tuple[Rule, ...] = (check_text, check_structure)
"""Without these nothing else can be asked."""
BODIES: tuple[Rule, ...] = (check_kinds, check_bodies, check_carried)
"""Rules that rigid-body dynamics needs."""
CONTROL: tuple[Rule, ...] = (check_moving_bodies, check_mimics, check_limits)
"""Further rules that a torque-limited controller needs."""
ADVICE: tuple[Rule, ...] = (check_size, check_attributes, check_symmetry, check_shapes)
"""Rules whose findings leave a robot usable."""
ALL: tuple[Rule, ...] = BODIES + CONTROL + ADVICE
DOUBTS: tuple[Rule, ...] = (check_size, check_limits, check_shapes)
"""Rules about values that a run uses although they may be placeholders or missing."""

__all__ = ["ADVICE", "ALL", "BODIES", "CONTROL", "DOUBTS", "Rule", "check_description"]


def check_description(description: Description, rules: Sequence[Rule] = ALL) -> Report:
    """What could not be read, and what rules find; without a tree only what is not.

    Of a text that has to be expanded first, that is the only finding.
    """
    unexpanded = list(check_expanded(description))
    if unexpanded:
        return report(str(description.path), unexpanded)
    named = not any(_is_nameless(problem) for problem in description.problems)
    structure = [f for rule in STRUCTURE if named for f in rule(description)]
    findings = [*description.problems, *structure]
    if named and not any(f.severity == "error" for f in structure):
        findings += [f for rule in rules for f in rule(description)]
    return report(str(description.path), findings)


def _is_nameless(problem: Finding) -> bool:
    """A link or joint that nothing can refer to: its tree is not the file's."""
    return problem.severity == "error" and problem.where.endswith(": name")
