"""Random robot files, valid ones and broken ones, as hypothesis strategies."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from urdf_texts import joint, link, robot

KINDS = ("revolute", "continuous", "prismatic", "fixed")


@st.composite
def robot_texts(draw: st.DrawFn, max_links: int = 14) -> str:
    """A floating robot of any tree, with possible bodies and every kind of joint."""
    count = draw(st.integers(2, max_links))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    elements = [link("l0", _inertial(rng))]
    for child in range(1, count):
        kind = KINDS[draw(st.integers(0, len(KINDS) - 1))]
        parent = draw(st.integers(0, child - 1))
        # What hangs on a fixed joint may weigh nothing.
        empty = kind == "fixed" and draw(st.booleans())
        elements.append(link(f"l{child}", "" if empty else _inertial(rng)))
        elements.append(
            joint(
                f"j{child}",
                f"l{parent}",
                f"l{child}",
                kind=kind,
                origin=f'xyz="{_vector(rng, 0.5)}" rpy="{_vector(rng, 3.0)}"',
                axis=_axis(rng),
                limit=_limit(rng),
            )
        )
    order = draw(st.permutations(elements))
    return _spaced(robot(*order), draw(st.sampled_from((" ", "\t", "\n", " \t "))))


@st.composite
def broken_texts(draw: st.DrawFn) -> bytes:
    """A robot file with bytes exchanged, lines lost or values of another kind."""
    text = draw(robot_texts(max_links=6))
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from((_cut, _twice, _value, _attribute)))(draw, text)
    content = text.encode()
    if draw(st.booleans()):
        place = draw(st.integers(0, max(len(content) - 1, 0)))
        content = content[:place] + draw(st.binary(max_size=4)) + content[place + 1 :]
    return content


_VALUES = (
    *("", "nan", "-inf", "inf", "0", "-1", "1e308", "-1e-320", "1e400", "0x10"),
    *("1,5", "0 0", "0 0 0 0", "a b c", "l0", "j1", "fixed", "floating", "world"),
    *("universe", "root_joint", "\u00a0", "&#0;", "\u2028", "x" * 5000),
)
"""What people and programs have put where a number or a name should stand."""


def _value(draw: st.DrawFn, text: str) -> str:
    """Another value between two quotes."""
    parts = text.split('"')
    if len(parts) < 3:
        return text
    index = 2 * draw(st.integers(0, (len(parts) - 3) // 2)) + 1
    parts[index] = draw(st.sampled_from(_VALUES))
    return '"'.join(parts)


def _attribute(draw: st.DrawFn, text: str) -> str:
    """Another name of an element or attribute."""
    words = ("mass", "inertia", "origin", "limit", "axis", "parent", "child", "xyz")
    old, new = draw(st.sampled_from(words)), draw(st.sampled_from(words))
    return text.replace(old, new, draw(st.integers(1, 3)))


def _cut(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines()
    del lines[draw(st.integers(0, max(len(lines) - 1, 0)))]
    return "\n".join(lines)


def _twice(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines()
    line = lines[draw(st.integers(0, len(lines) - 1))]
    lines.insert(draw(st.integers(0, len(lines))), line)
    return "\n".join(lines)


def _inertial(rng: np.random.Generator) -> str:
    """Points of mass scattered about a centre: a possible body by construction."""
    points = rng.normal(size=(6, 3)) * rng.uniform(0.02, 0.3, 3)
    points -= points.mean(axis=0)
    mass = float(rng.uniform(0.1, 20.0))
    moments = mass * points.T @ points / len(points)
    tensor = np.trace(moments) * np.eye(3) - moments
    entries = " ".join(
        f'i{"xyz"[i]}{"xyz"[j]}="{float(tensor[i, j])!r}"'
        for i, j in zip(*np.triu_indices(3), strict=True)
    )
    pose = f'xyz="{_vector(rng, 0.2)}" rpy="{_vector(rng, 3.0)}"'
    return (
        f'<inertial><origin {pose}/><mass value="{mass!r}"/>'
        f"<inertia {entries}/></inertial>"
    )


def _vector(rng: np.random.Generator, size: float) -> str:
    return " ".join(repr(float(x)) for x in rng.uniform(-size, size, 3))


def _axis(rng: np.random.Generator) -> str:
    axis = rng.normal(size=3)
    if rng.random() < 0.5:
        axis = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    return " ".join(repr(float(x)) for x in axis / np.linalg.norm(axis))


def _limit(rng: np.random.Generator) -> str:
    low, high = np.sort(rng.uniform(-3.0, 3.0, 2))
    return (
        f'lower="{low - 0.01}" upper="{high + 0.01}" '
        f'effort="{rng.uniform(1, 300)}" velocity="{rng.uniform(1, 20)}"'
    )


def _spaced(text: str, space: str) -> str:
    """Other white space between the numbers of vectors."""
    parts = text.split('"')
    for index in range(1, len(parts), 2):
        if parts[index].count(" ") == 2:
            parts[index] = parts[index].replace(" ", space)
    return '"'.join(parts)
