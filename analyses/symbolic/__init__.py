"""Proofs for every launch: words as polynomials over what the launch decides (``words``), what
holds where a thread stands (``premises``, ``rounds``), whether one inequality follows from others
(``entailment``, ``solver``), and proofs and needs made of all that (``proofs``)."""
