"""Runs the `hocket` command for `python -m hocket`."""

import sys

from .cli import main

sys.exit(main())
