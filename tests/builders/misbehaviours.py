"""What programs may do instead of answering well: source that runs after `request` is read and `good` is set."""

import json

from tests.builders.programs import READ, RESULTS

GOOD = '{"protocol_version": 1, "ok": true, "result": %s}'
# Each of these gives an answer that is none.
AGAINST_THE_PROTOCOL = {
    "prints logs to stdout": 'print("starting"); print(good)',
    "prints two objects": "print(good); print(good)",
    "prints nothing": "",
    "prints a truncated answer and exits 0": "sys.stdout.write(good[:-3])",
    "exits 1 after a good answer": "print(good); sys.stdout.flush(); sys.exit(1)",
    "is killed after a good answer": "print(good); sys.stdout.flush(); os.kill(os.getpid(), 9)",
    "answers invalid UTF-8": 'sys.stdout.buffer.write(good.encode() + b"\\xff")',
    "answers NaN": 'print(\'{"protocol_version": 1, "ok": true, "result": NaN}\')',
    "answers deep JSON": 'print(\'{"protocol_version": 1, "ok": true, "result": \' + "[" * 99999 + "]" * 99999 + "}")',
    "raises": "raise SystemError",
}
FLOOD_STDOUT = "while True: sys.stdout.write('x' * 65536)"
FLOOD_STDERR = "sys.stderr.write('x' * 8 * 1024 * 1024); print(good)"
SLEEP = "time.sleep(60)"
ESCAPE = """
import subprocess
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', {marker!r}], start_new_session=True)
print(good)
"""
# What has to bound it is the limit on tasks; where there is none it stops by itself, well above that limit.
FORK_BOMB = """
import mmap
forked = mmap.mmap(-1, 4)
def more():
    count = int.from_bytes(forked[:4], "little")
    forked[:4] = (count + 1).to_bytes(4, "little")
    return count < 2000
try:
    while more():
        if os.fork() == 0:
            os.setsid()
            while True:
                try: more() and os.fork()
                except OSError: time.sleep(0.01)
                else: time.sleep(0.001)
except OSError: pass
print(good)
"""
WRITE_OUTSIDE = """
for place in ({package!r}, '/etc', '/usr/lib', '/'):
    try: open(place + '/poco-was-here', 'w')
    except OSError: continue
    raise SystemExit(place)
print(good)
"""


def misbehaving(operation: str, source: str) -> str:
    """Return a program that knows the right answer to that operation and does `source` with it."""
    return f"{READ}good = {GOOD % json.dumps(RESULTS[operation])!r}\n{source}\n"
