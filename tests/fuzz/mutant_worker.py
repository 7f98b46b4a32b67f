"""mutant_worker.py WORKER ARGUMENT... - stands in for warpsweep-worker in fuzz_files.py: starts the true one and, if WARPSWEEP_PIPE_SEED is
set, changes messages that this sends to its rank (u32 length, u32 type, payload). Framing stays right; changes are told on stderr.
WARPSWEEP_PIPE_COUNT names a file that counts the workers of a run: each has other changes."""
import os
import random
import signal
import struct
import subprocess
import sys

PROCESS_IN, PROCESS_OUT = 3, 4
SURE = 3  # to open its device and to measure its peaks a worker has minutes: these messages come
INTEGERS = [0, 1, 2, 255, 1000, 64 << 20, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1]
REALS = [0.0, -1.0, 1.0, 1e300, -1e300, 5e-324, 1e-9, float("nan"), float("inf"), float("-inf"), 1e19]


def change_number(dice, payload):
    at, wide = dice.randrange(len(payload)) & (~3 if dice.random() < 0.8 else ~0), dice.choice((4, 8))
    value = struct.pack("<d", dice.choice(REALS)) if wide == 8 and dice.random() < 0.5 else struct.pack("<Q", dice.choice(INTEGERS))[:wide]
    print(f"bytes {at} to {at + wide} become {value.hex()}", end="; ", file=sys.stderr)
    return (payload[:at] + value + payload[at + wide:])[:len(payload)]


def change_length(dice, payload):
    at, count = dice.randrange(len(payload)), dice.randint(1, 40)
    print(f"{count} bytes less at {at}, or more", file=sys.stderr)
    return payload[:at] + payload[at + count:] if dice.random() < 0.5 else payload + dice.randbytes(4 * count)


def changed(dice, kind, payload, sure):
    """What is sent in the place of a message: messages."""
    what = dice.randrange(3 if sure else 0, 10)
    print(f"mutant: a message of type {kind}, {len(payload)} bytes: case {what}", end=" ", file=sys.stderr)
    if what < 2:  # left out, or sent twice
        return [(kind, payload)] * (2 * what)
    if what == 2:
        return [(kind + dice.randint(-8, 8) & 0xffffffff, payload)]
    if what == 3:
        return [(kind, change_length(dice, payload) if payload else payload)]
    for _ in range(dice.randint(1, 3) if payload else 0):
        payload = change_number(dice, payload)
    return [(kind, payload)]


def relay(source, seed):
    dice, number = random.Random(seed), 0
    rare = dice.randint(4, 64)
    while len(header := source.read(8)) == 8:
        length, kind = struct.unpack("<II", header)
        payload = source.read(length)
        number += 1
        change = dice.random() < 1 / (40 if number == 1 else rare)
        for kind, content in changed(dice, kind, payload, number <= SURE) if change else [(kind, payload)]:
            data = struct.pack("<II", len(content), kind) + content
            while data:
                data = data[os.write(PROCESS_OUT, data):]


def main():
    seed, count = os.environ.get("WARPSWEEP_PIPE_SEED"), os.environ.get("WARPSWEEP_PIPE_COUNT")
    if not seed:
        os.execv(sys.argv[1], sys.argv[1:])
    with open(count, "ab") as file:
        file.write(b".")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the rank is gone
    source, sink = os.pipe()
    os.set_inheritable(PROCESS_IN, True)
    if os.fork() == 0:
        os.dup2(sink, PROCESS_OUT)
        os.set_inheritable(PROCESS_OUT, True)
        os.execv(sys.argv[1], sys.argv[1:])
    os.close(PROCESS_IN)
    os.close(sink)
    relay(os.fdopen(source, "rb"), int(seed) * 64 + os.path.getsize(count))


main()
