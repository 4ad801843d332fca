"""The tests in stand_ins/ need processes of their own: test_cuda_driver.py and test_hip_runtime.py start them."""

collect_ignore = ["stand_ins"]
