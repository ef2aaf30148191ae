#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program, sends it SIGINT after its first line of output, and exits with its status."""

import signal
import subprocess
import sys


def main():
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE) as program:
        first_line = program.stdout.readline()
        program.send_signal(signal.SIGINT)
        rest, _ = program.communicate()
    sys.stdout.buffer.write(first_line + rest)
    sys.stdout.flush()
    # A program that was killed by a signal has no exit status, so this reports the signal and exits with status 1.
    return program.returncode if program.returncode >= 0 else f"killed by signal {-program.returncode}"


if __name__ == "__main__":
    sys.exit(main())
