"""Settings of the site; `make docs` builds it."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

from declared import write_pages  # noqa: E402

import scenarios.library.scenario  # noqa: E402
import scenarios.run.settings  # noqa: E402

write_pages(HERE / "reference" / "generated")

# A name that only type checkers import there.
scenarios.library.scenario.Arm = scenarios.run.settings.Arm

project = "wbmpc"
author = "the wbmpc authors"
copyright = "the wbmpc authors, BSD-3-Clause"
version = release = installed("wbmpc")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml"]
exclude_patterns = ["_build", "_ext", "reference/generated/README.md"]
source_suffix = {".md": "markdown"}
highlight_language = "none"
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "colon_fence"]
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "wbmpc"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
# No fonts or scripts from elsewhere: the pages open without a network.
html_theme_options = {"source_repository": "", "source_directory": "docs/"}
