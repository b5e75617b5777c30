"""`python -m tools.choosing`, apart from the study, as worker processes cannot import this module."""

from tools.choosing.study import main

if __name__ == "__main__":
    main()
