"""Choose what to make: see the package."""

import argparse

from publish import reading, slides

COPIES = {"reading": reading.build, "slides": slides.build}


def main():
    """Make one copy, and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m publish")
    parser.add_argument("copy", choices=COPIES)
    print("Open", COPIES[parser.parse_args().copy]())


if __name__ == "__main__":
    main()
