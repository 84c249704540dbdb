"""Step through the Triton GPU compiler, pass by pass. Nothing but the standard library and Node is needed; Triton need not be installed."""
import html
import inspect
import json
import os
import subprocess

from .capture import DEFAULT_FOLDER, Capture
from .commands import command

__all__ = ["Error", "Page", "capture", "open", "trace"]


class Error(Exception):
    """An input that cannot be compiled; the message is that of the command."""


class Page:
    """What the compiler does to a kernel, as one page of HTML. A notebook shows it."""

    def __init__(self, text):
        self.html = text

    def save(self, path):
        """Writes the page to a file."""
        with _open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self):
        # A frame of its own: the page has styles and scripts for a whole document.
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width: 100%; height: 760px; border: 1px solid #8886" title="tt-step"></iframe>'


_open = open


def open(kernel, signature=None, /, **options):
    """The page of a kernel, compiled pass by pass.

    kernel: a path (Python, TTIR, TTGIR, a dump, a captured folder), or a function under `@triton.jit`.
    signature: types with what values are multiples of, and constants, as `*fp16:16, i32, 128`; without it the file or a guess says.
    options: those of the command `tt-step`, with underscores: `target="cuda:90"`, `num_warps=8`, `guess=True`; `kernel="add"` for one of a file. Raises `Error`.
    """
    with _Folder() as folder:
        path = os.path.join(folder, "page.html")
        _tt_step(kernel, signature, {**options, "export": path})
        with _open(path, encoding="utf-8") as file:
            return Page(file.read())


def trace(kernel, signature=None, /, **options):
    """All steps of a compilation as a dict, as `tt-step --json` writes it. The arguments are those of `open`."""
    return json.loads(_tt_step(kernel, signature, {**options, "json": True}))


def capture(folder=DEFAULT_FOLDER, no_gpu=None):
    """A context in which everything that Triton compiles is kept in a folder. no_gpu: a target as `cuda:90`, to compile and not launch."""
    return Capture(folder, no_gpu)


def _Folder():
    import tempfile

    return tempfile.TemporaryDirectory(prefix="tt-step-")


def _tt_step(kernel, signature, options):
    path, name = _source(kernel)
    if name is not None:
        options.setdefault("kernel", name)
    if signature is not None:
        options["signature"] = signature
    words = [word for key, value in options.items() for word in _option(key, value)]
    made = subprocess.run([*command("tt-step"), path, *words], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if made.returncode != 0:
        raise Error(made.stderr.strip() or f"tt-step ended with {made.returncode}")
    return made.stdout


def _option(key, value):
    flag = f"--{key.replace('_', '-')}"
    if value is True:
        return [flag]
    if value is False:
        return [f"--no-{flag[2:]}"]
    if isinstance(value, (list, tuple)):
        return [word for one in value for word in (flag, str(one))]
    return [] if value is None else [flag, str(value)]


def _source(kernel):
    """A file and the kernel in it. Functions of autotuners and heuristics are in what they wrap."""
    if isinstance(kernel, (str, os.PathLike)):
        return os.fspath(kernel), None
    function = kernel
    while not inspect.isfunction(function) and hasattr(function, "fn"):
        function = function.fn
    if not inspect.isfunction(function):
        raise Error(f"expects a file or a function under @triton.jit, not {type(kernel).__name__}")
    path = inspect.getsourcefile(function)
    if path is None or not os.path.exists(path):
        raise Error(f"'{function.__name__}' is in no file; write its cell to one, as with %%writefile")
    # A kernel of a class is named by both.
    return path, function.__qualname__.split("<locals>.")[-1]
