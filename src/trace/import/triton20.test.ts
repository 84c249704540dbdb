import { expect, test } from "vitest";
import { decodeSpecialization, specializationText, TRITON_20_PIPELINE } from "./triton20.js";

test("the suffix of a kernel's name says what was known of its arguments", () => {
  const text = (name: string) => {
    const found = decodeSpecialization(name);
    return found && specializationText(found);
  };
  expect(text("matmul_kernel_0d1d2d3d4c56c78c")).toBe(
    "matmul_kernel takes 9 arguments: 0, 1, 2, 3 divisible by 16; 4, 6, 8 folded as constants",
  );
  expect(text("softmax_0d1d2d3")).toBe("softmax takes 4 arguments: 0, 1, 2 divisible by 16");
  expect(text("k_0d1d2d3d4d5d6d7d8d9d10d11c12")).toBe(
    "k takes 13 arguments: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 divisible by 16; 11 folded as constants",
  );
  expect(text("k_01")).toBe("k takes 2 arguments");
  for (const other of ["matmul", "kernel_3d", "fn_0d2d", "zeros____0cconstexpr[16]"]) expect(text(other), other).toBeUndefined();
});

test("every pass has a flag", () => {
  expect(TRITON_20_PIPELINE.filter((step) => step.flag === undefined)).toEqual([]);
  expect(TRITON_20_PIPELINE).toHaveLength(24);
});
