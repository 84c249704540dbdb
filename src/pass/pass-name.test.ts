import { expect, test } from "vitest";
import { noPassCalled, passCalled } from "./pass-name.js";

const FLAGS = ["cse", "tritongpu-coalesce", "tritongpu-coalesce-async-copy", "triton-loop-unroll", "allocate-shared-memory-nv", "cse"];

test.each([
  ["cse", "cse"],
  ["coalesce", "tritongpu-coalesce"],
  ["tritongpu-coalesce", "tritongpu-coalesce"],
  ["loop-unroll", "triton-loop-unroll"],
  ["shared-memory", "allocate-shared-memory-nv"],
  ["tritongpu", undefined],
  ["coal", undefined],
  ["", undefined],
])("'%s' is %s", (name, flag) => {
  expect(passCalled(name, FLAGS)).toBe(flag);
});

test("a name that is none, or several, is answered with those that are near", () => {
  expect(noPassCalled("coalesc", FLAGS)).toBe("there is no pass 'coalesc' here; did you mean 'coalesce'?");
  expect(noPassCalled("tritongpu", FLAGS)).toBe("'tritongpu' may be each of tritongpu-coalesce, tritongpu-coalesce-async-copy");
});
