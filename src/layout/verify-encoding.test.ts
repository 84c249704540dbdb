import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAttribute } from "./attribute-reader.fixture.js";
import type { DistributedParams, EncodingParams } from "./encoding-params.js";
import { encodingText } from "./encoding-text.js";
import { cgaFromBases, defaultCga, verifyCga } from "./encodings/cga.js";
import { LinearLayout } from "./linear-layout.js";
import { toLinearLayout } from "./to-linear-layout.js";
import { layoutProblem, verifyEncoding, verifyTensorLayout } from "./verify-encoding.js";

const blocked = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
const wmma = (version: number): string => `#ttg.amd_wmma<{version = ${version}, isTranspose = false, warpsPerCTA = [1, 1]}>`;
const mma = (version: number): string =>
  `#ttg.nvidia_mma<{versionMajor = ${version}, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>`;
const shared = (offset: number[][], sizes: readonly number[], alignment = 16): EncodingParams => ({
  kind: "shared_linear",
  alignment,
  layout: LinearLayout.fromBases(
    [
      ["offset", offset],
      ["block", []],
    ],
    sizes.map((size, d) => [`dim${d}`, size] as const),
    false,
  ),
});

describe("verifiers complain in upstream's words", () => {
  const cases: readonly (readonly [attr: string | EncodingParams, message: string])[] = [
    [
      "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
      "sizePerThread, threadsPerWarp, warpsPerCTA, and order must all have the same rank.",
    ],
    [
      "#ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
      "Every element in sizePerThread must be a power of two.",
    ],
    [
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 0], warpsPerCTA = [4, 1], order = [1, 0]}>",
      "Every element in threadsPerWarp must be a power of two.",
    ],
    [
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [3, 1], order = [1, 0]}>",
      "Every element in warpsPerCTA must be a power of two.",
    ],
    [
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 1]}>",
      "order must be a permutation of 0..(rank-1), but was [1, 1]",
    ],
    [`#ttg.slice<{dim = 2, parent = ${blocked}}>`, "slice dim=2 must be less than the parent rank=2"],
    [
      "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>}>",
      "parent layout must have at least rank >= 2",
    ],
    [
      "#ttg.linear<{register = [[1, 1], [0, 1]], lane = [], warp = [], block = []}>",
      "In a distributed layout, each base must move in at most one dimension.",
    ],
    [`#ttg.dot_op<{opIdx = 2, parent = ${blocked}}>`, "ttg.dot_op opIdx parameter can be 0 or 1, got: 2"],
    [
      `#ttg.dot_op<{opIdx = 0, parent = ${blocked}, kWidth = 2}>`,
      "ttg.dot_op kWidth parameter is not supported when the parent is a blocked layout",
    ],
    [`#ttg.dot_op<{opIdx = 0, parent = ${mma(2)}}>`, "ttg.dot_op kWidth parameter is mandatory for Ampere or Hopper MMA parent"],
    [
      `#ttg.dot_op<{opIdx = 0, parent = ${mma(1)}, kWidth = 2}>`,
      "ttg.dot_op kWidth parameter can only be non-zero for Ampere or Hopper MMA parent",
    ],
    [
      `#ttg.dot_op<{opIdx = 1, parent = ${mma(3)}, kWidth = 2}>`,
      "ttg.dot_op opIdx parameter must be 0 for Hopper MMA parent, since Hopper WGMMA only allows first operand to be in registers",
    ],
    [
      `#ttg.dot_op<{opIdx = 0, parent = ${wmma(1)}, kWidth = 4}>`,
      "ttg.dot_op kWidth parameter must be 8/16 for WMMA v1 (including packed cases for `scaled_dot`)",
    ],
    [
      `#ttg.dot_op<{opIdx = 0, parent = ${wmma(2)}, kWidth = 2}>`,
      "ttg.dot_op kWidth parameter must be 4/8/16 for WMMA v2 (including packed cases for `scaled_dot`)",
    ],
    [
      `#ttg.dot_op<{opIdx = 0, parent = #ttg.slice<{dim = 0, parent = ${blocked}}>}>`,
      `ttg.dot_op unexpected parent layout: #ttg.slice<{dim = 0, parent = ${blocked}}>`,
    ],
    [
      "#ttg.amd_mfma<{version = 5, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = false}>",
      "version must be in the [0, 4] range",
    ],
    [
      "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [8, 8, 8], isTransposed = false}>",
      "invalid (mDim, nDim) combination: (8, 8)",
    ],
    [
      "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = false, elementBitWidth = 16}>",
      "elementBitWidth must be 32 or 64",
    ],
    [wmma(4), "WMMA version must be in the [1, 3] range"],
    [
      "#ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [1, 1], instrShape = [16, 16, 32]}>",
      "invalid WMMA v1 instruction shape",
    ],
    [
      { kind: "swizzled_shared", vec: 1, perPhase: 1, maxPhase: 1, order: [0], cga: defaultCga(2) },
      "order size (1) must match CTALayout rank (2)",
    ],
    [shared([[1], [2]], [4], 3), "alignment must be a positive power of two"],
    [shared([[1]], [4]), "The layout must be surjective"],
    [shared([[1], [2], [3]], [4]), "After removing the zero bases the layout must be bijective"],
    ["#ttg.padded_shared<[3:+4] {order = [0], shape = [32]}>", "interval values must all be power of two"],
    ["#ttg.padded_shared<[4:+3] {order = [0], shape = [32]}>", "padding values must all be power of two"],
    ["#ttg.padded_shared<[4:+4, 4:+2] {order = [0], shape = [32]}>", "interval values cannot have duplicates"],
    ["#ttg.padded_shared<[] {order = [0], shape = [32]}>", "must have at least one interval-padding pair"],
    ["#ttg.padded_shared<[4:+4] {offset = [[1], [2], [0]], block = []}>", "Broadcasting in offset dimension is not supported."],
    ["#ttg.padded_shared<[4:+4] {offset = [[1, 1], [0, 1]], block = []}>", "Each offset basis must move in at most one dimension."],
    ["#ttg.padded_shared<[4:+4] {offset = [[1], [3]], block = []}>", "Each offset basis must be 0 or a power of two."],
    ["#ttng.tensor_memory_encoding<blockM = 32, blockN = 64, colStride = 1>", "blockM must be 64 or 128 but got 32"],
    ["#ttng.tensor_memory_encoding<blockM = 64, blockN = 48, colStride = 1>", "blockN must be a power of 2 but got 48"],
    ["#ttng.tensor_memory_encoding<blockM = 64, blockN = 1024, colStride = 1>", "blockN must be less than or equal to 512 but got 1024"],
    ["#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 3>", "colStride must be 1, 2, or 4 but got but got 3"],
    [
      "#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, CTASplitM = 3>",
      "CTASplitM and CTASplitN must be greater than 0 and a power of 2",
    ],
  ];
  test.each(cases)("%s", (attr, message) => {
    expect(verifyEncoding(typeof attr === "string" ? readAttribute(attr) : attr)).toEqual([message]);
  });

  test("CGA layouts", () => {
    expect(verifyCga(defaultCga(2))).toEqual([]);
    expect(verifyCga(LinearLayout.identity1D(2, "lane", "dim0"))).toHaveLength(1);
    expect(verifyCga(LinearLayout.identity1D(2, "block", "x"))).toHaveLength(1);
    expect(cgaFromBases([[2, 0]], 2)).toMatch(/surjective/);
  });
});

describe("shapes that an encoding has no layout for", () => {
  const cases: readonly (readonly [attr: string, shape: readonly number[], message: string])[] = [
    [blocked, [32], "the layout has rank 2, but the tensor has rank 1"],
    [blocked, [32, 48], "the shape must consist of powers of two, but contains 48"],
    [mma(1), [32, 32], "version 1 of nvidia_mma has no linear layout"],
    [
      "#ttg.swizzled_shared<{vec = 1, perPhase = 0, maxPhase = 4, order = [1, 0]}>",
      [32, 32],
      "vec, perPhase and maxPhase must be at least 1",
    ],
    [
      "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
      [64, 32],
      "Block shape is too small for the swizzle byte size in NVMMA Shared Layout.",
    ],
    ["#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>", [4, 64], "Illegal shared layout"],
    ["#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>", [8], "a shared layout of shape 4 does not fit the shape 8"],
    [
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [4, 8]}>",
      [32, 32],
      "no mma tile has the shape 4x8 with kWidth 2",
    ],
  ];
  test.each(cases)("%s of %j", (attr, shape, message) => expect(layoutProblem(shape, readAttribute(attr))).toBe(message));

  test("older encodings with CTAs and fp4 padding have layouts", () => {
    const text = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>";
    expect(layoutProblem([128, 64], readAttribute(text))).toBeUndefined();
    expect(encodingText(readAttribute(text))).toBe(text);
  });
});

test("no encoding and no shape breaks the checks", () => {
  const size = fc.constantFrom(0, 1, 2, 3, 4, 8, 16, 32, 64, 128);
  const sizes = fc.array(size, { minLength: 1, maxLength: 3 });
  const order = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 });
  const cga = fc.integer({ min: 1, max: 3 }).map((rank) => defaultCga(rank));
  const small = fc.nat({ max: 5 });
  const { encoding } = fc.letrec<{ encoding: EncodingParams; distributed: DistributedParams }>((tie) => ({
    distributed: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({ kind: fc.constant("blocked" as const), sizePerThread: sizes, threadsPerWarp: sizes, warpsPerCTA: sizes, order, cga }),
      fc.record({
        kind: fc.constant("nvidia_mma" as const),
        versionMajor: small,
        versionMinor: small,
        warpsPerCTA: sizes,
        cga,
        instrShape: sizes,
      }),
      fc.record({
        kind: fc.constant("amd_mfma" as const),
        version: small,
        warpsPerCTA: sizes,
        instrShape: sizes,
        isTransposed: fc.boolean(),
        cga,
        tilesPerWarp: sizes,
        elementBitWidth: size,
      }),
      fc.record({
        kind: fc.constant("amd_wmma" as const),
        version: small,
        isTransposed: fc.boolean(),
        warpsPerCTA: sizes,
        tilesPerWarp: sizes,
        cga,
        instrShape: fc.constantFrom([16, 16, 16], [16, 16, 32], [16]),
      }),
      fc.record({ kind: fc.constant("slice" as const), dim: small, parent: tie("distributed") as fc.Arbitrary<DistributedParams> }),
      fc.record({
        kind: fc.constant("dot_op" as const),
        opIdx: small,
        parent: tie("distributed") as fc.Arbitrary<DistributedParams>,
        kWidth: size,
      }),
    ),
    encoding: fc.oneof(
      tie("distributed") as fc.Arbitrary<DistributedParams>,
      fc.record({
        kind: fc.constantFrom("swizzled_shared" as const, "amd_rotating_shared" as const),
        vec: size,
        perPhase: size,
        maxPhase: size,
        order,
        cga,
      }),
      fc.record({
        kind: fc.constant("nvmma_shared" as const),
        swizzlingByteWidth: fc.constantFrom(0, 16, 32, 64, 128),
        transposed: fc.boolean(),
        elementBitWidth: fc.constantFrom(0, 4, 8, 16, 32, 64),
        fp4Padded: fc.boolean(),
        cga,
      }),
      fc.record({
        kind: fc.constant("tensor_memory_encoding" as const),
        blockM: size,
        blockN: size,
        colStride: small,
        CTASplitM: small,
        CTASplitN: small,
        twoCTAs: fc.boolean(),
      }),
      fc.record({ kind: fc.constant("tensor_memory_scales_encoding" as const), CTASplitM: small, CTASplitN: small }),
    ),
  }));
  let fine = 0;
  fc.assert(
    fc.property(encoding, sizes, (params, shape) => {
      if (params.kind === "slice" || params.kind === "dot_op" ? verifyEncoding(params.parent).length > 0 : false) return;
      if (verifyEncoding(params).length > 0) return;
      const problem = layoutProblem(shape, params);
      if (problem === undefined) {
        expect(toLinearLayout(shape, params).getOutDimSizes()).toEqual(shape);
        fine++;
      } else expect(problem).toMatch(/^\S.*$/);
    }),
    { seed: 31, numRuns: 3000 },
  );
  expect(fine).toBeGreaterThan(20);
});

describe("tensors in a module", () => {
  const module = { threadsPerWarp: 32, numWarps: 4, numCTAs: 1 };
  test.each([
    [blocked, [16, 32], module, []],
    [
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
      [16, 32],
      module,
      ["Non-distributed layout is not allowed in tensor type."],
    ],
    [blocked, [16], module, ["Layout has rank 2, but the tensor it's attached to has rank 1."]],
    [blocked, [16, 24], module, ["Layout has shape 16, 24, but the tensor it's attached to has shape 16, 24 which is not a power of two."]],
    [
      blocked,
      [16, 32],
      { ...module, threadsPerWarp: 64 },
      [`${blocked}.\nLayout has 32 threads per warp, but the module specifies 64 threads per warp.`],
    ],
    [blocked, [16, 32], { ...module, numWarps: 8 }, [`${blocked}.\nLayout has 4 warps per CTA, but the context requires 8 warps per CTA.`]],
    [
      blocked,
      [16, 32],
      { ...module, numWarps: undefined },
      ["Could not determine the number of warps per CTA. Operation is not in a context with `ttg.num-warps`."],
    ],
    [blocked, [16, 32], { ...module, numCTAs: 2 }, [`${blocked}.\nLayout has 1 CTAs per CGA, but the context requires 2 CTAs per CGA.`]],
  ])("%s %j %j", (attr, shape, sizes, messages) => expect(verifyTensorLayout(readAttribute(attr), shape, sizes)).toEqual(messages));
});
