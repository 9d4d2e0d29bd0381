"""Runs python/tests/spark_cluster_test.py in a Python that has Spark: FRACTILE_SPARK_PYTHON, or the one that `./dev test -L spark` made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
PYTHON = os.environ.get("FRACTILE_SPARK_PYTHON") or str(HOUSE / "build/deps/spark/bin/python")

if not shutil.which(PYTHON) or not shutil.which("java"):
    print("Spark is not here: ./dev test -L spark fetches it")
    sys.exit(0)
sys.exit(subprocess.run([PYTHON, "-B", "-m", "pytest", HOUSE / "python/tests/spark_cluster_test.py"], check=False, cwd=HOUSE).returncode)
