import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

/** The error that Triton 3.6, or CPython 3.11, reports for a kernel: places (`line:column`), outermost call first, and message. */
interface Said {
  readonly places: readonly string[];
  readonly message: string;
}
const FOLDER = "fixtures/frontend/wrong";
const TRITON: Readonly<Record<string, Said>> = JSON.parse(readFileSync(`${FOLDER}/triton-3.6.json`, "utf8"));

/** Where we say something else, as it is clearer. */
const CLEARER: Readonly<Record<string, string>> = {
  block_pointer_boundary: "boundary_check must list dimensions from 0 to 1, but it has 2",
  descriptor_strides: "Tensor descriptor last dim must be 1 but got int32[]",
  map_elementwise_block: "the function must return scalars, but it returns <['16'], int32>",
  matrix_operator: "AST binary operator 'MatMult' is not (currently) implemented.",
  membership: "AST comparison operator 'In' is not (currently) implemented.",
  reduction_arity: "the function must return fp32, but it returns fp32, fp32",
  reduction_type: "the function must return fp32, but it returns fp16",
  scan_arity: "the function must return fp32, but it returns fp32, fp32",
  walrus: "unsupported AST node type: NamedExpr (Triton 3.8 has it)",
  split_of_four: "split takes a block whose last dimension is 2, but its shape is [16, 4]",
};

async function say(name: string): Promise<{ readonly places: readonly string[]; readonly message: string; readonly hint: string }> {
  const path = `${FOLDER}/${name}.py`;
  const io = memoryIo();
  const code = await main([path, "--print-after", "0"], io);
  const text = io.err().replaceAll(path, `${name}.py`);
  expect([code, io.out()], text).toEqual([2, ""]);
  const places = [...text.matchAll(/^(?:(\S+)\.py|\S+):(\d+):(\d+): (error|note)/gm)].map(
    ([, file, line, column]) => `${file === name ? "" : `${file}.py:`}${line}:${column}`,
  );
  const message = /: error: ([\s\S]*?)(?: \[[\w.-]+\])?\n/.exec(text)?.[1] ?? "";
  const hint = /^note: (.*)$/m.exec(text)?.[1];
  return { places: places.reverse(), message, hint: hint ? `\n    ${hint}` : "" };
}

test("wrong kernels are told as Triton and CPython tell them", async () => {
  let sideBySide =
    "What Triton 3.6 (or CPython) says of each wrong kernel, and what we say below it, with our hint. Made by src/cli/wrong-kernels.test.ts.\n";
  const faults: string[] = [];
  for (const [name, triton] of Object.entries(TRITON)) {
    const ours = await say(name);
    const theirs = triton.message;
    sideBySide += `\n${name}\n  ${triton.places.join(" > ")}  ${theirs}\n  ${ours.places.join(" > ")}  ${ours.message === theirs ? "the same" : ours.message}${ours.hint}\n`;
    const own = (places: readonly string[]) => places.filter((p) => !p.includes(".py:")).join(" > ");
    if (own(ours.places) !== own(triton.places)) faults.push(`${name}: at ${ours.places.join(" > ")}, not ${triton.places.join(" > ")}`);
    if (ours.message !== theirs && ours.message !== CLEARER[name]) faults.push(`${name}: says '${ours.message}', not '${theirs}'`);
  }
  await expect(sideBySide).toMatchFileSnapshot(`../../${FOLDER}/side-by-side.txt`);
  expect(faults).toEqual([]);
});
