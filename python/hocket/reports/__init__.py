"""Reports on compiled kernels: data, text and dictionaries. `hocket.pictures` shows the reports in Jupyter.

code             the instructions of the hottest loops
schedule         the stages of loops with warp_pipeline="auto"
synchronization  waits, fences and barriers, and the reason for each
"""
