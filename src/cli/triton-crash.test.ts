/** Where real Triton ends by a signal, or with an error of its own making, tt-step goes on, and says so. `fixtures/triton-crash` has probes with what real Triton did. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main as ttOpt } from "./tt-opt.js";
import { main } from "./tt-step.js";

const FOLDER = "fixtures/triton-crash";

test.each(readdirSync(FOLDER))("%s", async (name) => {
  const text = readFileSync(`${FOLDER}/${name}`, "utf8");
  const [, pass, result] = /^\/\/ Real Triton 3\.6\.0 with --(\S+): (crash|passes)$/m.exec(text)!;
  const io = memoryIo("", { [name]: text });
  expect(await ttOpt([name, `--${pass}`], io)).toBe(0);
  expect([...io.err().matchAll(/note: .* real Triton ends here, in (\S+):/g)].map((m) => m[1])).toEqual(result === "crash" ? [pass] : []);
});

test("tt-step notes it once, and the Trace has it as a remark", async () => {
  const ttir = readFileSync(`${FOLDER}/divsi-of-constants-by-0.mlir`, "utf8").replace(/^module .*$/m, "module {");
  const io = memoryIo("", { "k.ttir": ttir });
  expect(await main(["k.ttir", "--json"], io)).toBe(0);
  expect(io.err()).toMatch(/^k\.ttir:7:10: note: 'arith.divsi': real Triton ends here, in tritongpu-coalesce: .*\n.*\n.*\n$/);
  const { steps } = JSON.parse(io.out()) as { steps: { flag: string; remarks?: { code: string }[] }[] };
  const told = steps.flatMap(({ flag, remarks = [] }) => remarks.filter(({ code }) => code === "triton.crash").map(() => flag));
  expect(told).toEqual(["tritongpu-coalesce"]);
  const explained = memoryIo("", {});
  expect(await main(["--explain", "triton.crash"], explained)).toBe(0);
  expect(explained.out()).toContain("by a signal");
});
