"""python_device.py SCRIPT - what families in Python get on a device, with stand-ins of PyTorch and CuPy that note what they are asked for."""
import contextlib
import importlib.util
import os
import sys
import tempfile
import types

log = []


def module(name, **content):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(content)
    return sys.modules[name]


class Tensor:
    def __init__(self, array, device):
        self.memory, self.device, self.dtype = array.__cuda_array_interface__, device, None

    def view(self, dtype):
        self.dtype = dtype
        return self


@contextlib.contextmanager
def current(name, stream):
    log.append(f"{name} on {stream}")
    yield
    log.append(f"{name} off")


class CupyStream:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        log.append(f"cupy on {self.stream}")

    def __exit__(self, *error):
        log.append("cupy off")


module("torch", as_tensor=Tensor, bfloat16="bfloat16", cuda=types.SimpleNamespace(
    set_device=lambda device: log.append(f"torch device {device}"), ExternalStream=lambda stream: stream,
    stream=lambda stream: current("torch", stream), empty_cache=lambda: log.append("torch released")))
module("cupy", cuda=types.SimpleNamespace(
    Device=lambda device: types.SimpleNamespace(use=lambda: log.append(f"cupy device {device}")),
    Stream=types.SimpleNamespace(from_external=lambda given: CupyStream(given.__cuda_stream__()[1]))),
    get_default_memory_pool=lambda: types.SimpleNamespace(free_all_blocks=lambda: log.append("cupy released")))

spec = importlib.util.spec_from_file_location("_family", sys.argv[1])
family = importlib.util.module_from_spec(spec)
spec.loader.exec_module(family)
family.current_device = lambda: 3
before_14 = types.SimpleNamespace(cuda=types.SimpleNamespace(Stream=object, ExternalStream=CupyStream))
assert family.cupy_stream(before_14, 77).stream == 77

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "fused.py")
    with open(path, "w") as file:
        file.write("""
axes = {"n": 16}
tolerance = 0
arrays = "torch"
got = []
def buffers(p): return {"x": ("input", "bf16", (4, p.n)), "y": ("output", "f32", p.n)}
def prepare(p): got.append("prepared")
def call(p, x, y): got.append((x, y))
def finish(p): got.append("finished")
def reference(p, x): return x
""")
    family.answer(f"load\t{path}".encode())
point = "n=16 host=0 capability=90 multiprocessors=132 l2_bytes=1 memory_bytes=2"
family.answer(f"prepare\t0\t{point}".encode())
assert log == ["torch device 3", "cupy device 3"], log
del log[:]
first, second = (f"call\t0\t{point}\t{at} 8192\t77".encode() for at in (4096, 12288))
family.answer(first)
assert log == ["torch device 3", "cupy device 3", "torch on 77", "cupy on 77", "cupy off", "torch off"], log
del log[:]
family.launchers[first]()  # as the worker launches again
family.answer(second)
assert log == 2 * ["torch on 77", "cupy on 77", "cupy off", "torch off"], log
del log[:]
family.answer(f"finish\t0\t{point}".encode())
assert log == ["torch released", "cupy released"] and not family.launchers, log

got = family.families[0].module.got
assert got[0] == "prepared" and got[-1] == "finished" and len(got) == 5, got
assert got[1][0] is got[2][0] and got[1][0] is not got[3][0]
x, y = got[3]
assert x.memory == {"shape": (4, 16), "typestr": "<i2", "data": (12288, False), "strides": None, "version": 3}, x.memory
assert x.dtype == "bfloat16" and x.device == "cuda:3" and y.dtype is None
assert y.memory["shape"] == (16,) and y.memory["typestr"] == "<f4" and y.memory["data"] == (8192, False), y.memory
plain = family.make_array("numpy", 4096, "e4m3", (2,), 77)
assert plain.__cuda_array_interface__["typestr"] == "|i1"
