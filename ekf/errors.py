"""Exceptions of the estimator package: raised at construction, never in the loop."""

from collections.abc import Iterable
from difflib import get_close_matches


class EkfError(Exception):
    """Base of every exception this package raises."""


class UnknownLinkError(EkfError):
    """A joint, link or frame name is not in the model.

    Attributes:
        name: The name that was asked for.
        choices: Every name that would have been accepted.
    """

    def __init__(self, field: str, name: str, choices: Iterable[str]) -> None:
        """Compose the message with the nearest names the model does have."""
        self.field, self.name, self.choices = field, name, tuple(choices)
        near = get_close_matches(name, self.choices, n=3, cutoff=0.4)
        shown = near or self.choices[:10]
        label = "nearest names" if near else "names in the model"
        super().__init__(
            f"{field}: {name!r} is not in the model; {label}: {', '.join(shown)}"
        )


class InvalidSettingError(EkfError):
    """A setting breaks its rule.

    Attributes:
        field: Name of the setting.
        value: The offending value.
        rule: Condition that the value must satisfy.
    """

    def __init__(self, field: str, value: object, rule: str) -> None:
        """Name the field, the value and the rule."""
        self.field, self.value, self.rule = field, value, rule
        super().__init__(f"{field} = {value!r}: {rule}")


class DimensionError(EkfError):
    """An array has the wrong shape.

    Attributes:
        field: Name of the array.
        shape: The shape it has.
        expected: The shape it should have.
    """

    def __init__(
        self, field: str, shape: tuple[int, ...], expected: tuple[int | str, ...]
    ) -> None:
        """Name the array, its shape and the expected shape."""
        self.field, self.shape, self.expected = field, shape, expected
        super().__init__(f"{field} has shape {shape}: it must be {expected}")


class InconsistentInertiaError(EkfError):
    r"""An inertia belongs to no rigid body: its pseudo-inertia is not positive.

    Attributes:
        owner: The link (or the argument) the inertia belongs to.
        smallest_eigenvalue: The smallest eigenvalue of its pseudo-inertia.
    """

    def __init__(self, owner: str, smallest_eigenvalue: float) -> None:
        """Name the owner and the eigenvalue that is not positive."""
        self.owner, self.smallest_eigenvalue = owner, smallest_eigenvalue
        super().__init__(
            f"{owner}: smallest pseudo-inertia eigenvalue is {smallest_eigenvalue:.3g}:"
            " it must be finite and > 0 (positive mass and inertia, triangle"
            " inequality)"
        )


class DegenerateFitError(EkfError):
    """Points through which there is no one line that can be inverted."""
