"""`python -m tests.worlds`."""

import sys

from tests.worlds.machine import main

if __name__ == "__main__":  # and not in the processes that it starts
    sys.exit(main())
