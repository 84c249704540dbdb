/** Cases that the golden files do not reach: errors, fp4, splits as the verifier sees them, operands of dots. */
import { describe, expect, test } from "vitest";
import { readAttribute, readDistributed } from "../attribute-reader.fixture.js";
import type { DistributedParams } from "../encoding-params.js";
import { areLayoutsEquivalent } from "../encoding-queries.js";
import { encodingText } from "../encoding-text.js";
import { verifyDotOpEncodingCompatibility, verifyDotOperandEncoding } from "./dot.js";
import type { Inferred } from "./inferred.js";
import { inferDefaultJoinOpEncoding, inferFp4ToFpOpEncoding, inferSplitOpEncoding, splitEncodingOfBuilder } from "./join-split.js";
import { inferMemDescReshapeOpEncoding, inferReshapeOpEncoding, verifyLayoutsAreEqual, verifyReshape } from "./reshape.js";
import { getReshapeDecomposition } from "./reshape-decomposition.js";
import { inferExpandDimsOpEncoding } from "./slice-dims.js";
import { inferTransOpEncoding } from "./trans.js";

const blocked = (size: string, lanes: string, warps: string, order: string): string =>
  `#ttg.blocked<{sizePerThread = [${size}], threadsPerWarp = [${lanes}], warpsPerCTA = [${warps}], order = [${order}]}>`;
const pairs = readDistributed(blocked("1, 2", "32, 1", "4, 1", "1, 0"));
const matrix = readDistributed(blocked("1, 4", "4, 8", "4, 1", "1, 0"));
const mma2 = readDistributed("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>");
const mma3 = readDistributed("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>");
const operand = (opIdx: number, parent: DistributedParams, kWidth: number): DistributedParams => ({
  kind: "dot_op",
  opIdx,
  parent,
  kWidth,
});
const text = (inferred: Inferred): string => ("encoding" in inferred ? encodingText(inferred.encoding) : `error: ${inferred.error}`);

describe("split", () => {
  test("a blocked pair gives up its last dimension; the builder says the same with a slice", () => {
    const split = inferSplitOpEncoding(pairs, [128, 2]);
    expect(text(split)).toBe(blocked("1", "32", "4", "0"));
    expect("encoding" in split && areLayoutsEquivalent([128], split.encoding, splitEncodingOfBuilder(pairs))).toBe(true);
  });

  test("undoes a join", () => {
    const line = readDistributed(blocked("4", "32", "4", "0"));
    expect(text(inferSplitOpEncoding(inferDefaultJoinOpEncoding(line, [512]), [512, 2]))).toBe(encodingText(line));
    const split = inferSplitOpEncoding(inferDefaultJoinOpEncoding(mma2, [64, 64]), [64, 64, 2]);
    expect("encoding" in split && areLayoutsEquivalent([64, 64], split.encoding, mma2)).toBe(true);
  });

  test("needs both elements in one thread", () => {
    expect(text(inferSplitOpEncoding(matrix, [16, 4]))).toBe("error: SplitOp input shape should have 2 in the last dim");
    const apart = readDistributed(blocked("1, 1", "16, 2", "4, 1", "1, 0"));
    expect(text(inferSplitOpEncoding(apart, [64, 2]))).toMatch(/requires at least 2 elements per thread/);
  });
});

describe("reshape", () => {
  test("errors", () => {
    expect(text(inferReshapeOpEncoding([8], pairs, [16]))).toBe("error: numel of dst shape does not match numel of src shape");
    const shared = readAttribute("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>");
    expect(text(inferReshapeOpEncoding([4, 4], shared, [16]))).toBe("error: Failed MemDescReshapeOp encoding inference");
    if (shared.kind !== "swizzled_shared") throw new Error("not shared");
    expect(text(inferMemDescReshapeOpEncoding([4, 4], shared, [32]))).toBe("error: dst shape has different number of elements than src");
  });

  test("the result may be any encoding when elements may be reordered", () => {
    const dst = readDistributed(blocked("1", "32", "4", "0"));
    expect(verifyReshape([64, 32], matrix, [2048], dst, true)).toEqual([]);
    const expected = blocked("4", "32", "4", "0");
    expect(verifyReshape([64, 32], matrix, [2048], dst, false)).toEqual([
      `Expected result encoding ${expected} but was ${encodingText(dst)}`,
    ]);
    expect(verifyReshape([64, 32], matrix, [1024], dst, true)).toEqual(["number of src and dst elements of reshape must be the same"]);
    expect(verifyLayoutsAreEqual([64, 32], matrix, matrix)).toEqual([]);
  });

  test("padded memory keeps its padding", () => {
    const padded = readAttribute("#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>");
    if (padded.kind !== "padded_shared") throw new Error("not padded");
    expect(text(inferMemDescReshapeOpEncoding([16, 32], padded, [4, 4, 32]))).toBe(
      "#ttg.padded_shared<[32:+4] {order = [2, 1, 0], shape = [4, 4, 32]}>",
    );
  });

  test("decomposition", () => {
    expect(getReshapeDecomposition([4, 8, 3], [32, 3])).toEqual([
      { src: [0, 1], dst: [0] },
      { src: [2], dst: [1] },
    ]);
    expect(getReshapeDecomposition([4, 4, 4], [2, 2, 8, 2])).toEqual([
      { src: [0], dst: [0, 1] },
      { src: [1, 2], dst: [2, 3] },
    ]);
  });
});

test("trans and expand_dims: errors", () => {
  expect(text(inferTransOpEncoding(matrix, [4, 4], [2, 1, 0]))).toBe("error: shape and order rank do not match: 2 vs 3");
  expect(text(inferTransOpEncoding(matrix, [4, 4, 4], [2, 1, 0]))).toBe("error: rank of encoding does not match order: 2 vs 3");
  expect(text(inferExpandDimsOpEncoding(matrix, 0))).toBe("error: ExpandDimsOp operand encoding must be SliceEncodingAttr");
  const slice = readAttribute(`#ttg.slice<{dim = 1, parent = ${encodingText(matrix)}}>`);
  expect(text(inferExpandDimsOpEncoding(slice, 0))).toBe("error: Incompatible slice dimension for ExpandDimsOp operand");
});

describe("fp4_to_fp", () => {
  // The blocked encoding of a tensor whose axis 1 is the slow one: upstream's test asks for order[axis] == 0.
  const columns = readDistributed(blocked("4, 2", "8, 4", "1, 4", "1, 0"));
  test("doubles and halves", () => {
    expect(text(inferFp4ToFpOpEncoding([64, 64], 1, columns, true))).toBe(blocked("4, 4", "8, 4", "1, 4", "1, 0"));
    expect(text(inferFp4ToFpOpEncoding([64, 64], 1, columns, false))).toBe(blocked("4, 1", "8, 4", "1, 4", "1, 0"));
    expect(text(inferFp4ToFpOpEncoding([64, 64], 1, operand(0, mma2, 2), true))).toBe(encodingText(operand(0, mma2, 4)));
  });
  test("needs two elements to pack", () => {
    const ones = readDistributed(blocked("1, 1", "8, 4", "1, 4", "1, 0"));
    expect(text(inferFp4ToFpOpEncoding([8, 16], 1, ones, false))).toMatch(/at least 2 elements per thread/);
    expect(text(inferFp4ToFpOpEncoding([64, 64], 0, ones, false))).toMatch(/at least 2 elements per thread/);
  });
  test("along another axis: forward and back gives the same places", () => {
    const forward = inferFp4ToFpOpEncoding([64, 64], 0, matrix, true);
    const back = "encoding" in forward ? inferFp4ToFpOpEncoding([128, 64], 0, forward.encoding, false) : forward;
    expect("encoding" in back && areLayoutsEquivalent([64, 64], back.encoding, matrix)).toBe(true);
  });
});

describe("dot", () => {
  const nvmma = readAttribute("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>");
  test("operands", () => {
    expect(verifyDotOperandEncoding(operand(0, mma2, 2), 0, mma2)).toEqual([]);
    expect(verifyDotOperandEncoding(operand(1, mma2, 2), 0, mma2)).toEqual(["Wrong opIdx"]);
    expect(verifyDotOperandEncoding(operand(0, matrix, 0), 0, mma2)).toEqual(["Incompatible parent encoding"]);
    expect(verifyDotOperandEncoding(matrix, 0, mma2)).toEqual(["Dot's a/b's encoding should be of DotOperandEncodingAttr"]);
    expect(verifyDotOperandEncoding(nvmma, 1, mma3)).toEqual([]);
    expect(verifyDotOperandEncoding(operand(0, mma3, 2), 0, mma3)).toEqual([]);
    expect(verifyDotOperandEncoding(matrix, 1, mma3)).toEqual(["unexpected operand layout for NvidiaMmaEncodingAttr v3"]);
  });
  test("operands together", () => {
    const a = operand(0, mma2, 2);
    const verify = (b: DistributedParams, result: DistributedParams = mma2, supported = true): string[] =>
      verifyDotOpEncodingCompatibility(a, b, result, () => supported);
    expect(verify(operand(1, mma2, 2))).toEqual([]);
    expect(verify(matrix)).toEqual(["mismatching encoding between A and B operands"]);
    expect(verify(operand(1, mma2, 4))).toEqual(["mismatching kWidth between A and B operands"]);
    expect(verify(operand(1, matrix, 2))).toEqual(["mismatching MMA encoding"]);
    expect(verify(operand(1, mma2, 2), mma3)).toEqual(["mismatched MMA version."]);
    expect(verify(operand(1, mma2, 2), mma2, false)).toEqual(["unsupported MMA version"]);
  });
});
