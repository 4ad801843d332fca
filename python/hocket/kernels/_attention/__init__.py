"""The attention kernels: `attention` and `attention_varlen`."""
