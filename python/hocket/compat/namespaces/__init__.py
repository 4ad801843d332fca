"""What files take from Triton's modules, where Hocket spells it otherwise."""
