"""Analysis of machine code: AMD assembly, PTX and SASS.

loops     text -> instructions, basic blocks, loops
units     instruction -> the functional unit that executes it
waits     instructions of a loop -> the operations that each wait waits for
counts    loop -> instructions per stage
work      instruction -> the resources of a compute unit that it occupies (AMD)
schedule  loop -> clocks per iteration, by a performance model
"""
