import { expect, test } from "vitest";
import { translate } from "./translate.fixture.js";

/** A kernel that holds so many numbers at once. */
const holding = (count: number, attributes = "", capability = 80): string => {
  const numbers = Array.from({ length: count }, (_, i) => i);
  return translate(
    `llvm.func @f(%x: !llvm.ptr<1>) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>${attributes}} {
    ${numbers.map((i) => `%a${i} = llvm.load volatile %x : !llvm.ptr<1> -> f32`).join("\n")}
    ${numbers.map((i) => `llvm.store volatile %a${i}, %x : f32, !llvm.ptr<1>`).join("\n")}
    llvm.return
  }`,
    { capability },
  );
};

test("where a kernel needs twice the registers that there are, one CTA for each SM is enough", () => {
  // ptxas 12.8 gives each thread 32 registers otherwise, and stores all else.
  expect(holding(600)).toContain(".reqntid 128\n.minnctapersm 1\n{");
  expect(holding(400)).toContain(".reqntid 128\n{");
  expect(holding(600, ", nvvm.maxnreg = 96 : i32")).toContain(".reqntid 128\n.maxnreg 96\n{");
  expect(holding(600, "", 75)).toContain(".reqntid 128\n{");
  expect(holding(600, ", nvvm.minctasm = 2 : i32")).toContain(".reqntid 128\n.minnctapersm 2\n{");
});
