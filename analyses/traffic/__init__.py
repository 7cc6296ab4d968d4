"""What accesses cost: where the lanes of a warp go (``patterns``, ``lanewise``), what that makes a
device do (``devices``, ``costs``), as a law where something is open (``laws``), its share of the
kernel (``shares``), and changes that are counted again (``cures``)."""
