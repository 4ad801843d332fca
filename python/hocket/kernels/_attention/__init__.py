"""The attention kernels: `attention`, `attention_backward` and `attention_varlen`."""
