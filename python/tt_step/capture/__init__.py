"""Keeps what Triton compiles while a program runs: `python -m tt_step.capture [-o DIR] [--no-gpu] train.py args`.

For each kernel there is a folder `NAME-HASH` with the stages that Triton made (`.ttir`, `.ttgir`, `.llir`, `.ptx`, `.cubin`), a copy of the
source file, and `capture.json`: file, function, signature, options, target, and the grid and arguments of the first launches.
Works with Triton 3.2 to 3.9. Nothing but the standard library is needed.
"""
import importlib.abc
import importlib.machinery
import json
import os
import re
import shutil
import sys

DEFAULT_FOLDER = "tt-step-capture"
#: Launches of a kernel that are kept.
LAUNCHES = 3

#: Variables through which `tt-step capture` reaches the program and those that it starts.
FOLDER = "TT_STEP_CAPTURE"
NO_GPU = "TT_STEP_CAPTURE_NO_GPU"


class Capture:
    """Records kernels into a folder, from `start` to `stop`. Also a context manager."""

    def __init__(self, folder=DEFAULT_FOLDER, no_gpu=None):
        self.folder = os.path.abspath(folder)
        self.no_gpu = no_gpu
        #: Folders of kernels by the hash of their compilation.
        self.kernels = {}
        self._undo = []
        self._finder = None

    def start(self):
        if "triton" in sys.modules and hasattr(sys.modules["triton"], "jit"):
            self._attach()
        else:
            self._finder = _AfterImport("triton", self._attach)
            sys.meta_path.insert(0, self._finder)
        return self

    def stop(self):
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        while self._undo:
            self._undo.pop()()

    __enter__ = start

    def __exit__(self, *_):
        self.stop()

    def _replace(self, owner, name, value):
        before = owner.__dict__.get(name, _MISSING)
        setattr(owner, name, value)
        self._undo.append(lambda: delattr(owner, name) if before is _MISSING else setattr(owner, name, before))

    def _attach(self):
        import triton
        from triton.compiler import compiler
        from triton.runtime import jit

        self._finder = None
        knobs = getattr(triton, "knobs", None)
        if hasattr(getattr(knobs, "compilation", None), "listener"):
            self._listen(knobs.compilation)
        else:
            self._watch_kernels(compiler.CompiledKernel)
        self._watch_launches(jit.JITFunction)
        if self.no_gpu is not None:
            self._without_gpu(self.no_gpu, compiler)

    def _listen(self, compilation):
        """Triton 3.4 and later report each compilation."""
        theirs = compilation.listener

        def listener(*, src, metadata, metadata_group, **more):
            self._guarded(self._compiled, src, metadata_group)
            if theirs is not None:
                theirs(src=src, metadata=metadata, metadata_group=metadata_group, **more)

        compilation.listener = listener

        def undo():
            if compilation.listener is listener:
                compilation.listener = theirs

        self._undo.append(undo)

    def _watch_kernels(self, cls):
        """Earlier ones make a CompiledKernel at the end of each."""
        init = cls.__init__

        def __init__(kernel, src, metadata_group, *rest, **named):
            init(kernel, src, metadata_group, *rest, **named)
            self._guarded(self._compiled, src, metadata_group)

        self._replace(cls, "__init__", __init__)

    def _watch_launches(self, cls):
        run = cls.run

        def recorded(fn, *args, grid, warmup, **kwargs):
            seen = []
            if callable(grid):
                compute = grid

                def grid(meta):
                    seen.append(compute(meta))
                    return seen[-1]

            elif grid is not None:
                seen.append(grid)
            kernel = run(fn, *args, grid=grid, warmup=warmup, **kwargs)
            if seen and not warmup:
                self._guarded(self._launched, fn, kernel, seen[-1], args, kwargs)
            return kernel

        self._replace(cls, "run", recorded)

    def _guarded(self, record, *args):
        """The program must not notice that something could not be kept."""
        try:
            record(*args)
        except Exception as error:
            print(f"tt-step capture: not kept: {type(error).__name__}: {error}", file=sys.stderr)

    # --- records -------------------------------------------------------------------------------

    def _compiled(self, src, metadata_group):
        metadata_path = next(path for name, path in metadata_group.items() if name.endswith(".json") and "__grp__" not in name)
        with open(metadata_path) as file:
            metadata = json.load(file)
        # IR that was compiled from a file has no function.
        if not hasattr(src, "fn") or metadata["hash"] in self.kernels:
            return
        name = metadata.get("name") or src.name
        folder = os.path.join(self.folder, f"{_file_name(name)}-{metadata['hash'][:10]}")
        os.makedirs(folder, exist_ok=True)
        for file_name, path in metadata_group.items():
            if os.path.exists(path) and "__grp__" not in file_name:
                shutil.copyfile(path, os.path.join(folder, os.path.basename(file_name)))
        record = _describe(src, name, metadata)
        if os.path.exists(record["file"]):
            shutil.copyfile(record["file"], os.path.join(folder, "source.py"))
        self.kernels[metadata["hash"]] = (folder, record)
        self._write(folder, record)

    def _launched(self, fn, kernel, grid, args, kwargs):
        kernel = kernel.result() if hasattr(kernel, "result") else kernel
        folder, record = self.kernels.get(getattr(kernel, "hash", None), (None, None))
        if record is None or len(record["launches"]) >= LAUNCHES:
            return
        names = fn.arg_names
        given = {**dict(zip(names, args)), **{k: v for k, v in kwargs.items() if k in names}}
        launch = {"grid": [int(n) for n in grid], "args": {k: _argument(v) for k, v in given.items()}}
        if launch not in record["launches"]:
            record["launches"].append(launch)
            self._write(folder, record)

    def _write(self, folder, record):
        path = os.path.join(folder, "capture.json")
        with open(path + ".tmp", "w") as file:
            json.dump(record, file, indent=1)
        os.replace(path + ".tmp", path)

    # --- without a GPU -------------------------------------------------------------------------

    def _without_gpu(self, target, compiler):
        """Kernels are compiled for a target, and not launched."""
        from triton.backends.compiler import GPUTarget
        from triton.runtime.driver import driver

        backend, _, arch = target.partition(":")
        gpu = GPUTarget(backend, int(arch) if arch.isdigit() else arch, 64 if arch.startswith("gfx9") else 32)
        before = driver.__dict__.get("_active", driver.__dict__.get("active"))
        driver.set_active(_NoGpu(gpu))
        self._undo.append(lambda: driver.set_active(before))
        kernel = compiler.CompiledKernel
        self._replace(kernel, "_init_handles", lambda kernel: None)
        self._replace(kernel, "launch_metadata", lambda kernel, *args: None)
        self._replace(kernel, "run", property(lambda kernel: lambda *args, **kwargs: None))


_MISSING = object()


class _NoGpu:
    """The driver of a GPU that is not there."""

    def __init__(self, target):
        self.target = target
        self.utils = self

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=0):
        return divmod(self.target.arch, 10) if isinstance(self.target.arch, int) else (0, 0)

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        import torch

        return torch.cuda

    def get_device_properties(self, device=0):
        return {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": self.target.warp_size,
                "sm_clock_rate": 1, "mem_clock_rate": 1, "mem_bus_width": 1}

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_benchmarker(self):
        def benchmark(call, *, quantiles=None, **_):
            call()
            return [1.0] * len(quantiles) if quantiles else 1.0

        return benchmark

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    @staticmethod
    def is_active():
        return True


class _AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Calls a function when a module has been imported."""

    def __init__(self, name, then):
        self.name, self.then, self.loader = name, then, None

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.loader is not None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self or not hasattr(finder, "find_spec") else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                self.loader, spec.loader = spec.loader, self
                return spec
        return None

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        # Others may ask the module for its loader.
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            self.then()


# --- descriptions --------------------------------------------------------------------------------

def _file_name(name):
    return re.sub(r"[^\w.-]", "_", name)[:100]


def _describe(src, name, metadata):
    fn = src.fn
    code = fn.fn.__code__
    target = metadata["target"]
    constants = getattr(src, "constants", None)
    known = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "launch_pdl", "launch_cooperative_grid", "debug")
    return {
        "version": 1,
        "triton": sys.modules["triton"].__version__,
        "name": name,
        "function": fn.fn.__qualname__.split("<locals>.")[-1],
        "module": fn.fn.__module__,
        "file": os.path.abspath(code.co_filename),
        "line": code.co_firstlineno,
        "signature": _signature(fn.arg_names, src.signature, constants or {}, getattr(src, "attrs", None)),
        "target": f"{target['backend']}:{target['arch']}",
        "options": {key: metadata[key] for key in known if key in metadata},
        "launches": [],
    }


def _signature(names, types, constants, attrs):
    """`*fp32:16, i32, 1024`, as `tt-step --signature` takes it."""
    entries = []
    for i, name in enumerate(names):
        entries.append(_entry((i,), types.get(name, types.get(i)), name, constants, _divisible(attrs)))
    return ", ".join(entries)


def _entry(path, ty, name, constants, divisible):
    for key in (path, path[0] if len(path) == 1 else None, name if len(path) == 1 else None):
        if key is not None and key in constants:
            return _constant(constants[key])
    if isinstance(ty, tuple):
        inner = [_entry((*path, k), t, name, constants, divisible) for k, t in enumerate(ty)]
        return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"
    return f"{ty}:16" if path in divisible else str(ty)


def _divisible(attrs):
    """Paths of the arguments that are multiples of 16, in the forms of several Tritons."""
    if isinstance(attrs, dict):
        return {path if isinstance(path, tuple) else (path,) for path, given in attrs.items()
                if any(key == "tt.divisibility" and by == 16 for key, by in given)}
    properties = getattr(attrs, "arg_properties", None)
    listed = properties.get("tt.divisibility", ()) if properties is not None else getattr(attrs, "divisible_by_16", ()) or ()
    return {(i,) for i in listed}


def _constant(value):
    """A Python expression for a constant."""
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else f'float("{value}")'
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (tuple, list)):
        inner = ", ".join(_constant(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if type(value).__name__ == "dtype" and hasattr(value, "primitive_bitwidth"):
        return f"tl.{_DTYPES.get(value.name, value.name)}"
    return f"({getattr(value, '__name__', str(value))})"


_DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "fp8e4nv": "float8e4nv", "fp8e5": "float8e5"}


def _argument(value):
    if hasattr(value, "data_ptr") and hasattr(value, "dtype"):
        made = {"dtype": str(value.dtype).replace("torch.", "")}
        if hasattr(value, "shape"):
            made["shape"] = [int(n) for n in value.shape]
        if callable(getattr(value, "stride", None)):
            made["strides"] = [int(n) for n in value.stride()]
        return made
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)[:200]


# --- programs ------------------------------------------------------------------------------------

def start_from_environment():
    """Starts a capture where `tt-step capture` has asked for one."""
    folder = os.environ.get(FOLDER)
    return Capture(folder, os.environ.get(NO_GPU) or None).start() if folder else None


def main(argv=None):
    import argparse
    import runpy

    parser = argparse.ArgumentParser(prog="python -m tt_step.capture", description="Runs a Python program and keeps the kernels that Triton compiles.")
    parser.add_argument("-o", "--output", default=DEFAULT_FOLDER, metavar="DIR", help="where the kernels are kept (default %(default)s)")
    parser.add_argument("--no-gpu", action="store_true", help="compile and do not launch; for machines without a GPU")
    parser.add_argument("--target", default="cuda:90", help="what --no-gpu compiles for (default %(default)s)")
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module, as with python -m")
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    given = parser.parse_args(argv)
    sys.argv = [given.program, *given.args]
    with Capture(given.output, given.target if given.no_gpu else None):
        if given.module:
            sys.path[0] = os.getcwd()
            runpy.run_module(given.program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(given.program))
            runpy.run_path(given.program, run_name="__main__")
