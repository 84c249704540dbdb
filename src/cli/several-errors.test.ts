import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

/** The lines of a kernel at which errors are reported, and the message of the first. */
async function told(source: string): Promise<readonly string[]> {
  const text = `import triton\nimport triton.language as tl\n${source}`;
  const io = memoryIo("", { "kernel.py": text });
  expect(await main(["kernel.py", "--kernel", "kernel", "--print-after", "0"], io)).toBe(2);
  return [...io.err().matchAll(/^kernel\.py:(\d+):\d+: (?:error: (.*) \[|note: (.*))/gm)].map(
    ([, line, error, note]) => `${text.split("\n")[Number(line) - 1]!.trim()} | ${error ?? note}`,
  );
}
const HEAD = "# tt-step: signature=*fp32, i32\n@triton.jit\ndef kernel(x, n):\n";

test("what uses a value that an error has left without one is no error of its own", async () => {
  const source = `${HEAD}
    a = tl.load(x + foo)
    b = a + 1
    for i in range(n):
        c = tl.arange(0, 3) + i
        b += c
    tl.store(x + c, b)
    d = tl.arange(0, 4) + tl.arange(0, 8)
    if n > 3:
        e = 1
        a = d
    else:
        e = 1.0
        tl.store(n, 1.0)
    tl.store(x, e)
    a = 1.0
    tl.store(x, a + bar)
`;
  expect(await told(source)).toEqual([
    "a = tl.load(x + foo) | NameError('foo is not defined')",
    "c = tl.arange(0, 3) + i | arange's range must be a power of 2",
    "d = tl.arange(0, 4) + tl.arange(0, 8) | ValueError('Cannot make_shape_compatible: incompatible dimensions at index 0: 4 and 8')",
    "tl.store(n, 1.0) | Unsupported ptr type triton.language.int32 in `tl.store`",
    "tl.store(x, a + bar) | NameError('bar is not defined')",
  ]);
});

test("a function is looked at once, whoever calls it; a place and a missing name are told once", async () => {
  const source = `
@triton.jit
def helper(a):
    tl.store(a, 1.0)
    tl.sum(tl.arange(0, 4), 3)
    return missing

${HEAD}
    for i in tl.static_range(3):
        tl.store(x + i, helper(n + i))
    tl.store(x, helper(n))
    tl.store(x, helper(1.0))
    tl.store(x, missing)
    tl.store(x, other)
`;
  expect(await told(source)).toEqual([
    "tl.store(a, 1.0) | Unsupported ptr type triton.language.int32 in `tl.store`",
    "tl.store(x + i, helper(n + i)) | called from 'kernel'",
    "tl.sum(tl.arange(0, 4), 3) | called from 'helper'",
    "tl.store(x + i, helper(n + i)) | called from 'kernel'",
    "return missing | NameError('missing is not defined')",
    "tl.store(x + i, helper(n + i)) | called from 'kernel'",
    "tl.store(x, other) | NameError('other is not defined')",
  ]);
});

test("names that have no value regain one, also within loops and branches", async () => {
  const source = `${HEAD}
    a = missing
    for i in range(n):
        a = tl.load(x + i)
        tl.store(x, a)
    if n > 3:
        a = 1.0
    else:
        a = 2.0
    while n > 4:
        n = n - 1
        a += 1.0
    tl.store(x, a)
    tl.store(x, wrong)
`;
  expect(await told(source)).toEqual([
    "a = missing | NameError('missing is not defined')",
    "tl.store(x, wrong) | NameError('wrong is not defined')",
  ]);
});

test("after a static_assert that does not hold nothing is looked at", async () => {
  expect(await told(`${HEAD}\n    tl.static_assert(n.dtype == tl.int64)\n    tl.store(n, 1.0)\n`)).toEqual([
    "tl.static_assert(n.dtype == tl.int64) | the assertion does not hold: n.dtype == tl.int64",
  ]);
});

test("twenty errors are told", async () => {
  const statements = Array.from({ length: 30 }, (_, i) => `    tl.store(x, name${i})\n`).join("");
  expect(await told(HEAD + statements)).toHaveLength(20);
});

test("syntax errors of several statements", async () => {
  const source = `
@triton.jit
def kernel(x, n):
    y = = 3
    if n = 3:
        z = 4 4
    elif n > 3
        q = (1,
          2 3)
    else
        pass
    for i in range(n)
        break
    break
    return 3

f(x, x=1, x=2)
`;
  expect(await told(source)).toEqual([
    "y = = 3 | SyntaxError: invalid syntax",
    "if n = 3: | SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
    "z = 4 4 | SyntaxError: invalid syntax",
    "elif n > 3 | SyntaxError: expected ':'",
    "2 3) | SyntaxError: invalid syntax. Perhaps you forgot a comma?",
    "else | SyntaxError: expected ':'",
    "for i in range(n) | SyntaxError: expected ':'",
    "break | SyntaxError: 'break' outside loop",
    "f(x, x=1, x=2) | SyntaxError: keyword argument repeated: x",
  ]);
  // Where an open bracket ends is not known.
  expect(await told("\nf(x,\ny = = 3\n")).toEqual(["f(x, | SyntaxError: '(' was never closed"]);
});
