"""Runs commands of the package, and pytest, for warm_python.c: each in a child that is forked from here, where what they import is imported.

Started by the first of them. Ends when nobody has come for a while, and when a source of the package has changed. A child refuses what
would be imported from other folders."""
import contextlib
import gc
import importlib
import os
import pathlib
import runpy
import select
import signal
import socket
import struct
import sys
import traceback

NOT_TAKEN, IDLE = 0x10000, 60  # as in warm_python.c; seconds
REFUSED = 254  # a child's exit code, which no command has
SYSTEM = "/usr/bin/python3"
INHERITED = "OPENBLAS_NUM_THREADS", "PYTHONHOME", "PYTHONUTF8"  # what imports depend on, beside the path


def places(environment):
    return list(dict.fromkeys(environment.get("PYTHONPATH", "").split(":")))


def sources(folder):
    return sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*.py"))


def request(connection):
    """The three descriptors, the folder, the arguments and the environment."""
    head, fds, _, _ = socket.recv_fds(connection, 4, 3)
    with connection.makefile("rb") as stream:
        folder, count, *rest = stream.read(*struct.unpack("=I", head)).decode("utf-8", "surrogateescape").split("\0")[:-1]
    words, pairs = rest[:int(count)], rest[int(count):]
    return fds, folder, words, dict(pair.partition("=")[::2] for pair in pairs)


def run(connection, started_with):
    """The script that the program gives to an interpreter, with everything around it as it is there."""
    fds, folder, words, environment = request(connection)
    if places(environment) != places(started_with) or any(environment.get(name) != started_with.get(name) for name in INHERITED):
        return REFUSED
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, closefd=False)
        for number, mode, errors in ((0, "r", "surrogateescape"), (1, "w", "surrogateescape"), (2, "w", "backslashreplace")))
    sys.stderr.reconfigure(line_buffering=True)
    sys.argv, code = [words[1], *words[3:]], 0
    try:
        if words[1] == "-m":
            runpy.run_module(words[2], run_name="__main__", alter_sys=True)
        else:
            exec(compile(words[2], "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as error:
        code = error.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def child(connection, started_with):
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = 1
    try:
        code = run(connection, started_with)
    finally:
        os._exit(code)


def serve(listener, started_with, folder):
    children, woken, before = {}, socket.socketpair(), sources(folder)
    for end in woken:
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken[1].fileno())
    chosen = select.poll()
    chosen.register(listener, select.POLLIN)
    chosen.register(woken[0], select.POLLIN)
    while (ready := dict(chosen.poll(IDLE * 1000))) or children:
        with contextlib.suppress(BlockingIOError):
            woken[0].recv(4096)
        while children and (ended := os.waitpid(-1, os.WNOHANG))[0]:
            connection = children.pop(ended[0])
            status = NOT_TAKEN if ended[1] == REFUSED << 8 else ended[1]
            with contextlib.suppress(OSError):
                connection.sendall(struct.pack("=i", status))
            chosen.unregister(connection)
            connection.close()
        for pid, connection in children.items():
            if connection.fileno() in ready:  # who has died takes the command along
                os.kill(pid, signal.SIGKILL)
        if listener.fileno() in ready:
            if sources(folder) != before:
                chosen.unregister(listener)
                listener.close()  # who waits is told by that; those that run end as they would
                continue
            connection, _ = listener.accept()
            pid = os.fork()
            if pid == 0:
                child(connection, started_with)
            children[pid] = connection
            chosen.register(connection, 0)  # its end


def main():
    started_with = dict(os.environ)
    before, name = (os.environ.pop(of, None) for of in ("WARM_LISTENER", "WARM_SOCKET"))
    listener = socket.socket(fileno=int(before)) if before else socket.socket(socket.AF_UNIX)
    try:
        if not before:
            listener.bind(f"\0{name}")
            listener.listen(64)
    except OSError:
        return  # another one was faster
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # a test may wait for their end
        os.dup2(nothing, descriptor)
    folder = pathlib.Path(started_with["PYTHONPATH"].partition(":")[0], "warpsweep")
    sys.path[:] = [place for place in sys.path if place not in ("", os.path.dirname(__file__))]
    program = importlib.import_module("warpsweep.__main__")
    try:
        for module in {command.run.partition(".")[0] for command in program.COMMANDS.values()}:
            importlib.import_module(f"warpsweep.{module}")
    except ImportError:  # that of the system may have the packages, as for the program
        if before or not os.access(SYSTEM, os.X_OK):
            return
        os.set_inheritable(listener.fileno(), True)
        os.execve(SYSTEM, [SYSTEM, __file__], {**started_with, "WARM_LISTENER": str(listener.fileno())})
    for module in ("pytest", "_pytest.assertion.rewrite", "scipy.stats"):  # tests need them
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    program.packages.hold_texts_plainly()
    time_model = importlib.import_module("warpsweep.time_model")
    for stem in sorted({stem for stems in time_model.BASELINE.values() for stem in stems}):
        for device in ("h100", "h200"):  # what predictions of one device take from the other
            time_model._reference(f"{device}-{stem}")
    gc.collect()
    gc.freeze()
    serve(listener, started_with, folder)


main()
