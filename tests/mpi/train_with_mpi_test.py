# SPDX-License-Identifier: MIT
"""Tests train_with_mpi: any number of ranks learns the same, resumes the training of any other, and ends together.

Usage: train_with_mpi_test.py <mpirun> <train_with_mpi> <data>
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIRUN, PROGRAM, DATA = sys.argv[1:4]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
OPTIONS = ["--oversubscribe", "--bind-to", "none"]
SECONDS = 60


def run(*programs):
    """Runs one MPI job. Each of `programs` is (number of ranks, arguments)."""
    command = [MPIRUN, *OPTIONS]
    for ranks, arguments in programs:
        command += [*([":"] if len(command) > 1 + len(OPTIONS) else []), "-n", str(ranks), PROGRAM, *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=SECONDS, check=False)


class TrainWithMPI(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def train(self, ranks, epochs, name):
        """Trains, and returns the learned parameters."""
        file = self.folder / name
        result = run((ranks, ["--data", DATA, "--epochs", str(epochs), "--checkpoint", str(file)]))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("waited for input"), ranks)
        checkpoint, *parameters = file.read_text().splitlines()
        self.assertIn(f"epoch {epochs - 1} ", checkpoint)
        return [float(parameter) for parameter in parameters]

    def assert_same(self, parameters, others):
        self.assertEqual(len(parameters), len(others))
        self.assertLess(max(abs(a - b) for a, b in zip(parameters, others)), 1e-5)  # the order of the sums differs

    def test_any_number_of_ranks_learns_the_same(self):
        one = self.train(1, 2, "one")
        for ranks in (2, 4):
            self.assert_same(self.train(ranks, 2, f"with {ranks}"), one)

    def test_another_number_of_ranks_resumes_training(self):
        uninterrupted = self.train(1, 3, "uninterrupted")
        self.train(4, 1, "in parts")
        self.train(1, 2, "in parts")
        self.assert_same(self.train(2, 3, "in parts"), uninterrupted)

    def test_a_failing_rank_ends_all_ranks_with_its_message(self):
        missing = self.folder / "missing"
        arguments = ["--epochs", "2", "--data"]
        result = run((1, [*arguments, DATA]), (1, [*arguments, str(missing)]), (2, [*arguments, DATA]))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("train_with_mpi: rank 1: ", result.stderr)
        self.assertIn(str(missing), result.stderr)

    def test_a_number_of_ranks_that_does_not_divide_the_batch_is_rejected(self):
        result = run((3, ["--data", DATA]))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("3 ranks cannot share batches of 32", result.stderr)

    def test_an_interrupted_rank_ends_all_ranks_cleanly(self):
        file = self.folder / "interrupted"
        arguments = ["--data", DATA, "--epochs", "100000", "--checkpoint", str(file)]
        pipe = subprocess.PIPE
        with subprocess.Popen([MPIRUN, *OPTIONS, "-n", "2", PROGRAM, *arguments], env=ENVIRONMENT, stdout=pipe,
                              stderr=pipe, text=True) as mpi:
            deadline = time.monotonic() + SECONDS
            while not file.exists():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            ranks = subprocess.run(["pgrep", "-P", str(mpi.pid)], capture_output=True, text=True, check=True)
            os.kill(int(ranks.stdout.split()[0]), signal.SIGINT)
            output, errors = mpi.communicate(timeout=SECONDS)
            self.assertEqual(mpi.returncode, 0, errors)
            self.assertEqual(output.count("waited for input"), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
