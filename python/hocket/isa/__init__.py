"""Reads machine code: AMD's assembly text, and NVIDIA's PTX as far as it tells.

loops     text -> instructions, blocks, loops
units     instruction -> the unit that it keeps busy
waits     instructions of a loop -> what its waits wait for
counts    a loop -> instructions per stage
work      an instruction -> what it asks of a compute unit (AMD)
schedule  a loop -> clocks per trip, by a model
"""
