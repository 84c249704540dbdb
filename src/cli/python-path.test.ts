import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import type { Io } from "./io.js";
import { findTriton } from "./python-path.js";
import { main } from "./tt-step.js";

/** A machine with these files, each with its text. */
function machine(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>): Io & ReturnType<typeof memoryIo> {
  const none = (): never => {
    throw new Error("no program is to be run");
  };
  const programs = {
    listFolder: (path: string) => [
      ...new Set(
        Object.keys(files)
          .filter((file) => file.startsWith(`${path}/`))
          .map((file) => file.slice(path.length + 1).split("/")[0]!),
      ),
    ],
    isProgram: (path: string) => path in files,
    runProgram: none,
    withFolder: none,
  };
  return { ...memoryIo("", files), programs, env };
}
const triton = (site: string, version: string, standard = ""): Readonly<Record<string, string>> => ({
  [`${site}/triton/__init__.py`]: `"""isort:skip_file"""\n__version__ = '${version}'\n`,
  [`${site}/triton/language/standard.py`]: standard,
});
const found = (files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) => findTriton(machine(files, env));

test("Triton is looked for where python3 would import it from", () => {
  const venv = triton("/venv/lib/python3.11/site-packages", "3.6.0");
  expect(found(venv, { VIRTUAL_ENV: "/venv" })).toEqual({ folder: "/venv/lib/python3.11/site-packages/triton", version: "3.6.0" });
  expect(found(venv, {})).toBe(undefined);
  expect(found({ ...venv, "/venv/bin/python3": "", "/usr/bin/python3": "" }, { PATH: "/nowhere:/venv/bin:/usr/bin" })?.version).toBe(
    "3.6.0",
  );
  // The first python3 counts, and an active environment before it.
  expect(found({ ...venv, "/venv/bin/python3": "", "/usr/bin/python3": "" }, { PATH: "/usr/bin:/venv/bin" })).toBe(undefined);
  expect(found({ ...venv, "/usr/bin/python3": "" }, { PATH: "/usr/bin", CONDA_PREFIX: "/venv" })?.version).toBe("3.6.0");
  const system = triton("/usr/local/lib/python3.12/dist-packages", "3.5.1");
  expect(found({ ...system, "/usr/bin/python3": "", "/usr/lib/python3.12/os.py": "" }, { PATH: "/usr/bin" })?.version).toBe("3.5.1");
  const pyenv = { ...triton("/home/me/.pyenv/versions/3.12.1/lib/python3.12/site-packages", "3.6.1"), "/home/me/.pyenv/shims/python3": "" };
  expect(found({ ...pyenv, "/home/me/.pyenv/version": "3.12.1\n" }, { PATH: "/home/me/.pyenv/shims" })?.version).toBe("3.6.1");
  expect(found(triton("/src/python", "3.6.0"), { PYTHONPATH: "/x:/src/python" })?.folder).toBe("/src/python/triton");
});

test("an editable installation is followed to its source tree", () => {
  const site = "/venv/lib/python3.12/site-packages";
  const source = triton("/src/triton/python", "3.6.0");
  const editable = (files: Readonly<Record<string, string>>) => {
    const inSite = Object.fromEntries(Object.entries(files).map(([name, content]) => [`${site}/${name}`, content]));
    return found({ ...source, ...inSite }, { VIRTUAL_ENV: "/venv" });
  };
  const at = { folder: "/src/triton/python/triton", version: "3.6.0" };
  expect(editable({ "__editable__.triton-3.6.0.pth": "/src/triton/python\n" })).toEqual(at);
  expect(editable({ "a.pth": "# a note\nimport os; os.environ\n\n/nowhere", "easy-install.pth": "/x\r\n/src/triton/python\r\n" })).toEqual(
    at,
  );
  expect(editable({ "own.pth": "mine", "mine/triton/language/core.py": "" })?.folder).toBe(`${site}/mine/triton`);
  expect(
    editable({
      "__editable__.triton-3.6.0.pth": "import __editable___triton_3_6_0_finder; __editable___triton_3_6_0_finder.install()",
      "__editable___triton_3_6_0_finder.py":
        "import sys\nMAPPING: dict[str, str] = {'other': '/o', 'triton': '/src/triton/python/triton'}\nNAMESPACES = {}\n",
    }),
  ).toEqual(at);
  expect(editable({ "broken.pth": "import __editable___gone; x\n/nowhere\n" })).toBe(undefined);
});

const STANDARD = `from ..runtime.jit import jit
from . import core

@core._tensor_member_fn
@jit
def cdiv(x, div):
    return x + div
`;
const KERNEL = `import triton
import triton.language as tl

# tt-step: signature=*i32, i32
@triton.jit
def kernel(x, n):
    tl.store(x, tl.cdiv(n, 3))
`;

test("its library functions are used if it is a 3.6; --triton-lib none takes the built-in ones", async () => {
  const run = async (version: string, ...argv: string[]) => {
    const site = "/venv/lib/python3.11/site-packages";
    const io = machine({ "kernel.py": KERNEL, ...triton(site, version, STANDARD) }, { VIRTUAL_ENV: "/venv" });
    expect(await main(["kernel.py", "--print-after", "0", "--debug-info", ...argv], io)).toBe(0);
    return { own: io.out().includes(`"${site}/triton/language/standard.py":7:`), err: io.err() };
  };
  expect(await run("3.6.0")).toEqual({ own: true, err: "" });
  expect(await run("3.6.0", "--triton-lib", "none")).toEqual({ own: false, err: "" });
  const other = await run("3.5.1");
  expect(other.own).toBe(false);
  expect(other.err).toMatch(
    /^.*remark: library functions are those of Triton 3\.6; Triton 3\.5\.1 in \/venv\/.* is used only if --triton-lib names it/,
  );
  expect((await run("")).err).toMatch(/the Triton of no known version in \/venv\/.* is used only if/);
  expect(await run("3.5.1", "--triton-lib", "none")).toEqual({ own: false, err: "" });
  expect(await run("3.5.1", "--triton-lib", "/venv/lib/python3.11/site-packages")).toEqual({ own: true, err: "" });
});

test("the version that python3 would import is followed where none is asked for; a newer one than known is reported", async () => {
  const run = async (version: string, ...argv: string[]) => {
    const site = "/venv/lib/python3.11/site-packages";
    const io = machine({ "kernel.py": KERNEL, ...triton(site, version, STANDARD) }, { VIRTUAL_ENV: "/venv" });
    expect(await main(["kernel.py", "--list", ...argv], io)).toBe(0);
    return { since: io.out().includes("canonicalize-llvm-ir") ? "3.8" : "3.6 or 3.7", err: io.err() };
  };
  expect((await run("3.8.0")).since).toBe("3.8");
  expect((await run("3.8.0", "--triton", "3.6")).since).toBe("3.6 or 3.7");
  expect((await run("3.8.0", "--triton-lib", "none")).since).toBe("3.6 or 3.7");
  expect((await run("3.9.0")).err).toContain(
    "Triton 3.9 is followed to the end of TTIR alone; it is what python3 would import, and the kernel is compiled as Triton 3.6 makes it",
  );
  expect((await run("3.10.0")).err).toContain(
    "Triton 3.10.0 is not compiled (the nearest is 3.8): 3.6 is followed whole, 3.7 and 3.8 in part, 3.9 to the end of TTIR; logs of any version can be stepped; it is what python3 would import, and the kernel is compiled as Triton 3.6 makes it",
  );
  expect((await run("3.8.0", "--target", "hip:gfx942")).err).toContain("Triton 3.8 is not followed for hip:gfx942, only 3.6; it is what");
});

test("a version in the comment above a kernel holds for the front end too", async () => {
  const text = KERNEL.replace("signature=", "triton=3.8, signature=").replace(
    "tl.store(x, tl",
    "y: tl.constexpr\n    y = 3\n    tl.store(x, tl",
  );
  const io = machine({ "kernel.py": text }, {});
  expect(await main(["kernel.py", "--print-after", "0"], io)).toBe(0);
});
