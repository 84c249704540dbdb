/** Encodings against real Triton 3.6: their linear layouts, texts, defaults and inference. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readAttribute, readDistributed } from "./attribute-reader.fixture.js";
import { isShared } from "./encoding-params.js";
import { encodingText } from "./encoding-text.js";
import { getDefaultBlockedEncoding } from "./encodings/blocked.js";
import type { Inferred, InferredDistributed } from "./infer/inferred.js";
import { inferDefaultJoinOpEncoding, splitEncodingOfBuilder } from "./infer/join-split.js";
import { inferMemDescReshapeOpEncoding, inferReshapeOpEncoding } from "./infer/reshape.js";
import { inferExpandDimsOpEncoding, inferReduceOpEncoding } from "./infer/slice-dims.js";
import { inferTransOpEncoding } from "./infer/trans.js";
import { LayoutError } from "./layout-error.js";
import { type Bases, LinearLayout } from "./linear-layout.js";
import { getDistributedLayoutForTmemLdSt, type TMemAccessAtom } from "./tmem-access.js";
import { toLinearLayout } from "./to-linear-layout.js";
import { layoutProblem, verifyEncoding } from "./verify-encoding.js";

function fixture<Row>(name: string): readonly Row[] {
  return JSON.parse(readFileSync(`fixtures/layout/${name}.json`, "utf8")) as readonly Row[];
}

describe("linear layouts", () => {
  type Row = readonly [attr: string, shape: readonly number[], bases: Bases, onto: readonly [boolean, boolean], text?: string];
  const rows = fixture<Row>("linear-layouts");
  const kinds = [...new Set(rows.map(([attr]) => attr.slice(0, attr.indexOf("<"))))];
  test.each(kinds)("%s", (kind) => {
    for (const [attr, shape, bases, [surjective, injective], text] of rows.filter(([other]) => other.startsWith(`${kind}<`))) {
      const layout = toLinearLayout(shape, readAttribute(attr));
      const name = `${attr} ${shape.join("x")}`;
      expect(layout.getBases(), name).toEqual(bases);
      expect(layout.getOutDims(), name).toEqual(shape.map((size, d) => [`dim${d}`, size]));
      expect([layout.isSurjective(), layout.isInjective()], name).toEqual([surjective, injective]);
      if (text !== undefined) expect(layout.toString(), name).toBe(text);
    }
  });

  test("attributes print as they were written, and pass their verifiers", () => {
    for (const [attr, shape] of rows) {
      const params = readAttribute(attr);
      expect(encodingText(params)).toBe(attr);
      expect(verifyEncoding(params), attr).toEqual([]);
      expect(layoutProblem(shape, params), attr).toBeUndefined();
    }
  });
});

test.each([
  "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = true, CGALayout = [[0, 1]], tilesPerWarp = [2, 2, 1], elementBitWidth = 64}>",
  "#ttg.nvidia_mma<{versionMajor = 1, versionMinor = 2, warpsPerCTA = [1, 1], CGALayout = [[0, 1]], instrShape = [16, 16]}>",
  "#ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [1, 1], CGALayout = [[0, 1]], tilesPerWarp = [2, 2], instrShape = [16, 16, 32]}>",
  "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>",
  "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8, fp4Padded = true, CGALayout = [[0, 1]]}>",
  "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8, CGALayout = [[0, 1, 0]]}>",
  "#ttg.padded_shared<[32:+4, 64:+8] {offset = [[0, 1], [0, 2], [2, 0], [1, 0]], block = []}>",
  "#ttg.amd_rotating_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0], CGALayout = [[1, 0]]}>",
  "#ttg.shared_linear<{offset = [[0, 1], [1, 0]], block = [[2, 0]]}, alignment = 32>",
  "#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1, CTASplitN = 2, twoCTAs = true>",
  "#ttng.tensor_memory_scales_encoding<>",
  "#ttng.tensor_memory_scales_encoding<CTASplitM = 2>",
])("optional keys print as in Triton: %s", (attr) => expect(encodingText(readAttribute(attr))).toBe(attr));

test("default encodings", () => {
  type Row = readonly [shape: readonly number[], numWarps: number, threadsPerWarp: number, numCTAs: number, attr: string];
  for (const [shape, numWarps, threadsPerWarp, numCTAs, attr] of fixture<Row>("default-encodings"))
    expect(encodingText(getDefaultBlockedEncoding(shape, numWarps, threadsPerWarp, numCTAs)), shape.join("x")).toBe(attr);
});

describe("inference", () => {
  type Row = readonly [op: string, src: string, shape: readonly number[], arg: number | readonly number[] | null, result: string];
  const rows = fixture<Row>("encoding-inference");
  test.each([...new Set(rows.map(([op]) => op))])("%s", (op) => {
    for (const [, src, shape, arg, result] of rows.filter(([other]) => other === op)) {
      const inferred = infer(op, src, shape, arg);
      expect("encoding" in inferred ? encodingText(inferred.encoding) : inferred.error, `${src} ${shape.join("x")} ${arg}`).toBe(result);
    }
  });

  function infer(op: string, src: string, shape: readonly number[], arg: Row[3]): Inferred | InferredDistributed {
    switch (op) {
      case "reshape":
        return inferReshapeOpEncoding(shape, readAttribute(src), arg as number[]);
      case "memdesc_reshape": {
        const params = readAttribute(src);
        if (!isShared(params)) throw new Error(src);
        return inferMemDescReshapeOpEncoding(shape, params, arg as number[]);
      }
      case "trans":
      case "memdesc_trans":
        return inferTransOpEncoding(readAttribute(src), shape, arg as number[]);
      case "expand_dims":
        return inferExpandDimsOpEncoding(readAttribute(src), arg as number);
      case "reduce":
        return { encoding: inferReduceOpEncoding(readDistributed(src), arg as number) };
      case "join":
        return { encoding: inferDefaultJoinOpEncoding(readDistributed(src), shape) };
      case "split":
        return { encoding: splitEncodingOfBuilder(readDistributed(src)) };
      default:
        throw new Error(`unknown op ${op}`);
    }
  }
});

test("rotating and padded shared memory, seen through memdesc_trans", () => {
  type Row = readonly [src: string, shape: readonly number[], order: readonly number[], result: string];
  for (const [src, shape, order, result] of fixture<Row>("memdesc-trans")) {
    const params = readAttribute(src);
    expect(encodingText(params)).toBe(src);
    const inferred = inferTransOpEncoding(params, shape, order);
    expect("encoding" in inferred && encodingText(inferred.encoding), `${src} ${order}`).toBe(result);
  }
});

test("tensor memory, seen through the register layouts of its loads", () => {
  type Row = readonly [
    attr: string,
    shape: readonly number[],
    bits: number,
    atom: TMemAccessAtom,
    numWarps: number,
    cga: readonly (readonly number[])[],
    result: readonly (readonly (readonly number[])[])[] | "no layout",
  ];
  for (const [attr, shape, bits, atom, numWarps, cgaBases, result] of fixture<Row>("tmem-access")) {
    const params = readAttribute(attr);
    expect(encodingText(params)).toBe(attr);
    expect(verifyEncoding(params)).toEqual([]);
    const cga = LinearLayout.fromBases([["block", cgaBases]], ["dim0", "dim1"]);
    const access = (): LinearLayout | undefined =>
      getDistributedLayoutForTmemLdSt(toLinearLayout(shape, params), atom, numWarps, bits, cga);
    const name = `${attr} ${shape.join("x")} x ${bits} ${atom}`;
    if (result === "no layout") expect(access, name).toThrow(LayoutError);
    else
      expect(
        ["register", "lane", "warp", "block"].map((dim) => access()?.getInDimBases(dim)),
        name,
      ).toEqual(result);
  }
});
