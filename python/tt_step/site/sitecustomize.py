"""Read by Python at its start when `tt-step capture` runs a program: starts the capture, then the environment's own sitecustomize."""
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _here]
_self = sys.modules.pop("sitecustomize")

import importlib.util

_spec = importlib.util.spec_from_file_location("_tt_step_capture", os.path.join(os.path.dirname(_here), "capture", "__init__.py"))
_capture = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_capture)
_capture.start_from_environment()

try:
    import sitecustomize
except ModuleNotFoundError as error:
    if error.name != "sitecustomize":
        raise
finally:
    # Python looks for the module that it has imported.
    sys.modules.setdefault("sitecustomize", _self)
