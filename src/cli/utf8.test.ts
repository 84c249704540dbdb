import { expect, test } from "vitest";
import { printable } from "../support/utf8.js";
import { memoryIo } from "../testing/memory-io.js";
import { main as cuteLayout } from "./cute-layout.js";
import type { Io } from "./io.js";
import { main as tensorLayout } from "./triton-tensor-layout.js";
import { main as ttOpt } from "./tt-opt.js";
import { main as ttStep } from "./tt-step.js";

/** The text that a terminal shows: streams are bytes, one character each. */
async function shown(
  main: (argv: readonly string[], io: Io) => number | Promise<number>,
  argv: readonly string[],
  text = "",
): Promise<string> {
  const bytes = Buffer.from(text).toString("latin1");
  const io = memoryIo(bytes, { "ä.py": bytes, "中.mlir": bytes });
  await main(argv, io);
  return [io.out(), io.err()]
    .map((stream) => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(printable(stream), "latin1")))
    .join("");
}

test("CuTe code prints the letters that it is given, as an argument and from standard input", async () => {
  expect(await shown(cuteLayout, ["eval", 'print("中文\\n");'])).toBe("中文\n");
  expect(await shown(cuteLayout, ["eval", "--file", "-"], 'print("中文\\n");')).toBe("中文\n");
});

test("errors show letters whole, and count columns in bytes", async () => {
  expect(await shown(cuteLayout, ["eval", 'print("ä"); int 中 = 3;'])).toBe(
    `<expression>:1:18: error: unexpected character '中'\nprint("ä"); int 中 = 3;\n                ^\n`,
  );
  expect(await shown(cuteLayout, ["(4,ä)"])).toBe("<expression>:1:4: error: expected an integer or '(', found 'ä'\n(4,ä)\n   ^\n");
  expect(await shown(tensorLayout, ["-l", "#ttg.ä<{}>", "-t", "tensor<16xf16>"])).toMatch(
    /^-l:1:6: error: .*\n#ttg\.ä<\{\}>\n {5}\^\n.*#ttg\.ä<\{\}>\n$/,
  );
  expect(await shown(ttOpt, ["--allow-unregistered-dialect", "中.mlir"], 'tt.func @k() {\n  "a.中b"() ä : () -> ()\n}\n')).toMatch(
    /^中\.mlir:2:13: error: .*\n {2}"a\.中b"\(\) ä : \(\) -> \(\)\n {11}\^\n/,
  );
  expect(await shown(ttOpt, ["--ä"])).toContain("'--ä'");
  const python =
    "import triton.language as tl\nimport triton\n# tt-step: signature=*fp32\n@triton.jit\ndef k(x):\n    tl.store(x, '中', é)\n";
  expect(await shown(ttStep, ["ä.py", "--list"], python)).toBe(
    "ä.py:6:24: error: NameError('é is not defined') [python.error]\n    tl.store(x, '中', é)\n                      ^\n",
  );
  expect(await shown(ttStep, ["ä.py", "--kernel", "ü"], python)).toContain("has no kernel 'ü'");
});

test("what controls a terminal is not shown, nor what is no letter", async () => {
  const io = memoryIo("tt.func @k() {\n  \x1b[31m\xc3 \xe2\x80\xae ä\n}\n", {});
  await ttOpt([], io);
  expect(io.err()).toContain("\n  ?[31m? ? ");
});

test("names of modules and functions are UTF-8 in symbols, as LLVM escapes them", async () => {
  const bytes = (text: string): string => Buffer.from(text).toString("latin1");
  const io = memoryIo("", {
    "hälfer.py": bytes("import triton\n@triton.jit\ndef größe(x):\n    return x + 1\n"),
    "m.py": bytes(
      "import triton\nimport triton.language as tl\nfrom hälfer import größe\n@triton.jit\ndef k(p, n):\n    tl.store(p, größe(n))\n",
    ),
  });
  expect(await ttStep(["m.py", "--signature", "*i32, i32", "--print-after", "0"], io)).toBe(0);
  expect(io.out()).toContain('@"h\\C3\\A4lfer.gr\\C3\\B6\\C3\\9Fe__i32__"');
});
