import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readSource } from "../../library/sources.js";

const KERNEL = "\n\n# tt-step: signature=*i32\n@triton.jit\ndef kernel(x):\n    tl.store(x, VALUE)\n";
const messageOf = (text: string): string => {
  const source = readSource({ name: "k.py", text });
  return source.kind === "error" ? (source.diagnostics[0]?.message ?? source.message ?? "") : "";
};

test("methods and functions of Python have CPython's values", () => {
  expect(messageOf(readFileSync("fixtures/frontend/host/methods.py", "latin1"))).toBe("");
});

// The texts are CPython 3.11's.
test.each([
  ['int("abc")', "invalid literal for int() with base 10: 'abc'"],
  ['int("9", 8)', "invalid literal for int() with base 8: '9'"],
  ['int("1", 50)', "int() base must be >= 2 and <= 36, or 0"],
  ["int(2.5, 10)", "int() can't convert non-string with explicit base"],
  ["[1, 2].index(3)", "3 is not in list"],
  ["(1, 2).index(3)", "tuple.index(x): x not in tuple"],
  ["[1].pop(1)", "pop index out of range"],
  ["[1].remove(2)", "list.remove(x): x not in list"],
  ['{"a": 1}.pop("b")', "'b'"],
  ['"a".index("b")', "substring not found"],
  ['"a".split("")', "empty separator"],
  ['"-".join([1])', "sequence item 0: expected str instance, int found"],
  ['sorted([1, "a"])', "'<' not supported between instances of 'str' and 'int'"],
  ['max(1, "a")', "'>' not supported between instances of 'str' and 'int'"],
  ["pow(2, 3, 0)", "pow() 3rd argument cannot be 0"],
  ['ord("ab")', "ord() expected a character, but string of length 2 found"],
  ["math.sqrt(-1)", "math domain error"],
  ["math.log(0)", "math domain error"],
  ["math.log(8, 1)", "float division by zero"],
  ["math.sin(math.inf)", "math domain error"],
  ["math.fmod(1, 0)", "math domain error"],
  ["math.pow(-8, 0.5)", "math domain error"],
  ["math.pow(10, 400)", "math range error"],
  ["math.sqrt(1, 2)", "math.sqrt() takes exactly one argument (2 given)"],
  ['int("9" * 5000)', "Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits"],
  ["math.exp(1000)", "math range error"],
  ["math.floor(math.inf)", "cannot convert float infinity to integer"],
  ["chr(-1)", "chr() arg not in range(0x110000)"],
  ['getattr(1, "a")', "'int' object has no attribute 'a'"],
])("%s is an error", (expression, message) => {
  expect(messageOf(`import math\nimport triton\nimport triton.language as tl\n\nVALUE = tl.constexpr(${expression})${KERNEL}`)).toContain(
    message,
  );
});

test("torch's types have the ranges that torch gives them", () => {
  const values = {
    "torch.finfo(torch.float16).max": 65504,
    "torch.finfo(torch.half).min": -65504,
    "torch.finfo(torch.bfloat16).max": 3.3895313892515355e38,
    "torch.finfo(torch.float32).eps": 1.1920928955078125e-7,
    "torch.finfo(torch.float8_e4m3fn).max": 448,
    "torch.finfo(torch.float8_e4m3fnuz).max": 240,
    "torch.iinfo(torch.int8).min": -128,
    "torch.iinfo(torch.uint8).max": 255,
    "torch.iinfo(torch.int64).bits": 64,
  };
  for (const [expression, value] of Object.entries(values))
    expect([
      expression,
      messageOf(
        `import torch\nimport triton\nimport triton.language as tl\n\nVALUE = tl.constexpr(int(${expression} == ${value}))${KERNEL.replace("tl.store", "tl.static_assert(VALUE == 1)\n    tl.store")}`,
      ),
    ]).toEqual([expression, ""]);
  expect(
    messageOf(`import torch\nimport triton\nimport triton.language as tl\n\nVALUE = tl.constexpr(torch.finfo(torch.qint8).max)${KERNEL}`),
  ).toContain("'torch.finfo(torch.qint8).max' is not known");
});
