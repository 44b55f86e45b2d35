"""Runs samples by name: reads a name from each line, and prints the exit code that the sample would have."""

import contextlib
import pathlib
import runpy
import sys
import traceback


def run(file):
    try:
        runpy.run_path(str(file), run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


for line in iter(sys.stdin.readline, ""):
    folder = pathlib.Path(sys.argv[1], line.strip())
    with open(folder / "stdout", "w") as out, open(folder / "stderr", "w") as err:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(folder / "sample.py")
    print(code, flush=True)
