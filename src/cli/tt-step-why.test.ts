import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

async function why(text: string, value: string, ...argv: string[]): Promise<string> {
  const io = memoryIo("", { "k.ttir": text });
  await main(["k.ttir", "--why", value, "--at", "1", "--stop-after", "triton-rewrite-tensor-pointer", ...argv], io);
  return io.out() + io.err();
}
const fixture = (name: string) => readFileSync(`fixtures/kernels/${name}`, "latin1");

test("before there are layouts, an access is as wide as addresses and mask let it be", async () => {
  const text = fixture("vecadd_any_n.ttir");
  expect(await why(text, "%9")).toContain(
    "%9 (tt.load) has no layout yet; addresses and mask let it read 32 bits at once in each thread, 1 element of 32 bits: its mask %6 is the same only for single elements",
  );
  expect(await why(fixture("vecadd.ttir"), "%9")).toContain("let it read 128 bits at once in each thread, 4 elements of 32 bits\n");
});

test("no tensor of the kernels is said to be smaller than it is", async () => {
  for (const name of readdirSync("fixtures/kernels").filter((f) => /^(?:matmul|softmax|layernorm)\.ttir$/.test(f))) {
    const text = fixture(name);
    for (const value of ["%2", "%7", "%12", "%20"]) expect(await why(text, value)).not.toContain("the tensor has only");
  }
});

test("what AxisInfo does not see of constants is not said of the numbers", async () => {
  const text = `tt.func public @k(%p: !tt.ptr<f32>) {
  %c = arith.constant dense<[[0, 1, 2, 3]]> : tensor<1x4xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<1x4x!tt.ptr<f32>>
  %q = tt.addptr %b, %c : tensor<1x4x!tt.ptr<f32>>, tensor<1x4xi32>
  %v = tt.load %q : tensor<1x4x!tt.ptr<f32>>
  tt.store %q, %v : tensor<1x4x!tt.ptr<f32>>
  tt.return
}
`;
  const told = await why(text, "%cst");
  expect(told).toContain("the numbers themselves, by the definition: contiguity = [1, 4]");
  expect(told).toContain(
    "contiguity along dimension 1 is 1 for AxisInfo, which does not see the numbers: AxisInfo does not look into %cst, a constant of several numbers",
  );
});
