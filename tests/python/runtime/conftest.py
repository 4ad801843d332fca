"""The tests in these folders need processes of their own: test_on_stub_gpu.py and test_on_stand_in_hip.py."""

collect_ignore = ["stand_in_hip", "stub_gpu"]
