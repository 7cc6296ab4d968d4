"""From syntax to SSA form: names are looked up and operands split (``names``, ``operands``),
instructions get their meanings (``lower``), calls are followed into (``inline``), cells of memory
become names (``promote``) and names are defined once (``ssa``). ``assemble`` does all of it."""
