import { describe, expect, test } from "vitest";
import { Context } from "../../ir/context.js";
import { typeText } from "../../ir/text-hook.js";
import "../../syntax/print.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { floatRepr, mangleType, pyEquals, pyRepr, pyStr, sameType, stringRepr, typeName, typeRepr } from "./python-text.js";
import {
  BFLOAT16,
  blockType,
  constexprType,
  descriptorIrType,
  FLOAT8E4B15,
  FLOAT8E4NV,
  FLOAT32,
  INT1,
  INT8,
  INT32,
  intDtype,
  pointerType,
  toIr,
  tupleType,
  UINT8,
  UINT32,
  VOID,
} from "./types.js";
import { constexpr, pythonTuple, tuple } from "./values.js";

describe("types", () => {
  const pointer = pointerType(FLOAT32);
  const block = blockType(pointer, [16, 8]);
  test("print as Python's str and repr", () => {
    expect([FLOAT32, BFLOAT16, pointer, block, pointerType(INT8, 1, true)].map(typeName)).toEqual([
      "fp32",
      "bf16",
      "pointer<fp32>",
      "<['16', '8'], pointer<fp32>>",
      "const_pointer<int8>",
    ]);
    expect([FLOAT32, BFLOAT16, UINT32, FLOAT8E4NV, pointer].map(typeRepr)).toEqual([
      "triton.language.float32",
      "triton.language.bfloat16",
      "triton.language.uint32",
      "triton.language.float8e4nv",
      "pointer<fp32>",
    ]);
  });
  test("are mangled", () => {
    const all = [INT1, INT32, UINT8, FLOAT32, VOID, pointer, block, tupleType([INT32, pointer]), constexprType(3n)];
    expect(all.map(mangleType)).toEqual(["u1", "i32", "u8", "fp32", "V", "Pfp32", "Pfp32S16_8S", "Ti32_Pfp32T", "constexpr_type[3]"]);
  });
  test("are the same when they say the same", () => {
    expect(blockType(FLOAT32, [4])).toBe(blockType(FLOAT32, [4]));
    expect(pointerType(FLOAT32)).not.toBe(pointerType(FLOAT32, 1, true));
    expect(sameType(tupleType([INT32]), tupleType([INT32]))).toBe(true);
    expect(sameType(tupleType([INT32], ["a"]), tupleType([INT32]))).toBe(false);
    expect(sameType(constexprType(1n), constexprType(1))).toBe(true);
    expect(sameType(constexprType(1n), constexprType("1"))).toBe(false);
  });
  test("refuse what Triton refuses", () => {
    expect(() => blockType(FLOAT32, [3])).toThrow("Shape element 0 must be a power of 2");
    expect(() => blockType(FLOAT32, [])).toThrow("0d block_type is forbidden");
    expect(() => blockType(FLOAT32, [2048, 1024])).toThrow("numel (2097152) exceeds triton maximum tensor numel (1048576)");
    expect(() => intDtype(24, true)).toThrow("Unsupported bitwidth 24 and signedness True");
  });
  test("in the IR", () => {
    const ctx = new Context(ALL_DIALECTS);
    const fp8 = { supportedFp8Dtypes: ["fp8e4b15", "fp8e5"] };
    expect(typeText(toIr(ctx, block, fp8))).toBe("tensor<16x8x!tt.ptr<f32>>");
    expect(typeText(toIr(ctx, FLOAT8E4B15, fp8))).toBe("i8");
    expect(() => toIr(ctx, FLOAT8E4NV, fp8)).toThrow("type fp8e4nv not supported in this architecture");
    expect(typeText(descriptorIrType(ctx, { block: blockType(INT8, [16]) }, fp8))).toBe("!tt.tensordesc<tensor<16xsi8>>");
    expect(typeText(descriptorIrType(ctx, { block: blockType(UINT8, [16]) }, fp8))).toBe("!tt.tensordesc<tensor<16xui8>>");
  });
});

describe("Python's texts", () => {
  test.each([
    [0.1, "0.1"],
    [1, "1.0"],
    [-0, "-0.0"],
    [1e16, "1e+16"],
    [1e15, "1000000000000000.0"],
    [1e-5, "1e-05"],
    [0.0001, "0.0001"],
    [1.5e300, "1.5e+300"],
    [Number.NaN, "nan"],
    [Number.NEGATIVE_INFINITY, "-inf"],
  ])("float %d", (value, text) => expect(floatRepr(value)).toBe(text));
  test.each([
    ["a", "'a'"],
    ["it's", '"it\'s"'],
    ["'\"", "'\\'\"'"],
    ["a\n\\", "'a\\n\\\\'"],
  ])("string %j", (value, text) => expect(stringRepr(value)).toBe(text));
  test("containers", () => {
    expect(pyRepr(tuple([1n, 2.5, "x", null, true]))).toBe("(1, 2.5, 'x', None, True)");
    expect(pyRepr(pythonTuple([constexpr(4n)]))).toBe("(constexpr[4],)");
    expect(pyStr(tuple([constexpr(4n), "x"]))).toBe("['constexpr[4]', 'x']");
  });
  test("equality is Python's", () => {
    expect(pyEquals(1n, 1)).toBe(true);
    expect(pyEquals(true, 1n)).toBe(true);
    expect(pyEquals(2n ** 53n + 1n, 2 ** 53)).toBe(false);
    expect(pyEquals("1", 1n)).toBe(false);
    expect(pyEquals(tuple([1n]), tuple([true]))).toBe(true);
  });
});
