"""`python -m hocket` is the `hocket` command."""

import sys

from .cli import main

sys.exit(main())
