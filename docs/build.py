"""Builds the site: ``python docs/build.py [FOLDER]``, by default in ``docs/_build``.

Needs Sphinx and the theme: ``pip install -e '.[docs]'``. A warning is an error.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(folder: str) -> int:
    """The exit code of Sphinx."""
    doctrees = Path(folder) / ".doctrees"
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(doctrees)]
    return subprocess.call([sys.executable, "-m", "sphinx", *options, str(HERE), folder])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else str(HERE / "_build")))
