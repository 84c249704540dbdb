/** `#ttg.dot_op`: an operand of the dot whose result has the encoding `parent`. Source: TritonGPUAttrDefs.td, DotOperandEncodingAttr. */
import type { AttrParser } from "../../../ir/asm.js";
import type { Attribute } from "../../../ir/attribute.js";
import { attrText } from "../../../ir/text-hook.js";
import type { DotOperandParams } from "../../../layout/encoding-params.js";
import { Bug } from "../../../support/assert.js";
import { defineEncoding, distributedParams, encodingAttr } from "./define-encoding.js";

export interface DotOperandAttrParams {
  readonly opIdx: number;
  readonly parent: Attribute;
  /** 0 where there is none. */
  readonly kWidth: number;
}

export const DotOperandEncoding = defineEncoding<DotOperandAttrParams, DotOperandParams>("dot_op", {
  summary: "an operand of a dot",
  declarative: true,
  parse(p) {
    p.punct("<");
    p.punct("{");
    let opIdx: number | undefined;
    let kWidth: number | undefined;
    let parent: Attribute | undefined;
    do {
      const key = p.anyKeyword();
      p.punct("=");
      if (key === "opIdx" && opIdx === undefined) opIdx = unsigned(p, key);
      else if (key === "parent" && parent === undefined) parent = p.attribute();
      else if (key === "kWidth" && kWidth === undefined) kWidth = unsigned(p, key);
      else return p.fail(`duplicate or unknown struct parameter name: ${key}`, undefined, "parse.encoding");
    } while (p.optPunct(","));
    if (opIdx === undefined) return missing(p, "opIdx");
    if (parent === undefined) return missing(p, "parent");
    p.punct("}");
    p.punct(">");
    return { opIdx, parent, kWidth: kWidth ?? 0 };
  },
  print: ({ opIdx, parent, kWidth }, p) => `<{opIdx = ${opIdx}, parent = ${p.attr(parent)}${kWidth === 0 ? "" : `, kWidth = ${kWidth}`}}>`,
  problem({ opIdx, parent }) {
    if (distributedParams(parent)) return undefined;
    if (opIdx !== 0 && opIdx !== 1) return `ttg.dot_op opIdx parameter can be 0 or 1, got: ${opIdx}`;
    return `ttg.dot_op unexpected parent layout: ${attrText(parent)}`;
  },
  toEncoding({ opIdx, parent, kWidth }) {
    const params = distributedParams(parent);
    if (!params) throw new Bug("the parent of a dot operand is not distributed");
    return { kind: "dot_op", opIdx, parent: params, kWidth };
  },
  fromEncoding: ({ opIdx, parent, kWidth }, ctx) => ({ opIdx, parent: encodingAttr(ctx, parent), kWidth }),
});

function unsigned(p: AttrParser, key: string): number {
  const at = p.pos;
  const value = p.optInteger();
  if (value === undefined)
    return p.fail(`failed to parse DotOperandEncodingAttr parameter '${key}' which is to be a \`unsigned\``, at, "parse.encoding");
  // A negative number wraps, as upstream's does.
  if (value >= 1n << 32n || value < -(1n << 31n)) p.fail("integer value too large", at, "parse.encoding");
  return Number(BigInt.asUintN(32, value));
}
function missing(p: AttrParser, key: string): never {
  return p.fail(`struct is missing required parameter: ${key}`, undefined, "parse.encoding");
}
