"""Compile-time values that differ from run to run."""

import os
import pathlib
import random
import time

import numpy as np
from cases import mistake


@mistake()
def random_number():
    result = random.random()


@mistake()
def numpy_random_number():
    result = np.random.rand()


@mistake()
def time_of_compilation():
    result = time.time()


@mistake()
def environment_variable():
    result = os.environ["SCALE"]


@mistake()
def file_read():
    result = pathlib.Path("f").read_text()
