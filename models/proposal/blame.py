"""What is wrong with a file, where it keeps a humanoid from being found in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from models.description.check import check_description
from models.description.check.bodies import check_bodies
from models.description.check.carried import check_carried, check_moving_bodies
from models.description.check.limits import check_limits, locked_positions
from models.description.check.size import check_size
from models.description.findings import report
from models.description.reading import Description, describe
from models.errors import ProposalError


@contextmanager
def blaming(description: Description) -> Iterator[None]:
    """Tell mistakes in the file instead of, and doubts after, what they lead to.

    Limbs are found by what they weigh and how many joints they move by, and poses by
    what joints can hold: a mass that is none makes two arms of different kinds, and
    grams for kilograms legs that are too weak.

    Raises:
        ProposalError: One was raised within.
    """
    try:
        yield
    except ProposalError as problem:
        raise _blamed(describe(description.source), problem) from None


def _blamed(whole: Description, problem: ProposalError) -> ProposalError:
    rules = (check_bodies, check_carried, check_moving_bodies, check_limits)
    found = check_description(whole, rules)
    rooms = {f"joint {name}: position limits" for name in locked_positions(whole)}
    masses = {f"link {name}: mass" for name in whole.links}
    mistakes = [f for f in found.errors if f.where in rooms | masses]
    if mistakes:
        return ProposalError(report(found.file, mistakes).refusal())
    doubts = [finding.sentence() for finding in check_size(whole)]
    return ProposalError("; ".join([str(problem), *doubts]))
