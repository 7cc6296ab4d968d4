"""``python -m ptxlint``.

Python puts the current folder first on the import path; a user's folder named like one of ours
must not be imported in its place. So it goes, before anything else is imported, and the folder that
this package came from is put last in case that was the same one.
"""

import os
import sys

if not sys.flags.safe_path and sys.path and sys.path[0] in ("", os.getcwd()):
    del sys.path[0]
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from ptxlint.cli import main

main()
