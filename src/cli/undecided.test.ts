import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const HEAD = "import triton\nimport triton.language as tl\nfrom nowhere.utils import FLAG, MODE, cfg\n";
const add = (n: number, indent = "    ") => `${indent}@triton.jit\n${indent}def h(a):\n${indent}    return a + ${n}\n`;
const kernel = (use: string) => `# tt-step: signature=*fp32, i32\n@triton.jit\ndef k(x, n):\n    tl.store(x, ${use})\n`;

async function run(
  source: string,
  ...argv: string[]
): Promise<{ readonly code: number; readonly err: string; readonly constants: string }> {
  const io = memoryIo("", {
    "k.py": HEAD + source,
    "beside.py": `from nowhere import WIDE\nif WIDE:\n    B = 1\nelse:\n    B = 2\n    from nowhere import C\nC = 1.0 if WIDE else C\n`,
  });
  const code = await main(["k.py", "--kernel", "k", "--print-after", "0", ...argv], io);
  return { code, err: io.err(), constants: [...io.out().matchAll(/constant (\S+) : f32/g)].map((m) => Number(m[1])).join() };
}

test("of two definitions that an unknown flag chooses between none is taken: a use is an error that names both", async () => {
  const source = `if FLAG:\n${add(1)}else:\n${add(2)}${kernel("h(n)")}`;
  const { code, err } = await run(source);
  expect(code).toBe(2);
  expect(
    err,
  ).toBe(`k.py:15:17: error: 'h' is not decided: the condition 'FLAG' is not known: the module 'nowhere.utils' is not known to tt-step [python.undecided]
    tl.store(x, h(n))
                ^
k.py:6:5: note: defined here where 'FLAG' is true
    def h(a):
    ^
k.py:10:5: note: defined here where 'FLAG' is false
    def h(a):
    ^
note: --define FLAG=False says what it is
`);
  // A name that the kernel does not use may stay undecided.
  expect(await run(source.replace("h(n)", "1.0"))).toMatchObject({ code: 0, constants: "1" });
});

const C = (value: string) => `X = tl.constexpr(${value})\n`;
const CHAIN = `if MODE == 'a':\n    ${C("1.0")}elif FLAG:\n    ${C("2.0")}else:\n    ${C("3.0")}${kernel("X.value")}`;

test.each([
  ["if and else", `if FLAG:\n    ${C("1.0")}else:\n    ${C("2.0")}${kernel("X.value")}`, ["FLAG=1", "1"], ["FLAG=0", "2"]],
  ["not", `if not FLAG:\n    ${C("1.0")}else:\n    ${C("2.0")}${kernel("X.value")}`, ["FLAG=True", "2"], ["FLAG=None", "1"]],
  ["a value before", `${C("1.0")}if cfg.wide():\n    ${C("2.0")}${kernel("X.value")}`, ["cfg.wide()=True", "2"], ["cfg.wide()=False", "1"]],
  ["is None", `${C("1.0")}if FLAG is None:\n    ${C("2.0")}${kernel("X.value")}`, ["FLAG=None", "2"], ["FLAG=3", "1"]],
  [
    "a conditional expression",
    `X = tl.constexpr(1.0) if FLAG else tl.constexpr(2.0)\n${kernel("X.value")}`,
    ["FLAG=0", "2"],
    ["FLAG=1", "1"],
  ],
  [
    "a function that returns early",
    `def f():\n    if FLAG:\n        return 1.0\n    return 2.0\nX = tl.constexpr(f())\n${kernel("X.value")}`,
    ["FLAG=1", "1"],
    ["FLAG=0", "2"],
  ],
  ["the name itself", `Y = FLAG\nif Y:\n    ${C("1.0")}else:\n    ${C("2.0")}${kernel("X.value")}`, ["Y=0", "2"], ["FLAG=1", "1"]],
  [
    "an import that may fail",
    `try:\n    import nowhere\n    Y = True\nexcept ImportError:\n    Y = False\nX = tl.constexpr(1.0 if Y else 2.0)\n${kernel("X.value")}`,
    ["Y=False", "2"],
    ["Y=True", "1"],
  ],
  ["a module beside", `from beside import B\nX = tl.constexpr(B * 1.0)\n${kernel("X.value")}`, ["WIDE=True", "1"], ["WIDE=False", "2"]],
  [
    "a list that one branch changes",
    `L = [1.0]\nif FLAG:\n    L.append(2.0)\nX = tl.constexpr(L[-1])\n${kernel("X.value")}`,
    ["FLAG=1", "2"],
    ["FLAG=0", "1"],
  ],
  [
    "a loop left early",
    `X = tl.constexpr(1.0)\nfor i in (1, 2):\n    if FLAG:\n        break\n    X = tl.constexpr(2.0)\n${kernel("X.value")}`,
    ["FLAG=1", "1"],
    ["FLAG=0", "2"],
  ],
  ["a condition in the kernel", kernel("1.0 if cfg.wide else 2.0"), ["cfg.wide=1", "1"], ["cfg.wide=0", "2"]],
])("%s", async (_, source, ...decided) => {
  expect(await run(source)).toMatchObject({ code: 2, constants: "" });
  for (const [define, constants] of decided) expect(await run(source, "--define", define!)).toEqual({ code: 0, err: "", constants });
});

test("a chain shows all its definitions, and is decided by as many values as it takes", async () => {
  const { err } = await run(CHAIN);
  expect(err.match(/note: .*/g)).toEqual([
    "note: it is constexpr[1.0] where 'MODE == 'a'' is true",
    "note: it is constexpr[2.0] where 'FLAG' is true",
    "note: it is constexpr[3.0] where 'FLAG' is false",
    "note: --define \"MODE='a'\" says what it is",
  ]);
  expect((await run(CHAIN, "--define", "MODE='a'")).constants).toBe("1");
  expect((await run(CHAIN, "--define", "MODE='b'", "--define", "FLAG=True")).constants).toBe("2");
  const commented = CHAIN.replace("tt-step: ", "tt-step: define=MODE='b', define=FLAG=False, ");
  expect((await run(commented)).constants).toBe("3");
  expect((await run(commented, "--define", "FLAG=True")).constants).toBe("2");
});

test("where both ways agree, or only one leads to the kernel, nothing is open", async () => {
  for (const source of [
    `if FLAG:\n    ${C("1.0")}else:\n    ${C("1.0")}`,
    `if FLAG:\n    ${C("1.0")}`,
    `def f():\n    if FLAG:\n        raise ValueError('no')\n    return 1.0\nX = tl.constexpr(f())\n`,
    `try:\n    from triton import language\nexcept ImportError:\n    language = None\n${C("1.0")}`,
  ])
    expect(await run(source + kernel("X.value"))).toEqual({ code: 0, err: "", constants: "1" });
});

test("of a known definition and one that is not known the known one is taken, and a note says so", async () => {
  const source = `if cfg.wide('3'):\n${add(1)}else:\n    from nowhere import h\n${kernel("h(n)")}`;
  const { code, err, constants } = await run(source);
  expect([code, constants]).toEqual([0, ""]);
  expect(
    err,
  ).toBe(`k.py:13:17: note: 'h' is not decided: the condition 'cfg.wide('3')' is not known: the module 'nowhere.utils' is not known to tt-step; its only known definition is taken
    tl.store(x, h(n))
                ^
k.py:6:5: note: taken: defined here where 'cfg.wide('3')' is true
    def h(a):
    ^
k.py:9:5: note: not known where 'cfg.wide('3')' is false
    from nowhere import h
    ^
note: --define "cfg.wide('3')=False" says what it is
`);
  expect((await run(source, "--define", "cfg.wide('3')=True")).err).toBe("");
  expect((await run(source, "--define", "cfg.wide('3')=False")).err).toContain("error: ");
  // The note comes before an error elsewhere in the kernel, too.
  expect((await run(source.replace("h(n)", "h(n) + h(nothing)"))).err).toMatch(/note: 'h' is not decided[\s\S]*error: .*nothing/);
});

test.each([
  ["an import that may fail", `try:\n    from nowhere import X\nexcept ImportError:\n    ${C("1.0")}`, kernel("X.value")],
  ["an attribute of a module", "import beside\n", kernel("beside.C")],
  ["a loop", `if FLAG:\n    ${C("1.0")}else:\n    X = MODE\n`, kernel("X.value").replace("    tl", "    for _ in range(n):\n        tl")],
])("it is taken of %s, with one note", async (_, source, use) => {
  const { err, constants } = await run(source + use);
  expect([constants, err.match(/its only known definition is taken/g)?.length]).toEqual(["1", 1]);
});

test("a kernel that is the only known definition among others is compiled", async () => {
  const source = `if FLAG:\n${kernel("1.0").replace(/^/gm, "    ")}\nelse:\n    from nowhere import k\n`;
  const { err, constants } = await run(source);
  expect([constants, err.split("\n")[0]]).toEqual(["1", expect.stringMatching(/^k.py:7:5: note: 'k' is not decided: .* taken$/)]);
});

test.each([
  ["an object", "class Stand:\n    def jit(self, fn):\n        return fn\n", "Stand()", "Stand()"],
  ["nothing", "", "None", "None"],
  ["what is not known", "from nowhere import Stand\n", "Stand()", "Stand().language"],
])("%s that takes the place of Triton where it is not installed is no choice for a kernel", async (_, head, triton, language) => {
  const either = `${head}if FLAG:\n    import triton\n    import triton.language as tl\nelse:\n    triton = ${triton}\n    tl = ${language}\n`;
  expect(await run(either + kernel("1.0"))).toEqual({ code: 0, err: "", constants: "1" });
});

test("two modules are a choice, even if one is Triton's", async () => {
  const source = `if FLAG:\n    import triton.language as lib\nelse:\n    import beside as lib\n`;
  expect((await run(source + kernel("lib.cdiv(n, 2)"))).err).toMatch(/error: .* is not decided: the condition 'FLAG' is not known/);
});

test.each([
  ["version.parse(triton.__version__) >= version.parse('3.0.0')", true],
  ["version.parse(metadata.version('triton')) < version.Version('3.6')", false],
  ["version.parse('3.6') == version.parse('3.6.0') != version.parse('3.6.0.post1')", true],
  ["version.parse('3.6.0.dev1') < version.parse('3.6.0a2') < version.parse('3.6.0rc1') < version.parse('v3.6')", true],
  ["version.parse('3.6+git1') > version.parse('3.6') and version.parse('1!0') > version.parse('9')", true],
  ["(version.parse('3.6').major, version.parse('3.6').micro) == (3, 0)", true],
  ["tuple(map(int, triton.__version__.split('.')[:2])) >= (3, 7)", false],
])("a test of Triton's version is decided: %s", async (test, holds) => {
  const source = `from packaging import version\nfrom importlib import metadata\nX = tl.constexpr(1.0 if ${test} else 2.0)\n`;
  expect(await run(source + kernel("X.value"))).toEqual({ code: 0, err: "", constants: holds ? "1" : "2" });
});

test("versions of other packages are not known; --define takes what is asked for", async () => {
  const source = `import torch\nfrom packaging import version\nX = tl.constexpr(1.0) if version.parse(torch.__version__) >= version.parse('2.4') else tl.constexpr(2.0)\n`;
  const { code, err } = await run(source + kernel("X.value"));
  expect([code, err.trimEnd().split("\n").at(-1)]).toEqual([2, `note: --define "torch.__version__='2.4'" says what it is`]);
  expect((await run(source + kernel("X.value"), "--define", "torch.__version__='2.10'")).constants).toBe("1");
});

test("a kernel of two definitions is refused, whichever is asked for", async () => {
  const source = `if FLAG:\n${kernel("1.0").replace(/^/gm, "    ")}\nelse:\n${kernel("2.0").replace(/^/gm, "    ")}\n`;
  expect((await run(source)).err).toMatch(/^k.py:7:5: error: 'k' is not decided:/);
  expect((await run(source, "--define", "FLAG=False")).constants).toBe("2");
});

test("--define takes names that the file has, and literals", async () => {
  const told = async (...argv: string[]) => (await run(kernel("1.0"), ...argv)).err;
  expect(await told("--define", "FLG=1")).toBe("error: --define: 'k.py' mentions no 'FLG'; did you mean 'FLAG'? [python.define]\n");
  expect(await told("--define", "FLAG=yes")).toBe(
    `error: --define: 'yes' is no Python literal; a string has quotes: '"yes"' [python.define]\n`,
  );
  expect(await told("--define", "FLAG")).toBe("error: --define: expects NAME=VALUE, as FLAG=False, not 'FLAG' [python.define]\n");
  for (const value of ["-1", "(1, 'a')", "{'a': [1.5]}", "None"]) expect(await told("--define", `FLAG=${value}`)).toBe("");
});

test("many conditions are no more than their number", async () => {
  const many = Array.from({ length: 3000 }, (_, i) => `if FLAG:\n    A${i} = 1\nelse:\n    A${i} = 2\n`).join("");
  const deep = Array.from({ length: 60 }, (_, i) => `${" ".repeat(i)}if FLAG:\n${" ".repeat(i + 1)}B = ${i}\n`).join("");
  expect((await run(many + deep + kernel("1.0"))).constants).toBe("1");
});
