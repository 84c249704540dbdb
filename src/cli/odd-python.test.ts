import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const HEAD = "import triton\nimport triton.language as tl\n\n# tt-step: signature=*fp32, i32\n@triton.jit\ndef kernel(x, n):\n";
const GOOD = `${HEAD}    tl.store(x + n, 1.0)\n`;

async function run(
  text: string,
  latin1 = Buffer.from(text).toString("latin1"),
): Promise<{ readonly code: number; readonly first: string; readonly out: string }> {
  const io = memoryIo("", { "k.py": latin1 });
  const code = await main(["k.py", "--kernel", "kernel", "--print-after", "0", "--debug-info"], io);
  return { code, first: io.err().split("\n")[0]!, out: io.out() };
}

test("marks, line ends, encodings and layouts that Python takes", async () => {
  const { out } = await run(GOOD);
  expect(out).toContain('"k.py":7:17');
  for (const text of [
    `\uFEFF${GOOD}`,
    GOOD.replaceAll("\n", "\r\n"),
    GOOD.replaceAll("\n", "\r"),
    GOOD.trimEnd(),
    `${GOOD}   \n\t\n  `,
    `${GOOD}# \u00e9\n`,
    GOOD.replace("\n\n", "\n\f\n"),
    `${GOOD}async def other():\n    async with a as b:\n        await b\n`,
    `${GOOD}def other(a):\n    match a:\n        case 1:\n            pass\n`,
  ])
    expect(await run(text)).toEqual({ code: 0, first: "", out });
  const folded = GOOD.replace("(x, n)", "(x, \uFB01)").replace("x + n", "x + fi");
  expect((await run(folded)).out).toContain('loc("fi"(');
  expect((await run(GOOD.replace("(x, n)", "(x, \u00e9)").replace("x + n", "x + \u00e9"))).out).toContain('loc("\\C3\\A9"(');
  expect((await run("", `# coding: latin-1\n# \xe9\n${GOOD}`)).code).toBe(0);
});

test("a file is Python by its name, whatever it begins with, and by what follows its comments under any other name", async () => {
  const text = "# one of many comments\n\n".repeat(4000) + GOOD;
  for (const path of ["k.py", "k", "k.txt"]) {
    const io = memoryIo("", { [path]: text });
    expect([await main([path, "--print-after", "0"], io), io.err()]).toEqual([0, ""]);
  }
});

test("a string that goes on after a backslash does so whichever way its line ends", async () => {
  const { out } = await run(GOOD);
  for (const string of ['"A. \\\n  B"', "f'A {n}. \\\n  B'", 'rb"\\\n"', '"""\\\n"""'])
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = `${GOOD}def other(n):\n    return ${string}\n`.replaceAll("\n", end);
      expect(await run(text)).toEqual({ code: 0, first: "", out });
    }
});

const kernel = (body: string, before = "") => before + HEAD + body.replace(/^/gm, "    ");
const DEEP = "maximum recursion depth exceeded";

test.each([
  ["null bytes", GOOD.replace("1.0", "1\0"), "k.py:7:22: error: SyntaxError: source code string cannot contain null bytes"],
  ["Python 2", `${GOOD}print "a"\n`, "k.py:8:1: error: SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?"],
  ["tabs and spaces", kernel("if n:\n\ttl.store(x, n)").replace("\n    \t", "\n\t"), "k.py:8:1: error: TabError: inconsistent use of tabs"],
  ["match", kernel("match n:\n    case 1:\n        pass"), "k.py:7:5: error: unsupported AST node type: Match"],
  ["async for", kernel("async for i in x:\n    pass"), "k.py:7:5: error: SyntaxError: 'async for' outside async function"],
  ["an annotation in an assignment", kernel("k = n:to(tl.int32)"), "k.py:7:10: error: SyntaxError: invalid syntax"],
  ["await", kernel("a = await n"), "k.py:7:9: error: SyntaxError: 'await' outside async function"],
  ["brackets", kernel(`a = ${"(".repeat(201)}1${")".repeat(201)}`), "k.py:7:209: error: SyntaxError: too many nested parentheses"],
  [
    "blocks",
    kernel(Array.from({ length: 101 }, (_, i) => `${" ".repeat(i)}if n:`).join("\n")),
    "k.py:106:1: error: IndentationError: too many levels of indentation",
  ],
  ["a long sum", kernel(`a = ${"1 + ".repeat(20000)}1`), `error: RecursionError: ${DEEP} in 'k.py'`],
  [
    "functions that call each other without end",
    kernel(
      "tl.store(x, f(n, 0))",
      "import triton, triton.language as tl\n@triton.jit\ndef f(a, I: tl.constexpr):\n    return f(a, I + 1)\n",
    ),
    `k.py:4:12: error: RecursionError('${DEEP}')`,
  ],
  [
    "a helper that calls itself",
    kernel("a = f(1)", "import triton\n@triton.constexpr_function\ndef f(a):\n    return f(a)\n"),
    `k.py:11:9: error: ${DEEP}`,
  ],
  [
    "a helper without end",
    kernel("a = f(1)", "import triton\n@triton.constexpr_function\ndef f(a):\n    while True:\n        a += 1\n"),
    "k.py:12:9: error: Python code that runs while compiling does not end",
  ],
  ["a file without end", `while True:\n    pass\n${GOOD}`, "k.py:2:5: error: Python code that runs while compiling does not end"],
  ["more than is parsed", `${GOOD}#${" ".repeat(5_000_000)}`, "error: MemoryError: 'k.py' has 5000132 characters; at most 4194304"],
  ["a large list", kernel("a = (1,) * 100000000000"), "k.py:7:9: error: limit: more than 4194304 elements"],
  [
    "a list that doubles",
    kernel(
      "a = f()",
      "import triton\n@triton.constexpr_function\ndef f():\n    a = [1]\n    for i in range(60):\n        a = a + a\n    return len(a)\n",
    ),
    "k.py:14:9: error: limit: more than 4194304 elements",
  ],
  ["a large power", kernel("a = 9 ** 9 ** 9"), "k.py:7:9: error: the number is too large"],
])("%s", async (_, text, expected) => {
  const { code, first } = await run(text);
  expect([code, first.slice(0, expected.length)]).toEqual([2, expected]);
});
