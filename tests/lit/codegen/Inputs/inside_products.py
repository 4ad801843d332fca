"""Reads AMD assembly; prints, for each innermost loop, its lines from the first to the last matrix instruction."""

import re
import sys

for loop in re.findall(r"^\.L\w+:[^\n]*Inner Loop Header.*?^\ts_cbranch[^\n]*", sys.stdin.read(), re.S | re.M):
    inside = re.search(r"^\tv_mfma.*\tv_mfma[^\n]*", loop, re.S | re.M)
    print(inside[0] if inside else "no matrix instruction")
