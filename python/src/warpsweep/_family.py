"""Kernel families written in Python: the other end of src/family/python/python.h. The user's interpreter runs this file:
`serve` answers requests (a verb and its fields, with tabs between) from descriptor 3 on descriptor 4; `worker LIBRARY ARG...`
loads the worker into this interpreter and runs it, which asks for launches, too. References are computed by another process,
which the worker's starts. Nothing but the standard library is imported until a family is loaded."""

import ast
import builtins
import concurrent.futures
import contextlib
import ctypes
import faulthandler
import hashlib
import importlib
import importlib.machinery
import importlib.util
import linecache
import math
import mmap
import numbers
import operator
import os
import re
import signal
import site
import struct
import subprocess
import sys
import sysconfig
import threading
import time
import traceback
from functools import lru_cache, reduce
from importlib import metadata
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Set, Tuple

REQUESTS, ANSWERS = 3, 4  # descriptors: PROCESS_IN and PROCESS_OUT of src/process/process.h
BUFFERS_MAX = 8
# what ml_dtypes and PyTorch call them, and NumPy, with integers for what it has not
DTYPES = {
    "u8": ("uint8", "|u1"),
    "i32": ("int32", "<i4"),
    "i64": ("int64", "<i8"),
    "f16": ("float16", "<f2"),
    "bf16": ("bfloat16", "<i2"),
    "f32": ("float32", "<f4"),
    "f64": ("float64", "<f8"),
    "e4m3": ("float8_e4m3fn", "|i1"),
    "e5m2": ("float8_e5m2", "|i1"),
}
FOREIGN = ("bf16", "e4m3", "e5m2")  # types that NumPy has no name for
ROLES = ("input", "output", "scratch")
# points that differ in these alone have the same inputs and reference
UNSHARED = ("variant", "cache", "arch")
NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
SOURCES = (".c", ".cc", ".cl", ".cpp", ".cu", ".cuh", ".h", ".hh", ".hpp", ".inl")
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
HERE = os.path.abspath(__file__)
PIECE = 1 << 17  # elements of an array of rows in one call of a reference: they stay in a cache


class Mistake(Exception):
    """The family does not say what it has to; the text says what was expected."""


class Told(Exception):
    """What went wrong in the process of references: its text is that of `explain`."""


def is_integer(dtype: str) -> bool:
    return DTYPES[dtype][0].startswith(("int", "uint"))


def bytes_of(dtype: str, shape: Tuple[int, ...]) -> int:
    return math.prod(shape) * int(DTYPES[dtype][1][-1])


# ---- Errors ----

shown: Set[str] = set()  # tracebacks that have been printed


def clean(text: str) -> str:
    """Without what a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)


def one_line(text: str) -> str:
    return clean(" ".join(str(text).split()))


def explain(error: BaseException, path: str, show: bool = True) -> str:
    """NAME.py:LINE: TYPE: TEXT, where LINE is the innermost of the user's file. `show`: the traceback goes to stderr, once."""
    if isinstance(error, Told):
        return str(error)
    line = None
    start = error.__traceback__
    while start and start.tb_frame.f_code.co_filename in (HERE, __file__):
        start = start.tb_next
    for frame, number in traceback.walk_tb(start):
        if os.path.abspath(frame.f_code.co_filename) == path:
            line = number
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    text = one_line(error.msg if isinstance(error, SyntaxError) else str(error))
    kind = "" if isinstance(error, Mistake) else type(error).__name__
    if isinstance(error, ImportError):
        text += f" (the interpreter is {sys.executable}; WARPSWEEP_PYTHON names another)"
    text = f"{os.path.basename(path)}{f':{line}' if line else ''}: {': '.join(filter(None, [kind, text]))}"
    if show and text not in shown and not isinstance(error, Mistake):
        shown.add(text)
        sys.stderr.write(clean("".join(traceback.format_exception(type(error), error, start))))
        sys.stderr.flush()
    return text


# ---- Arrays ----


def host_array(address: int, dtype: str, shape: Tuple[int, ...], raw: bool = False) -> Any:
    """A NumPy array over memory. `raw`: integers in place of types that NumPy does not have."""
    import numpy

    kind: Any = DTYPES[dtype][1]
    if dtype in FOREIGN and not raw:
        try:
            import ml_dtypes
        except ImportError:
            raise Mistake(
                f'NumPy has no {dtype}: install ml_dtypes, or set arrays = "torch"'
            ) from None
        kind = getattr(ml_dtypes, DTYPES[dtype][0])
    memory: Any = (ctypes.c_char * bytes_of(dtype, shape)).from_address(address)
    return numpy.frombuffer(memory, dtype=kind).reshape(shape)


def make_array(arrays: str, address: int, dtype: str, shape: Tuple[int, ...], stream: int) -> Any:
    """What a family's functions get of a buffer; without a stream it is memory of the host. Of bf16 and fp8, device arrays of
    others than PyTorch are integers of the same size."""
    interface = {
        "shape": shape,
        "typestr": DTYPES[dtype][1],
        "data": (address, False),
        "strides": None,
        "version": 3,
    }
    array: Any = (
        SimpleNamespace(__cuda_array_interface__=interface)
        if stream
        else host_array(address, dtype, shape, raw=arrays == "torch")
    )
    if arrays == "torch":
        import torch

        tensor = torch.as_tensor(array, device=f"cuda:{current_device()}" if stream else None)
        return tensor.view(getattr(torch, DTYPES[dtype][0])) if dtype in FOREIGN else tensor
    if arrays == "cupy" and stream:
        import cupy

        return cupy.asarray(array)
    return array


def current_device() -> int:
    """The ordinal of the device whose context is current in this thread: the worker's."""
    device = ctypes.c_int()
    if ctypes.CDLL("libcuda.so.1").cuCtxGetDevice(ctypes.byref(device)) != 0:
        raise Mistake("no device is current")
    return device.value


def imported() -> List[Any]:
    """PyTorch and CuPy, each None where no family has imported it: its state then concerns nobody."""
    return [sys.modules.get(name) for name in ("torch", "cupy")]


def use_device() -> None:
    """Make the worker's device that of PyTorch and CuPy."""
    torch, cupy = imported()
    if torch:
        torch.cuda.set_device(current_device())
    if cupy:
        cupy.cuda.Device(current_device()).use()


def cupy_stream(cupy: Any, stream: int) -> Any:
    """CuPy's name for a stream: since its release 14 by the protocol of streams, and no more by an ExternalStream."""
    make = getattr(cupy.cuda.Stream, "from_external", None)
    if make:
        return make(SimpleNamespace(__cuda_stream__=lambda: (0, stream)))
    return cupy.cuda.ExternalStream(stream)


@lru_cache(maxsize=None)
def current_streams(stream: int, torch: Any, cupy: Any) -> Callable[[], Any]:
    """Makes contexts in which the stream is that of PyTorch, with it Triton's, and of CuPy, where they are imported."""
    use_device()
    own = torch and torch.cuda.ExternalStream(stream)
    external = cupy and cupy_stream(cupy, stream)

    def enter() -> Any:
        stack = contextlib.ExitStack()
        if torch:
            stack.enter_context(torch.cuda.stream(own))
        if cupy:
            stack.enter_context(external)
        return stack

    return enter if torch or cupy else contextlib.nullcontext


# ---- What a family says ----


def read_axis(name: str, given: Any) -> Tuple[str, str]:
    """The kind of an axis, and its line for the program: name, kind, default, least, most, unit, summary, words."""
    settings = dict(given) if isinstance(given, dict) else {"default": given}
    known = {"default", "least", "most", "unit", "summary", "words"}
    if not NAME.match(str(name)) or name in ("cache", "arch", "device"):
        raise Mistake(
            f"axes: '{name}' cannot be the name of an axis; expected another in a-z, 0-9 and _"
        )
    if set(settings) - known or not ("default" in settings or "words" in settings):
        raise Mistake(
            f"axes: '{name}' has the keys {', '.join(map(str, settings)) or 'none'}; expected some of "
            f"{', '.join(sorted(known))}, with default or words"
        )
    value = settings.get("words", settings.get("default"))
    if (
        isinstance(value, (list, tuple))
        and value
        and all(
            isinstance(word, str) and word.split() == [word] and "," not in word for word in value
        )
    ):
        kind, words = "word", ",".join(value)
        value = settings["default"] if "words" in settings and "default" in settings else value[0]
        if name == "dtype" and set(words.split(",")) - set(DTYPES):
            raise Mistake(f"axes: 'dtype': expected some of {', '.join(DTYPES)}")
    elif (
        isinstance(value, int) and not isinstance(value, bool) and name not in ("variant", "dtype")
    ):
        kind, words = "count", ""
    elif isinstance(value, str) and re.match(r"[0-9]", value) and name not in ("variant", "dtype"):
        kind, words = "bytes", ""
    else:
        raise Mistake(
            f"axes: '{name}' is {value!r}; expected a list of words without spaces and commas, a whole number, "
            f'or a size like "64KiB"'
        )
    fields = [
        name,
        kind,
        value,
        settings.get("least", 1),
        settings.get("most", 1 << 44),
        settings.get("unit", ""),
        one_line(settings.get("summary", "")),
        words,
    ]
    return kind, "\t".join(str(field) for field in fields)


def read_fill(name: str, dtype: str, count: int, fill: Any) -> Tuple[str, float, float, int]:
    """Kind, low, high, modulus: see src/family/fill.h."""
    if fill is None:
        fill = ("below", 100) if is_integer(dtype) else (-1, 1)
    if fill in ("index", "permutation"):
        return fill, 0.0, 0.0, max(count, 1)
    if (
        isinstance(fill, (list, tuple))
        and len(fill) == 2
        and fill[0] == "below"
        and int(fill[1]) > 0
    ):
        return "below", 0.0, 0.0, int(fill[1])
    if (
        isinstance(fill, (list, tuple))
        and len(fill) == 2
        and not is_integer(dtype)
        and not isinstance(fill[0], str)
    ):
        return "random", float(fill[0]), float(fill[1]), 0
    raise Mistake(
        f"buffers: '{name}': the contents {fill!r} are unknown; expected (LOW, HIGH) of a float type, (\"below\", N), "
        '"index" or "permutation"'
    )


def is_amount(value: Any) -> bool:
    """Whether it is a finite number from 0."""
    return isinstance(value, numbers.Real) and math.isfinite(value) and float(value) >= 0


class Buffer:
    def __init__(self, name: str, given: Any) -> None:
        if (
            not isinstance(given, (list, tuple))
            or not 3 <= len(given) <= 4
            or given[0] not in ROLES
            or given[1] not in DTYPES
        ):
            raise Mistake(
                f"buffers: '{name}' is {given!r}; expected (ROLE, DTYPE, SHAPE) or (ROLE, DTYPE, SHAPE, CONTENTS), the role "
                f"one of {', '.join(ROLES)}, the type one of {', '.join(DTYPES)}"
            )
        shape = given[2] if isinstance(given[2], (list, tuple)) else (given[2],)
        self.name, self.role, self.dtype = name, given[0], given[1]
        try:
            self.shape = tuple(operator.index(length) for length in shape)
        except TypeError:
            raise Mistake(
                f"buffers: '{name}' has the shape {given[2]!r}; expected whole numbers"
            ) from None
        self.count = math.prod(self.shape)
        if min(self.shape, default=1) < 1:
            raise Mistake(
                f"buffers: '{name}' has the shape {self.shape}; expected at least one element"
            )
        self.fill = read_fill(name, self.dtype, self.count, given[3] if len(given) == 4 else None)


# ---- Modules that only launches need ----

DEVICE_MODULES = ("torch", "triton", "cupy")  # seconds to import
PLAIN = (type(None), bool, int, float, complex, str, bytes, FunctionType)


class Needed(Exception):
    """A stand-in does not do: the module has to be imported."""


class StandIn:
    """In place of a module of these, and of all that is in it, in a process that launches nothing. A family may build with it what
    it launches, while it is loaded. All else raises `Needed`, or another exception, and the family is loaded with the modules."""

    loading = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise Needed(name)
        return StandIn()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if not (StandIn.loading and is_plain([*arguments, *named.values()])):
            raise Needed("a call")
        return StandIn()

    def needed(self, *_: Any) -> Any:
        raise Needed("a value")

    __bool__ = __str__ = __repr__ = __format__ = __eq__ = __ne__ = __hash__ = needed


def is_plain(value: Any) -> bool:
    """Whether a call with this argument can change nothing that the family describes."""
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return is_plain([*value.keys(), *value.values()])
    return isinstance(value, (*PLAIN, StandIn))


def asks(tree: ast.AST) -> bool:
    """Whether code may ask what a module has, or go on without it: a stand-in would answer wrongly."""
    names = ("hasattr", "getattr", "dir", "vars")
    for node in ast.walk(tree):
        kind = type(node).__name__
        imports = kind == "With" and any(
            isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(node)
        )
        everything = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if kind in ("Try", "TryStar") or imports or everything or getattr(node, "id", "") in names:
            return True
    return False


# ---- The code of a family: read once, hashed, and run from these bytes. Each family has its own modules. ----

INSTALLED = tuple(
    os.path.join(os.path.realpath(folder), "")
    for folder in (
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        *site.getsitepackages(),
        site.getusersitepackages(),
    )
)


@lru_cache(maxsize=None)
def has_packages(folder: str) -> bool:
    """Whether pip has installed into the folder, which `--target` or PYTHONPATH named."""
    with contextlib.suppress(OSError):
        return any(name.endswith(".dist-info") for name in os.listdir(folder or "."))
    return False


def is_package(path: str) -> bool:
    """Whether a file is of a package that was installed, which its version stands for."""
    return (
        "/site-packages/" in path
        or "/dist-packages/" in path
        or any(
            has_packages(folder) and path.startswith(os.path.join(os.path.realpath(folder), ""))
            for folder in sys.path
        )
    )


def is_installed(path: str) -> bool:
    """Whether a file is of the interpreter or of an installed package. A module file of a cluster names such folders in
    PYTHONPATH."""
    path = os.path.realpath(path)
    return path.startswith(INSTALLED) or is_package(path)


def read_code(loader: Any, fullname: str) -> Any:
    """SourceFileLoader.get_code: code that a user edits is compiled from its source, for bytecode files go by size and time."""
    path = loader.get_filename(fullname)
    if is_installed(path):
        return read_code_or_bytecode(loader, fullname)
    with loaded.silent():
        data = loader.get_data(path)
    loaded.add_module(fullname, path, data)
    return loader.source_to_code(data, path)


read_code_or_bytecode = importlib.machinery.SourceFileLoader.get_code


class Loaded:
    """What this process reads and imports beyond the files of `Code`: lines of src/family/code/closure.h."""

    LARGEST = 64 << 20  # bytes of a file that is hashed

    def __init__(self) -> None:
        self.lines: Dict[str, str] = {}
        self.reported: Dict[str, str] = {}
        self.roots: Dict[str, str] = {}  # folders whose files are listed, and how their names begin
        self.written: Set[str] = set()  # by this process: no source of what it runs
        self.thread = threading.local()
        self.modules: Set[str] = set()  # that were looked at
        self.named: Set[str] = set()  # by import statements of a family

    @contextlib.contextmanager
    def silent(self) -> Iterator[None]:
        self.thread.busy = True
        try:
            yield
        finally:
            self.thread.busy = False

    def add_family(self, folder: str) -> None:
        """Of a paired run, names of files begin with the version's."""
        version = next(
            (name for name, of in kernel_folders() if name and same_folder(of, folder)), ""
        )
        self.roots[os.path.join(os.path.realpath(folder), "")] = version and version + "/"

    def add_module(self, name: str, path: str, data: bytes) -> None:
        parts = name.split(".")
        if os.path.basename(path) == "__init__.py":
            parts.append("__init__")
        top = os.path.realpath(path)
        for _ in parts[1:]:
            top = os.path.dirname(top)
        if len(parts) > 1:
            self.roots.setdefault(os.path.join(top, ""), parts[0] + "/")
        self.lines[f"file.{'/'.join(parts)}.py"] = hashlib.sha256(data).hexdigest()[:16]

    def name_of(self, path: str) -> str:
        """The name of a file of the user's own; else ""."""
        of = max((root for root in self.roots if path.startswith(root)), key=len, default="")
        if of or is_installed(path):
            return self.roots[of] + path[len(of) :] if of else ""
        folders = [os.path.join(os.path.realpath(folder), "") for folder in sys.path if folder]
        of = max((folder for folder in folders if path.startswith(folder)), key=len, default="")
        return os.path.basename(of[:-1]) + "/" + path[len(of) :] if of else ""

    def add_file(self, given: Any, flags: int) -> None:
        """A file is opened."""
        path = os.path.realpath(os.fsdecode(given))
        if path.endswith(".pyc") or path.startswith(("/proc/", "/sys/", "/dev/")):
            return
        if flags & os.O_ACCMODE != os.O_RDONLY:
            self.written.add(path)
        name = self.name_of(path)
        if not name or path in self.written or not os.path.isfile(path):
            return
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.sha256(file.read() if size <= self.LARGEST else b"").hexdigest()[:16]
        self.lines["file." + one_line(name)] = digest if size <= self.LARGEST else f"{size} bytes"

    def hear(self, event: str, arguments: Any) -> None:
        """The audit hook."""
        if event != "open" or getattr(self.thread, "busy", False):
            return
        path, _, flags = arguments
        if isinstance(path, (str, bytes)):
            with self.silent(), contextlib.suppress(OSError, ValueError):
                self.add_file(path, flags or 0)

    def add_versions(self) -> None:
        """Of modules that have one."""

        for name in sorted({name.partition(".")[0] for name in list(sys.modules)} - self.modules):
            self.modules.add(name)
            module = sys.modules.get(name)
            origin = getattr(module, "__file__", None) or ""
            if name not in self.named | {"numpy"} and not is_package(origin):
                continue
            version = vars(module).get("__version__") if module else None
            if version is None and name in self.named:
                version = getattr(module, "__version__", None)
            if version is None:
                try:  # Python 3.10; cupy is in cupy-cuda13x
                    packages: Dict[str, List[str]] = (
                        getattr(metadata, "packages_distributions", dict)()
                        if name in self.named
                        else {}
                    )
                    version = metadata.version(packages.get(name, [name])[0])
                except (metadata.PackageNotFoundError, ValueError):
                    continue
            self.lines[f"module.{name}"] = one_line(version)

    def news(self) -> str:
        """Lines that are new, or have another value."""
        number = ".".join(str(part) for part in sys.version_info[:3])
        self.lines["interpreter"] = f"{sys.implementation.name} {number}"
        self.lines["python"] = f"{number} {sys.executable}"
        with self.silent():
            self.add_versions()
        found = {n: v for n, v in list(self.lines.items()) if self.reported.get(n) != v}
        self.reported.update(found)
        return "".join(f"{name}\t{value}\n" for name, value in sorted(found.items()))


loaded = Loaded()


def kernel_folders() -> List[Tuple[str, str]]:
    """Versions and folders of --kernels; without versions "" and the folder."""
    lines = os.environ.get("WARPSWEEP_KERNELS", "").split("\n")
    return [
        ("", line) if line.startswith("/") or "=" not in line else (*line.split("=", 1),)  # type: ignore[misc]
        for line in lines
        if line
    ]


def same_folder(a: str, b: str) -> bool:
    return os.path.realpath(a) == os.path.realpath(b)


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Compiles the bytes that were hashed, and no bytecode file."""

    def __init__(self, name: str, path: str, code: "Code") -> None:
        super().__init__(name, path)
        self.code = code

    def get_code(self, fullname: str) -> Any:
        return compile(self.code.files[self.path], self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self.code.import_module}
        super().exec_module(module)


class Code:
    """NAME.py, and what it imports from its folder, as a package of its own name: two families, or two versions of one, may have
    helpers of one name. Helpers are NAME.py, or NAME/__init__.py and what is in that folder. Installed modules alone go before
    them, so that a kernel called `copy` hides no module."""

    def __init__(self, path: str, package: str) -> None:
        self.folder, self.package = os.path.dirname(path), package
        self.files: Dict[str, bytes] = {}
        self.modules: Dict[Tuple[str, ...], str] = {}  # files by the parts of their names
        self.own: Set[str] = set()  # names of modules, without those in packages
        self.defers = serving  # modules of DEVICE_MODULES
        self.stand_ins: Dict[str, StandIn] = {}
        self.shares = True  # no function says `global`: what points keep, they keep apart
        self.imports = False  # some of DEVICE_MODULES
        # What lies in the folder is found by these import statements, and by no path of Python's.
        sys.path[:] = [folder for folder in sys.path if not same_folder(folder, self.folder)]
        loaded.add_family(self.folder)
        self.read(path, (os.path.basename(path)[: -len(".py")],))
        digest = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            digest.update(f"{os.path.relpath(name, self.folder)} {len(data)}\n".encode() + data)
        self.hash = digest.hexdigest()[:16]
        top = ModuleType(package)
        top.__path__ = [self.folder]
        sys.modules[package] = top

    def read(self, path: str, name: Tuple[str, ...]) -> None:
        """A module, and the modules that its import statements name."""
        if name in self.modules:
            return
        self.modules[name] = path
        with loaded.silent(), open(path, "rb") as file:
            data = self.files[path] = file.read()
        tree = ast.parse(data, path)
        self.defers = self.defers and not asks(tree)
        self.shares &= not any(isinstance(node, ast.Global) for node in ast.walk(tree))
        # Triton reads the source of functions, and must see what runs. Without a time, linecache does not look at the file again.
        linecache.cache[path] = (
            len(data),
            None,
            importlib.util.decode_source(data).splitlines(True),
            path,
        )
        package = name if path.endswith("/__init__.py") else name[:-1]
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                level, module = getattr(node, "level", 0), getattr(node, "module", None)
                for alias in node.names:
                    self.read_module(
                        package[: len(package) + 1 - level] if level else (),
                        f"{module}.{alias.name}" if module else alias.name,
                    )

            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.read_source(path, node.value)

    def read_source(self, path: str, name: str) -> None:
        """A source in another language that a file names, and what that includes, where it is in the folder."""
        file = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if (
            not name.endswith(SOURCES)
            or "\0" in name
            or not file.startswith(os.path.join(os.path.normpath(self.folder), ""))
            or file in self.files
            or not os.path.isfile(file)
        ):
            return
        with loaded.silent(), open(file, "rb") as source:
            self.files[file] = source.read()
        for include in INCLUDE.findall(self.files[file]):
            self.read_source(file, os.fsdecode(include))

    def read_module(self, base: Tuple[str, ...], dotted: str) -> None:
        names = (*base, *dotted.split("."))
        self.imports |= not base and names[0] in DEVICE_MODULES
        if not base and names[0] not in self.own:
            if not self.find(names[:1]) or self.is_hidden(names[0]):
                loaded.named.add(names[0])
                return
            self.own.add(names[0])
        for end in range(1, len(names) + 1):
            path = self.find(names[:end])
            if path:
                self.read(path, names[:end])

    def is_hidden(self, name: str) -> bool:
        """Whether an installed module goes before a helper of its name."""
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:  # __main__
            return True
        origin = spec.origin if spec else None
        return origin in ("built-in", "frozen") or (origin is not None and is_installed(origin))

    def find(self, name: Tuple[str, ...]) -> str:
        """The file of a module in the folder; else ""."""
        base = os.path.join(self.folder, *name)
        return next(filter(os.path.isfile, (base + end for end in ("/__init__.py", ".py"))), "")

    def import_module(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        """What `import` does in these modules."""
        top = name.partition(".")[0]
        if self.defers and not level and top in DEVICE_MODULES and importlib.util.find_spec(top):
            stand_in = self.stand_ins.setdefault(top, StandIn())
            return reduce(getattr, name.split(".")[1:] if fromlist else [], stand_in)
        if level or top not in self.own:
            return builtins.__import__(name, globals, locals, fromlist, level)
        module = builtins.__import__(
            f"{self.package}.{name}", globals, locals, fromlist or ("*",), 0
        )
        return module if fromlist else sys.modules[f"{self.package}.{top}"]

    def undefer(self) -> bool:
        """Import what was deferred, from now on; False: nothing was. Modules of the family are to be imported again."""
        deferred, self.defers, self.stand_ins = bool(self.stand_ins), False, {}
        for name in [name for name in sys.modules if name.startswith(self.package + ".")]:
            del sys.modules[name]
        return deferred

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """One of sys.meta_path."""
        if not fullname.startswith(self.package + "."):
            return None
        name = fullname[len(self.package) + 1 :]
        file = self.modules.get(tuple(name.split(".")))
        if not file:
            raise ModuleNotFoundError(
                f"No module named {name!r} among the import statements of the family", name=fullname
            )
        folder = [os.path.dirname(file)] if file.endswith("/__init__.py") else None
        return importlib.util.spec_from_file_location(
            fullname,
            file,
            loader=SourceLoader(fullname, file, self),
            submodule_search_locations=folder,
        )


def reference_hash(tree: ast.Module) -> str:
    """Of the statements of a file that say what its inputs and outputs are: its functions for that, and what they use."""
    defined: Dict[str, List[ast.stmt]] = {}
    for statement in tree.body:
        names = [
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        for name in [statement.name] if hasattr(statement, "name") else names:
            defined.setdefault(name, []).append(statement)
    left, used = ["axes", "buffers", "reference", "row_wise", "skip", "tolerance", "work"], set()
    while left:
        name = left.pop()
        if name in used:
            continue
        used.add(name)
        left += [
            node.id
            for of in defined.get(name, [])
            for node in ast.walk(of)
            if isinstance(node, ast.Name)
        ]
    parts = [ast.dump(of) for name in sorted(used) for of in defined.get(name, [])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Family:
    """One NAME.py."""

    def __init__(self, path: str, number: int) -> None:
        self.path = path
        self.kernel = os.path.basename(path)[: -len(".py")]
        self.open: Dict[str, Any] = {}  # points between prepare and finish
        import numpy  # noqa: F401  (references are NumPy's: without it nothing runs, and the user learns it now)

        self.code = Code(path, f"warpsweep_kernel_{number}")
        self.reference_hash = reference_hash(ast.parse(self.code.files[path], path))
        sys.meta_path.insert(0, self.code)
        self.load()

    def load(self) -> None:
        """Execute the file, and read what it defines."""
        StandIn.loading = True
        try:
            self.module = importlib.import_module(f"{self.code.package}.{self.kernel}")
            self.read()
        except BaseException:
            if not self.code.undefer():
                raise
            self.load()
        finally:
            StandIn.loading = False

    def attempt(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What it returns; where it needs a module that was deferred, that is imported first."""
        try:
            return function(*arguments)
        except BaseException:
            if not self.code.undefer():
                raise
            self.load()
            return function(*arguments)

    def read(self) -> None:
        self.kinds: Dict[str, str] = {}
        self.lines: List[str] = []
        axes = getattr(self.module, "axes", None)
        if not isinstance(axes, dict):
            what = "it has no `axes`" if axes is None else f"axes is {axes!r}"
            raise Mistake(
                f"{what}; expected a dict from names to defaults (a helper's name begins with _)"
            )
        for name, given in axes.items():
            self.kinds[name], line = read_axis(name, given)
            self.lines.append(line)
        for name in ("buffers", "reference", "row_wise", "skip", "tolerance", "work"):
            if isinstance(getattr(self.module, name, None), StandIn):
                raise Needed(name)
        for name in ("buffers", "call", "reference"):
            if not callable(getattr(self.module, name, None)):
                raise Mistake(f"it has no function `{name}`")
        if getattr(self.module, "tolerance", None) is None:
            raise Mistake(
                "it has no `tolerance`; expected the relative error that is allowed, (RELATIVE, ABSOLUTE), or a function"
            )
        self.arrays = getattr(self.module, "arrays", "numpy")
        if self.arrays not in ("numpy", "torch", "cupy"):
            raise Mistake(f'arrays is {self.arrays!r}; expected "numpy", "torch" or "cupy"')
        self.row_wise = getattr(self.module, "row_wise", ())
        if not isinstance(self.row_wise, (list, tuple)):
            raise Mistake(f"row_wise is {self.row_wise!r}; expected a list of names of buffers")

    def point(self, text: str) -> Any:
        """A point from "axis=value ... host=1 capability=90 ...": axes first, from `host` on the device."""
        words = [word.partition("=")[::2] for word in text.split()]
        own = [name for name, _ in words].index("host")
        p = SimpleNamespace(
            **{
                name: int(value) if self.kinds.get(name) in ("count", "bytes") else value
                for name, value in words[:own]
            }
        )
        p.device = SimpleNamespace(**{name: int(value) for name, value in words[own:]})
        p.device.host = bool(p.device.host)
        return p

    def description(self) -> str:
        summary = (
            one_line((self.module.__doc__ or "").strip().split("\n\n")[0])
            or f"the calls of {os.path.basename(self.path)}"
        )
        return "\n".join(
            [
                f"family\t{self.kernel}\t{summary}\t{self.code.hash}\t{self.reference_hash}"
                f"\t{self.code.shares:d}\t{self.code.imports:d}"
            ]
            + ["axis\t" + line for line in self.lines]
        )

    def buffers(self, p: Any) -> List[Buffer]:
        given = self.module.buffers(p)
        if not isinstance(given, dict) or not 1 <= len(given) <= BUFFERS_MAX:
            raise Mistake(
                f"buffers returned {type(given).__name__}; expected a dict of 1 to {BUFFERS_MAX} buffers"
            )
        buffers = [Buffer(name, one) for name, one in given.items()]
        if not any(buffer.role == "output" for buffer in buffers):
            raise Mistake("buffers has no output; expected at least one to verify")
        lengths = {b.shape[0] for b in buffers if b.name in self.row_wise}
        outputs = {b.name for b in buffers if b.role == "output"}
        if self.row_wise and (len(lengths) != 1 or not outputs <= set(self.row_wise) <= set(given)):
            raise Mistake(
                f"row_wise is {self.row_wise!r}; expected the names of all outputs and of inputs with as many rows"
            )
        return buffers

    def skip(self, p: Any) -> str:
        words = self.module.axes.get("dtype")
        words = words.get("words") if isinstance(words, dict) else words
        if words and p.dtype not in words:
            return f"{self.kernel} has no dtype {p.dtype}; it has {', '.join(words)}"
        skip = getattr(self.module, "skip", None)
        reason = skip(p) if skip else None
        if reason and not isinstance(reason, str):
            raise Mistake(
                f"skip returned {reason!r}; expected None, or why the point is unsupported"
            )
        return one_line(reason or "")

    def work(self, p: Any, buffers: List[Buffer]) -> Tuple[int, ...]:
        work = {
            "read": sum(bytes_of(b.dtype, b.shape) for b in buffers if b.role == "input"),
            "written": sum(bytes_of(b.dtype, b.shape) for b in buffers if b.role == "output"),
            "flops": 0,
            "special": 0,
        }
        given = self.module.work(p) if getattr(self.module, "work", None) else {}
        if not isinstance(given, dict) or set(given) - set(work):
            raise Mistake(
                f"work returned {given!r}; expected a dict with some of {', '.join(work)}"
            )
        if not all(is_amount(value) for value in given.values()):
            raise Mistake(f"work returned {given!r}; expected numbers from 0")
        work.update({name: int(value) for name, value in given.items()})
        return tuple(work.values())

    def describe(self, text: str) -> str:
        p = self.point(text)
        reason = self.skip(p)
        if reason:
            return "skip\t" + reason
        buffers = self.buffers(p)
        lines = [
            "\t".join(str(field) for field in ("buffer", b.name, b.role, b.dtype, b.count, *b.fill))
            for b in buffers
        ]
        lines.append("work\t" + "\t".join(str(value) for value in self.work(p, buffers)))
        tolerance = (
            self.module.tolerance(p) if callable(self.module.tolerance) else self.module.tolerance
        )
        both = tolerance if isinstance(tolerance, (list, tuple)) else (tolerance, 0)
        if len(both) != 2 or not all(is_amount(value) for value in both):
            raise Mistake(
                f"tolerance is {tolerance!r}; expected a number from 0, or (RELATIVE, ABSOLUTE)"
            )
        lines.append("tolerance\t%r\t%r" % (float(both[0]), float(both[1])))
        return "\n".join(lines)

    def prepare(self, text: str) -> None:
        p = self.open[text] = self.point(text)
        if not p.device.host:
            use_device()
        if getattr(self.module, "prepare", None):
            self.module.prepare(p)

    def finish(self, text: str) -> None:
        p = self.open.pop(text, None)
        try:
            if p and getattr(self.module, "finish", None):
                self.module.finish(p)
        finally:
            if p and not p.device.host and not any(family.open for family in families):
                torch, cupy = imported()  # what they keep for later the next point's buffers need
                if torch:
                    torch.cuda.empty_cache()
                if cupy:
                    cupy.get_default_memory_pool().free_all_blocks()

    def launcher(self, text: str, addresses: List[int], stream: int) -> Callable[[], None]:
        """What a launch on these buffers runs, with as little as possible left to do in it."""
        p, call = self.open[text], self.module.call
        arrays = {
            b.name: make_array(self.arrays, address, b.dtype, b.shape, stream)
            for b, address in zip(self.buffers(p), addresses)
        }
        if not stream:
            return lambda: call(p, **arrays)
        enter = current_streams(stream, *imported())

        def launch() -> None:
            with enter():
                call(p, **arrays)

        return launch

    def reference(self, text: str, addresses: List[int], threads: int) -> None:
        """Read whole inputs and write whole outputs: floats as f64, integers in their type. Rows that do not depend on each other
        are computed a piece at a time, by all threads."""
        buffers = self.buffers(self.point(text))
        views = {
            b.name: host_array(address, b.dtype if is_integer(b.dtype) else "f64", b.shape)
            for b, address in zip(buffers, addresses)
            if b.role != "scratch"
        }
        for b in buffers:
            if b.role == "input":
                views[b.name].flags.writeable = False
        cut = [b for b in buffers if b.name in self.row_wise]
        if not cut:
            return self.compute(text, buffers, views)
        rows = cut[0].shape[0]
        step = max(1, PIECE * rows // max(b.count for b in cut))

        def piece(first: int) -> None:
            end = first + step
            some = {n: a[first:end] if n in self.row_wise else a for n, a in views.items()}
            self.compute(text, buffers, some)

        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            list(pool.map(piece, range(0, rows, step)))

    def compute(self, text: str, buffers: List[Buffer], views: Dict[str, Any]) -> None:
        import numpy

        p = self.point(text)
        for name in UNSHARED:
            if hasattr(p, name):
                delattr(p, name)
        outputs = [b for b in buffers if b.role == "output"]
        given = self.module.reference(
            p, **{b.name: views[b.name] for b in buffers if b.role == "input"}
        )
        given = [given.get(b.name) for b in outputs] if isinstance(given, dict) else given
        given = given if isinstance(given, (list, tuple)) else [given]
        if len(given) != len(outputs):
            raise Mistake(
                f"reference returned {len(given)} arrays; expected {len(outputs)}, one for each output"
            )
        for b, result in zip(outputs, given):
            if result is None:
                raise Mistake(f"reference returned nothing for '{b.name}'; expected an array")
            array = numpy.asarray(result)
            if array.shape != views[b.name].shape:
                raise Mistake(
                    f"reference returned the shape {array.shape} for '{b.name}'; expected {views[b.name].shape}"
                )
            numpy.copyto(views[b.name], array, casting="unsafe")


# ---- The process of references: what a family changes in the worker's interpreter does not reach it ----


class Referee:
    """Asks the process, which loads a family when it is asked for the first reference of it."""

    def __init__(self) -> None:
        self.process: Any = None
        self.numbers: Dict[str, int] = {}  # in the process, by the family's path
        self.lock = threading.Lock()

    def start(self) -> None:
        ours, theirs = os.pipe(), os.pipe()
        self.numbers, self.requests, self.answers = {}, ours[1], theirs[0]
        command = [sys.executable, HERE, "serve", str(ours[0]), str(theirs[1])]
        self.process = subprocess.Popen(
            command, pass_fds=(ours[0], theirs[1]), stdin=subprocess.DEVNULL
        )
        os.close(ours[0])
        os.close(theirs[1])

    def ask(self, request: str) -> str:
        try:
            send(self.requests, request.encode())
            text = receive(self.answers)
        except (EOFError, BrokenPipeError):
            code, self.process = self.process.wait(), None
            os.close(self.requests)
            os.close(self.answers)
            raise Mistake(f"the process that computes references ended with code {code}") from None
        if text[:1] == b"0":
            raise Told(text[1:].decode())
        return text[1:].decode()

    def reference(self, family: Family, request: List[str]) -> None:
        with self.lock:
            self.ask("\t".join(["compute", str(self.number(family.path)), *request]))

    def number(self, path: str) -> int:
        """Of a family in the process, which loads it at first."""
        if not self.process:
            self.start()
        if path not in self.numbers:
            self.ask(f"load\t{path}")
            self.numbers[path] = len(self.numbers)
        return self.numbers[path]


referee = Referee()


def compute(family: Family, text: str, file: str, threads: str, given: str) -> None:
    """In the process of references. The arrays are in the file: OFFSET:BYTES of each, none of scratch (whole.c)."""
    buffers = family.buffers(family.point(text))
    places = [[int(number) for number in place.split(":")] for place in given.split(" ")]
    sizes = [
        bytes_of(b.dtype if is_integer(b.dtype) else "f64", b.shape) * (b.role != "scratch")
        for b in buffers
    ]
    if [size for _, size in places] != sizes:
        raise Mistake(
            "buffers returned other buffers than in the worker; expected the same each time"
        )
    descriptor = os.open(file, os.O_RDWR)
    try:
        memory = mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    family.reference(text, [base + offset for offset, _ in places], int(threads))


def import_ahead() -> None:
    """Import what torch.compile imports for seconds when it is first called, if a family's file names it, and look up versions.
    What fails to be imported is told when it is needed."""
    files = [data for family in families for data in family.code.files.values()]
    if any(b"torch.compile" in data for data in files):
        with contextlib.suppress(Exception):
            importlib.import_module("torch._inductor.compile_fx")
    with loaded.silent():
        loaded.add_versions()


# ---- Requests ----

serving = False  # requests of another process: nothing is launched in this one
families: List[Family] = []
launchers: Dict[bytes, Callable[[], None]] = {}  # by request: the same launch comes again and again


def answer(request: bytes) -> str:
    verb, *fields = request.decode().split("\t")
    if verb == "load":
        families.append(Family(fields[0], len(families)))
        return f"number\t{len(families) - 1}\n" + families[-1].description()
    if verb == "loaded":
        return loaded.news()
    if verb == "ahead":
        import_ahead()
        return ""
    if verb == "compute":
        family = families[int(fields[0])]
        family.attempt(compute, family, *fields[1:])
        return ""
    if verb == "sources":
        code = families[int(fields[0])].code
        named = {os.path.relpath(path, code.folder): data for path, data in code.files.items()}
        return "".join(f"{name}\t{data.hex()}\n" for name, data in sorted(named.items()))
    family, point = families[int(fields[0])], fields[1]
    if verb == "describe":
        return family.attempt(family.describe, point)
    if verb == "call":
        addresses = [int(word) for word in fields[2].split()]
        launch = launchers[request] = family.launcher(point, addresses, int(fields[3]))
        launch()
    elif verb == "prepare":
        family.prepare(point)
    elif verb == "reference":
        referee.reference(family, fields[1:])
    elif verb == "finish":
        for of in [of for of in launchers if of.decode().split("\t")[1:3] == fields[:2]]:
            del launchers[of]
        family.finish(point)
    else:
        raise Mistake(f"unknown request '{verb}'")
    return ""


def end_with(parent: int) -> None:
    """End with the process that asks, also in the middle of a function. PR_SET_PDEATHSIG would end this process with a thread."""
    while os.getppid() == parent:
        time.sleep(0.1)
    os._exit(1)


def path_of(request: bytes) -> str:
    """The file of the family that a request is about."""
    fields = request.decode(errors="replace").split("\t")
    if fields[0] == "load":
        return fields[1]
    return families[int(fields[1])].path if len(fields) > 1 and families else HERE


def send(descriptor: int, data: bytes) -> None:
    data = struct.pack("<I", len(data)) + data
    while data:
        data = data[os.write(descriptor, data) :]


def receive(descriptor: int) -> bytes:
    """EOFError: the other end has closed."""

    def exactly(size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = os.read(descriptor, size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    return exactly(struct.unpack("<I", exactly(4))[0])


def serve(requests: int, answers: int) -> None:
    """Answers are "1" or "0", for an error, and the text; both ways a length goes ahead."""
    global serving
    serving = True
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        try:
            text = "1" + answer(request)
        except BaseException as error:  # SystemExit, too, costs the point and not the run
            show = request.startswith((b"load", b"compute"))  # the worker shows others
            text = "0" + explain(error, path_of(request), show)
        try:
            send(answers, text.encode(errors="replace"))
        except BrokenPipeError:  # who asked has ended
            return


def work(path: str, arguments: List[str]) -> int:
    sys.addaudithook(loaded.hear)
    # A plug-in in C beside this family finds the program's functions only among the global symbols.
    plugins = any(
        name.endswith(".so") for _, folder in kernel_folders() for name in os.listdir(folder)
    )
    # its functions run without the lock
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL if plugins else ctypes.RTLD_LOCAL)
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
    give = ctypes.PyDLL(None, handle=library._handle).python_answer
    give.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    give.restype = None

    def ask(request: bytes, to: int) -> int:
        try:
            again = launchers.get(request)
            if again:
                again()
                return 1
            text = answer(request)
            if text:
                data = text.encode(errors="replace")
                give(to, data, len(data))
            return 1
        except BaseException as error:
            data = explain(error, path_of(request)).encode(errors="replace")
            give(to, data, len(data))
            return 0

    asked = callback(ask)
    library.python_attach(asked)
    texts = [os.fsencode(text) for text in arguments]
    return int(library.main(len(texts), (ctypes.c_char_p * (len(texts) + 1))(*texts, None)))


def main() -> NoReturn:
    faulthandler.enable()  # a crash shows where Python was
    # Our own folder has modules that are not the user's.
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(HERE)]
    importlib.machinery.SourceFileLoader.get_code = read_code  # type: ignore[method-assign, assignment]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
        # what a signal does to the run is the rank's decision
        signal.signal(number, signal.SIG_IGN)
    if sys.argv[1:2] == ["worker"]:
        code = work(sys.argv[2], sys.argv[3:])
        sys.stdout.flush()
        sys.exit(code)
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    serve(*([int(word) for word in sys.argv[2:4]] or [REQUESTS, ANSWERS]))
    sys.exit(0)


if __name__ == "__main__":
    main()
