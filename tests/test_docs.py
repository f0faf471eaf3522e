"""What README, CONTRIBUTING and docs/ name exists: paths, links, commands, code."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import declared
import pytest

from scenarios.cli import parse

ROOT = Path(__file__).resolve().parents[1]
MADE = ROOT / "docs" / "reference" / "generated"
"""Pages made of declarations."""
WRITTEN = (
    p
    for p in (ROOT / "docs").rglob("*.md")
    if MADE not in p.parents and "_build" not in p.parts
)
PAGES = sorted([*ROOT.glob("*.md"), *WRITTEN, ROOT / "ekf" / "README.md"])
FOLDERS = "models|ekf|wbmpc|teleop|scenarios|tests|examples|docs"
PATH = re.compile(rf"(?<![\w/.-])((?:{FOLDERS})/[\w/.-]*)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```([\w -]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture(params=PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def page(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def blocks(page: Path, kind: str) -> list[str]:
    """Code blocks of one kind."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for name, text in found if name == kind]


def command_lines(page: Path) -> Iterator[str]:
    """Lines of code blocks that are commands."""
    for block in blocks(page, ""):
        for line in block.splitlines():
            if re.match(r"wbmpc [a-z]", line):
                yield line.partition(" # ")[0].strip()


def commands_in_sentences(page: Path) -> Iterator[str]:
    """Commands, often without all they need."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for line in re.findall(r"`(wbmpc [^`]*)`", text):
        yield " ".join(line.split())


@functools.cache
def help_of(*names: str) -> str:
    """Help of a command, or of a command's command."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told), pytest.raises(SystemExit) as stop:
        parse([*names, "--help"])
    return told.getvalue() if stop.value.code == 0 else ""


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.replace(" ", "-") for title in kept}


def test_paths_exist(page: Path) -> None:
    named = PATH.findall(page.read_text(encoding="utf-8"))
    paths = {name.rstrip(".") for name in named if "NAME" not in name}
    paths = {name for name in paths if not name.startswith("docs/_build/")}
    assert [name for name in sorted(paths) if not (ROOT / name).exists()] == []


def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        made = MADE in (page.parent / link).resolve().parents
        if made and Path(link).name in declared.pages():
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert not lost


def test_command_lines_can_be_read(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = {}
    for line in command_lines(page):
        try:
            parse(shlex.split(line)[1:])
        except SystemExit as stop:
            if stop.code:
                refused[line] = capsys.readouterr().err
    assert not refused


def test_commands_in_sentences_exist_with_their_options(page: Path) -> None:
    unknown = []
    for line in commands_in_sentences(page):
        names = re.match(r"wbmpc((?: [a-z0-9]+(?:-[a-z]+)*\b(?![-/.]))*)", line)[
            1
        ].split()
        told = help_of(*names[: 2 if names[:1] == ["so101"] else 1])
        flags = re.findall(r"--[a-z][a-z-]*", line)
        if not told or any(flag not in told for flag in flags):
            unknown.append(line)
    assert not unknown


def test_the_closed_loop_of_the_readme_finds_the_load() -> None:
    code = blocks(ROOT / "README.md", "python")[0]
    assert len([line for line in code.splitlines() if line]) == 10
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["estimator"].payload_kg["left"] == pytest.approx(5.0, abs=0.2)


def python_pages() -> list[Path]:
    """Pages with Python in them, but for the one that has a test of its own."""
    return [p for p in PAGES if blocks(p, "python") and p.name != "README.md"]


@pytest.mark.parametrize("path", python_pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_python_of_the_pages_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for code in blocks(path, "python"):
        exec(compile(code, path.name, "exec"), names)


def test_every_page_is_in_a_table_of_contents() -> None:
    pages = [p for p in PAGES if (ROOT / "docs") in p.parents]
    listed = {(ROOT / "docs" / "index.md").resolve()}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.M | re.S):
            names = [n for n in tree.split() if not n.startswith(":")]
            listed |= {(page.parent / f"{name}.md").resolve() for name in names}
    assert {p.resolve() for p in pages} <= listed


def test_scripts_shown_on_pages_exist() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"^```\{literalinclude\} (\S+)", text, re.M):
            assert (page.parent / name).is_file(), f"{page}: {name}"


def test_promises_are_held_by_tests_that_exist() -> None:
    text = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    files = (ROOT / "tests").rglob("test_*.py")
    sources = "\n".join(file.read_text(encoding="utf-8") for file in files)
    tests = set(re.findall(r"def (test_\w+)", sources))
    assert len(named) > 80 and named <= tests
