/** Files of torch.compile: their kernels open without a signature, with the configurations and the module that torch and Triton make. */
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { type ModuleSource, readSource } from "../library/sources.js";
import { printOperation } from "../syntax/print.js";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const FOLDER = "fixtures/inductor";
type Expected = {
  readonly configs: readonly (readonly [Readonly<Record<string, number>>, number, number])[];
  readonly ttir: string;
};
const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(
  brotliDecompressSync(readFileSync(`${FOLDER}/expected.json.br`)).toString("utf8"),
);

test.each(Object.entries(EXPECTED))("%s", async (key, { configs, ttir }) => {
  const [file, kernel] = key.split(":") as [string, string];
  const path = `${FOLDER}/${file}`;
  const io = memoryIo();
  await main([path, "--kernel", kernel, "--config", "99", "--list"], io);
  const text = ([blocks, warps, stages]: Expected["configs"][number]) =>
    [...Object.entries(blocks), ["num_warps", warps], ["num_ctas", 1], ["num_stages", stages]].map(([k, v]) => `${k}: ${v}`).join(", ");
  expect([...io.err().matchAll(/^ {2}\d+: (.*), maxnreg: None$/gm)].map((m) => m[1])).toEqual(configs.map(text));
  const source = readSource({ name: path, text: readFileSync(path, "latin1"), python: { kernel, config: 0 } });
  expect(source.kind).toBe("module");
  const { module, defaults } = source as ModuleSource;
  expect(printOperation(module).trim()).toBe(ttir.trim());
  expect(defaults).toMatchObject({ target: "cuda:90", options: { numWarps: configs[0]![1], numStages: configs[0]![2] } });
});

test("positions are those of the file that holds the kernel", async () => {
  const io = memoryIo();
  const path = `${FOLDER}/torch-2.10/pointwise.py`;
  expect(await main([path, "--config", "0", "--emit", "ttir", "--debug-info"], io)).toBe(0);
  const line =
    readFileSync(path, "utf8")
      .split("\n")
      .findIndex((l) => l.includes("tl.load(in_ptr0")) + 1;
  expect(io.out()).toContain(`pointwise.py":${line}:`);
});

test("a file with several kernels and a folder list them with the operators that were fused", async () => {
  const io = memoryIo();
  expect(await main([`${FOLDER}/torch-2.10/sum.py`], io)).toBe(2);
  expect(io.err()).toContain("has 4 kernels; choose one with --kernel:\n  triton_red_fused_max_0: aten.max\n");
  const folder = memoryIo();
  expect(await main([`${FOLDER}/torch-2.7/`], folder)).toBe(2);
  expect(folder.err()).toContain("has 11 kernels of torch.compile; choose one by its file and --kernel:\n");
  expect(folder.err()).toContain("  layernorm.py: triton_red_fused_native_layer_norm_0: aten.native_layer_norm\n");
});

test("of a file that was cut off, the kernels before the end open, with a warning", async () => {
  const text = readFileSync(`${FOLDER}/torch-2.10/sum.py`, "latin1");
  const at = text.indexOf("triton_per_fused_sum_3 = ") + 2000;
  const io = memoryIo("", { "cut.py": text.slice(0, at) });
  expect(await main(["cut.py", "--kernel", "triton_red_fused_sum_2", "--emit", "ttir"], io)).toBe(0);
  expect(io.out()).toContain("@triton_red_fused_sum_2");
  expect(io.err()).toMatch(/^cut\.py:\d+:\d+: warning: SyntaxError: unterminated triple-quoted string literal/);
});
