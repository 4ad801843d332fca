"""The tests in stub_gpu/ need a process of their own, which test_on_stub_gpu.py starts."""

collect_ignore = ["stub_gpu"]
