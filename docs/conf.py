"""The configuration of Sphinx; ``python docs/build.py`` builds the site."""

import sys
import typing
from pathlib import Path
from re import MULTILINE

from pygments import token
from pygments.lexer import RegexLexer, bygroups
from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from ptxlint.version import VERSION  # noqa: E402

typing.TYPE_CHECKING = True
import ptxlint  # noqa: E402, F401 - whose signatures name types that are imported for them alone

typing.TYPE_CHECKING = False

project = "ptxlint"
author = "ptxlint contributors"
copyright = author
version = release = VERSION
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
nitpicky = False  # the types of signatures are not all documented
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = f"ptxlint {VERSION}"
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
python_maximum_signature_line_length = 90


class PtxLexer(RegexLexer):
    """PTX for code blocks: the one of Pygments knows no guards and no options of launches."""

    name = "PTX"
    tokens = {
        "root": [
            (r"//.*?$", token.Comment),
            (r"/\*(.|\n)*?\*/", token.Comment),
            (r'"[^"]*"', token.String),
            (r"%[\w$]+(\.[xyzw])?\b", token.Name.Variable),
            (r"^(\s*)([\w$]+)(:)", bygroups(token.Text, token.Name.Label, token.Punctuation)),
            (r"\.[A-Za-z_]\w*", token.Keyword.Type),
            (r"^(\s*)([a-z]\w*)", bygroups(token.Text, token.Keyword)),
            (r"\b0[xXfFdD][0-9a-fA-F]+\b|\b\d+\b", token.Number),
            (r"[A-Za-z_$][\w$]*", token.Name),
            (r"\s+", token.Text),
            (r"[^\s\w]", token.Punctuation),
        ]
    }
    flags = MULTILINE


def site_links(app: Sphinx, name: str, text: list[str]) -> None:
    """Pages above this folder are included in pages of the site."""
    for page in ("CHANGELOG", "CONTRIBUTING"):
        text[0] = text[0].replace(f"(../{page}.md)", f"(/{page.lower()}.md)")


def setup(app: Sphinx) -> None:
    app.add_lexer("ptx", PtxLexer)
    app.connect("source-read", site_links)
