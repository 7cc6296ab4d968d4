"""Facts held against runs: the interpreter executes a kernel, and every fact must cover what it
does (2-analysis, "How a claim is tested"). A fact that a run contradicts is unsound."""
