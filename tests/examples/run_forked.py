"""Run example programs in processes forked from one that has imported httpx already.

    python run_forked.py < lines of {"folder": …, "request": …} > lines of {"code": …, "answer": …}

Each program still reads, writes and ends as a process of its own; only the import of httpx, most of what a start
costs, is done once for all.
"""

import json
import os
import runpy
import sys
import tempfile

import httpx  # noqa: F401 - imported for the forks


def become(folder, request, answer):
    os.chdir(folder)
    sys.path[0] = folder
    for standard, file in enumerate((request, answer)):
        file.seek(0)
        os.dup2(file.fileno(), standard)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as a start would
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    runpy.run_path("main.py", run_name="__main__")


def run(folder, request):
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as answer:
        given.write(request.encode())
        child = os.fork()
        if child == 0:
            code = 1
            try:
                become(folder, given, answer)
                code = 0
            except SystemExit as end:
                code = end.code or 0
            finally:
                sys.stdout.flush()
                os._exit(code)
        _pid, status = os.waitpid(child, 0)
        answer.seek(0)
        return {"code": os.waitstatus_to_exitcode(status), "answer": answer.read().decode()}


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(**json.loads(line))) + "\n")
        sys.stdout.flush()
