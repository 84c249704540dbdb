/** Kernels in packages: where modules are found, what is read of them, and what is said where one is not. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import type { Io } from "./io.js";
import { main } from "./tt-step.js";

const PACKAGES = "fixtures/frontend/packages";
const KERNEL = `${PACKAGES}/src/acme/kernels.py`;

const isUnder = (folder: string) => (path: string) => path.startsWith(folder === "" ? "" : `${folder}/`);
/** Runs tt-step on files in memory, and what is on disk; `reads` are the files that were there. */
async function run(argv: readonly string[], files: Readonly<Record<string, string>> = {}, env: Io["env"] = {}) {
  const io = memoryIo("", files);
  const reads: string[] = [];
  const readFile = (path: string): string => {
    const text = io.readFile(path);
    reads.push(path);
    return text;
  };
  const none = (): never => {
    throw new Error("no program is to be run");
  };
  const listFolder = (path: string): string[] => {
    if (existsSync(path)) return statSync(path).isDirectory() ? readdirSync(path) : [];
    const inside = Object.keys(files).filter(isUnder(path));
    return [...new Set(inside.map((file) => file.slice(path.length + 1).split("/")[0]!))];
  };
  const programs = { listFolder, isProgram: (path: string) => path in files, runProgram: none, withFolder: none };
  const code = await main([...argv, "--print-after", "0", "--triton-lib", "none"], { ...io, readFile, programs, env });
  const functions = [...io.out().matchAll(/tt\.func (?:public|private) @("[^"]*"|[\w.]+)/g)].map((m) => m[1]!.replaceAll('"', ""));
  return { code, err: io.err(), out: io.out(), functions, reads };
}
const HEAD = "import triton\nimport triton.language as tl\n";
const kernel = (use: string): string => `# tt-step: signature=*fp32, i32\n@triton.jit\ndef k(x, n):\n    tl.store(x, ${use})\n`;
const helper = (name: string, value: string): string => `${HEAD}@triton.jit\ndef ${name}(a):\n    return ${value}\n`;

test("a kernel in a src/ layout: re-exports, stars, namespace packages, flags of the target, names with the full module path", async () => {
  const argv = [KERNEL, "--kernel", "kernel", "--config", "1"];
  const { code, err, functions, reads } = await run([...argv, "--target", "cuda:80"]);
  expect([code, err]).toEqual([0, ""]);
  expect(functions).toEqual([
    "kernel",
    "acme.ops.scale.scaled__fp32S64S_i32__",
    "acme.ops.math.exact.root__fp32S64S__",
    "acme.ops.scale.twice____(0,)cconstexpr_1_d_0_",
    "acme.ops.math.exact.root__fp32__",
    "acme.ops.scale.twice__fp32S64S__",
  ]);
  expect(reads).not.toContain(`${PACKAGES}/tests/use.py`);
  const hopper = await run([...argv, "--target", "cuda:90"]);
  expect([hopper.out.match(/arith\.addf/g)?.length, hopper.code]).toEqual([2, 0]);
  const fast = await run(argv, {}, { ACME_FAST: "1" });
  expect(fast.functions).toContain("acme.ops.math.exact.fast__fp32S64S__");
});

test("Triton that a package hands on: where it finds Triton and the active driver, and where it is not there", async () => {
  const use = `from pack.triton_utils import tl, triton\n${kernel("n")}`;
  const importing = [
    "from importlib.util import find_spec",
    'HAS_TRITON = find_spec("triton") is not None or find_spec("other") is not None',
    "if HAS_TRITON:",
    "    try:",
    "        from triton.backends import backends",
    "        active = [x.driver for x in backends.values() if x.driver and x.driver.is_active()]",
    "        if len(active) != 1:",
    "            HAS_TRITON = False",
    "    except ImportError:",
    "        HAS_TRITON = False",
    "class Placeholder:",
    "    jit = None",
  ].join("\n");
  const utils = [
    "from pack.importing import HAS_TRITON, Placeholder",
    "if HAS_TRITON:",
    "    import triton",
    "    import triton.language as tl",
    "else:",
    "    triton = Placeholder()",
    "    tl = Placeholder()",
  ].join("\n");
  const pack = { "p/pack/__init__.py": "", "p/pack/importing.py": importing, "p/pack/triton_utils.py": utils };
  for (const files of [{}, pack])
    for (const target of ["cuda:90", "hip:gfx942"])
      expect(await run(["p/a.py", "--target", target], { "p/a.py": use, ...files })).toMatchObject({ code: 0, functions: ["k"] });
});

test("constants of numpy and torch are known, and what is not known of them is named", async () => {
  const text = (use: string) => `import numpy as np\nimport torch\n${HEAD}${kernel(use)}`;
  for (const [use, constant] of [
    ["n * np.pi", "3.14159274"],
    ["n * torch.e", "2.71828175"],
    ["-np.inf", "0xFF800000"],
    ["torch.nan", "0x7FC00000"],
  ] as const)
    expect(await run(["p/a.py"], { "p/a.py": text(use) })).toMatchObject({ code: 0, out: expect.stringContaining(constant) });
  expect((await run(["p/a.py"], { "p/a.py": text("-np.other") })).err).toContain(
    "'numpy.other' is not known: the module 'numpy' is not known",
  );
});

test("TRITON_F32_DEFAULT is the precision of dots that name none, in the environment or set by the file", async () => {
  const body = [
    "# tt-step: signature=*fp32",
    "@triton.jit",
    "def k(x):",
    "    p = x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]",
    "    tl.store(p, tl.dot(tl.load(p), tl.load(p)))",
  ].join("\n");
  const precision = async (text: string, env: Io["env"]) =>
    /tt\.dot .*?(?:inputPrecision = (\w+))? :/.exec((await run(["p/a.py"], { "p/a.py": text }, env)).out)?.[1] ?? "ieee";
  expect(await precision(HEAD + body, {})).toBe("tf32");
  expect(await precision(HEAD + body, { TRITON_F32_DEFAULT: "" })).toBe("tf32");
  expect(await precision(HEAD + body, { TRITON_F32_DEFAULT: "ieee" })).toBe("ieee");
  expect(await precision(HEAD + body, { TRITON_F32_DEFAULT: "tf32x3" })).toBe("tf32x3");
  expect(await precision(`import os\n${HEAD}os.environ["TRITON_F32_DEFAULT"] = "ieee"\n${body}`, {})).toBe("ieee");
}, 30_000);

const COMMON = { "p/a.py": `${HEAD}from q.b import f\n${kernel("f(n)")}`, "/lib/q/__init__.py": "", "/lib/q/b.py": helper("f", "a + 1") };

test.each<[string, Readonly<Record<string, string>>, Io["env"]]>([
  ["in PYTHONPATH", COMMON, { PYTHONPATH: "/x:/lib" }],
  ["in site-packages of an environment", rebase(COMMON, "/lib/", "/venv/lib/python3.12/site-packages/"), { VIRTUAL_ENV: "/venv" }],
  ["in those of conda", rebase(COMMON, "/lib/", "/conda/lib/python3.11/site-packages/"), { CONDA_PREFIX: "/conda" }],
  [
    "in those of the first python3",
    { ...rebase(COMMON, "/lib/", "/usr/lib/python3/dist-packages/"), "/usr/bin/python3": "" },
    { PATH: "/x:/usr/bin" },
  ],
  ["beside the file", rebase(COMMON, "/lib/", "p/"), {}],
  ["in the folder of the project", { ...rebase(COMMON, "/lib/", ""), "setup.py": "" }, {}],
  ["in its src folder", { ...rebase(COMMON, "/lib/", "src/"), "pyproject.toml": "" }, {}],
])("a module is found %s", async (_, files, env) => {
  expect(await run(["p/a.py"], files, env)).toMatchObject({ code: 0, err: "", functions: ["k", "q.b.f__i32__"] });
});
function rebase(files: Readonly<Record<string, string>>, from: string, to: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.startsWith(from) ? to + path.slice(from.length) : path, text]),
  );
}

test("relative imports say how deep a file is in its package, with and without __init__.py", async () => {
  const files = {
    "top/mid/sub/k.py": `${HEAD}from ..util import f\nfrom ...base import g as h\n${kernel("f(n) + h(n)")}`,
    "top/mid/util.py": `from ..base import g\n${helper("f", "g(a) + 1")}`,
    "top/base.py": helper("g", "a * 2"),
  };
  const names = ["k", "top.mid.util.f__i32__", "top.base.g__i32__"];
  expect(await run(["top/mid/sub/k.py"], files)).toMatchObject({ code: 0, err: "", functions: names });
  const inits = Object.fromEntries(["top", "top/mid", "top/mid/sub"].map((folder) => [`${folder}/__init__.py`, ""]));
  expect(await run(["top/mid/sub/k.py"], { ...files, ...inits })).toMatchObject({ code: 0, err: "", functions: names });
});

test("only what is used is read", async () => {
  const files = {
    "k.py": `${HEAD}from p import f, other\nimport p.heavy\n${kernel("f(n)")}`,
    "p/__init__.py": "from .a import f\nfrom .heavy import other\n",
    "p/a.py": helper("f", "a + 1"),
    "p/heavy.py": helper("other", "a"),
  };
  const { code, reads } = await run(["k.py"], files);
  // Whether a module is there is seen by its file; nothing of it is run.
  expect([code, reads.includes("p/a.py")]).toEqual([0, true]);
  const broken = await run(["k.py"], { ...files, "p/heavy.py": "raise SystemExit(1)\n(" });
  expect([broken.code, broken.err]).toEqual([0, ""]);
});

test("an import that fails is decided where the file is there, and the names in it are known", async () => {
  const files = {
    "k.py": `${HEAD}try:\n    from p import gone as f\nexcept ImportError:\n    from p import f\n${kernel("f(n)")}`,
    "p.py": helper("f", "a + 1"),
  };
  expect(await run(["k.py"], files)).toMatchObject({ code: 0, err: "", functions: ["k", "p.f__i32__"] });
});

test("importlib finds modules by name: the first of several that exists", async () => {
  const text = `import importlib
${HEAD}def first(name, *places):
    for place in places:
        if spec := importlib.util.find_spec(place):
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return getattr(module, name)
rsqrt = first("rsqrt", "triton.language.extra.nowhere", "triton.language.extra.libdevice")
double = importlib.import_module("helpers").double
${kernel("double(rsqrt(n.to(tl.float32)))")}`;
  const { code, err, out } = await run(["k.py"], { "k.py": text, "helpers.py": helper("double", "a * 2") });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("__nv_rsqrtf");
});

test("a module that is not found: where it was looked for, and the imports that led there", async () => {
  const files = {
    "/w/k.py": `${HEAD}from p.a import f\n${kernel("f(n)")}`,
    "/w/p/__init__.py": "",
    "/w/p/a.py": "from p.b import f\n",
    "/w/p/b.py": "import os\nfrom gone.deep import f\n",
  };
  const { code, err } = await run(["/w/k.py"], files, { PYTHONPATH: "/lib" });
  expect(code).toBe(2);
  expect(
    err,
  ).toBe(`/w/k.py:7:17: error: 'f' cannot be called in a kernel: the module 'gone.deep' is not known to tt-step [python.unsupported]
    tl.store(x, f(n))
                ^
note: looked for 'gone/deep.py' in '/w', '/lib'
/w/p/b.py:2:1: note: imported here
from gone.deep import f
^
/w/p/a.py:1:1: note: imported here
from p.b import f
^
/w/k.py:3:1: note: imported here
from p.a import f
^
`);
});

test("a syntax error in a helper's file, a name that it has not, and imports in a circle are errors at their place", async () => {
  const failing = async (files: Readonly<Record<string, string>>) =>
    (await run(["k.py"], { "k.py": `${HEAD}from p import f\n${kernel("f(n)")}`, ...files })).err.replace(
      /^(?!.*(?:error|note):).*\n/gm,
      "",
    );
  expect(
    await failing({ "p.py": "x = 1\ndef f(:\n" }),
  ).toBe(`k.py:7:17: error: 'f' cannot be called in a kernel: p.py:2: SyntaxError: invalid syntax [python.unsupported]
p.py:2:7: note: SyntaxError: invalid syntax
k.py:3:1: note: imported here
`);
  expect(
    await failing({ "p.py": "x = 1\n" }),
  ).toBe(`k.py:7:17: error: 'f' cannot be called in a kernel: cannot import name 'f' from 'p' [python.unsupported]
k.py:3:1: note: imported here
`);
  expect(await failing({ "p.py": "from q import f\n", "q.py": "from p import f\n" })).toContain("the import of 'f' leads back to itself");
});

test("decorators of repositories: an object's configurations are those of the kernel, and what is not known of them is told", async () => {
  const launch = `${HEAD}import nowhere
class Entry:
    def __init__(self, fn, configs=None):
        self.fn = fn
        if configs is not None:
            self.configs = configs
def entry(configs=None):
    return lambda fn: Entry(fn, configs)
def endless(fn):
    while not isinstance(fn, nowhere.Kernel):
        fn = fn.fn
    while True:
        pass
def builtin(fn):
    return getattr(tl.extra.libdevice, fn.__name__)
`;
  const decorated = (decorator: string) => ({
    "launch.py": launch,
    "k.py": `${HEAD}from launch import *\n@builtin\n@triton.jit\ndef rsqrt(x):\n    return x\n${kernel("rsqrt(1.0 * n)").replace("@triton", `${decorator}\n@triton`)}`,
  });
  const configs = "[triton.Config({}, num_warps=w) for w in (1, 2)]";
  for (const [decorator, expected] of [
    [`@entry(${configs})`, ""],
    [`@nowhere.tuned(configs=${configs})`, ""],
    // Python code that a kernel may do without need not end.
    [`@endless\n@entry(${configs})`, ""],
    ["@entry()", "'k' has no autotune configurations to choose from"],
    [
      "@nowhere.tuned(configs=nowhere.all())",
      "the autotune configurations of 'k' are not known: 'nowhere.all()' is not known: the module 'nowhere' is not known to tt-step",
    ],
  ] as const) {
    const { code, err, out } = await run(["k.py", "--kernel", "k", "--config", "1"], decorated(decorator));
    expect([code, err.includes(expected)]).toEqual([expected === "" ? 0 : 2, true]);
    if (code === 0) expect([err, out.includes('"__nv_rsqrtf"')]).toEqual(["", true]);
  }
  const { code, err } = await run(["k.py", "--kernel", "k"], decorated("@nowhere.tuned(configs=nowhere.all())"));
  expect([code, err]).toEqual([0, expect.stringContaining("remark: the autotune configurations of 'k' are not known")]);
});

test("a text of several lines in a kernel is dedented with it", async () => {
  const asm = (indent: string) =>
    `${indent}@triton.jit\n${indent}def k(x):\n${indent}    tl.store(x, tl.inline_asm_elementwise("""\n${indent}    mov.u32 $0, 1;\n   \n""", "=r", [], dtype=tl.int32, is_pure=True, pack=1))\n`;
  const argv = ["k.py", "--kernel", "k", "--signature", "*i32"];
  const flat = await run(argv, { "k.py": HEAD + asm("") });
  expect([flat.err, flat.out.includes('"\\0A    mov.u32 $0, 1;\\0A\\0A"')]).toEqual(["", true]);
  const nested = await run(argv, { "k.py": `${HEAD}if True:\n${asm("    ")}` });
  expect(nested.out).toBe(flat.out);
});

test("triton.runtime.jit is the module of the decorator", async () => {
  const text = `${HEAD}try:
    int_dtype = triton.runtime.jit.constexpr_function(tl.core.get_int_dtype)
except AttributeError:
    int_dtype = tl.core.get_int_dtype
${kernel("n.to(int_dtype(bitwidth=16, signed=True))")}`;
  const { code, err, out } = await run(["k.py"], { "k.py": text });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("to i16");
});
