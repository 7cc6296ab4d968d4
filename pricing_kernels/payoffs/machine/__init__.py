"""The thesis's virtual machine: programs of three zones, and the compiler from payoffs to them."""
