/** A layout from the text of a type or of an encoding, for programs that ask about layouts alone. */

import { type Rejected, rejected, rejectedBy } from "../compile/source.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { encodingParams } from "../dialects/ttg/encodings/define-encoding.js";
import { type MemDesc, MemDescType } from "../dialects/ttg/types.js";
import { Context } from "../ir/context.js";
import type { LinearLayout } from "../layout/linear-layout.js";
import { printTensorView } from "../layout/print-layout.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";
import { Bug } from "../support/assert.js";
import { WITH_ALL_LAYOUTS } from "../support/triton-version.js";
import { Parser } from "../syntax/parser.js";
import { layoutOfEncoding, layoutOfType, type ValueLayout } from "./value-layout.js";

/** The tensor that an encoding is for. */
export interface LayoutShape {
  readonly shape: readonly number[];
  /** Bits of an element, which a few layouts of shared memory depend on; 32 by default. */
  readonly bits?: number;
}

/**
 * Reads the type of a tensor or buffer with its encoding written out, as `tensor<128x32xf16, #ttg.blocked<{sizePerThread = [1, 8], ...}>>`,
 * or an encoding alone, whose shape is then given. `layout` of the result maps register, lane, warp and block (or an offset in shared
 * memory) to coordinates of the tensor. A text that is no type or encoding, and one without a layout, are `Rejected`.
 */
export function parseLayout(text: string, of?: LayoutShape): ValueLayout | Rejected {
  if (typeof text !== "string") return rejected("parseLayout takes the text of a type or encoding");
  const ctx = new Context(ALL_DIALECTS);
  ctx.triton = WITH_ALL_LAYOUTS;
  const parser = new Parser(ctx, ctx.addSource(of ? "encoding" : "type", text));
  if (!of) {
    const type = parser.parseWhole((p) => p.type());
    return type ? found(layoutOfType(type)) : rejectedBy(ctx);
  }
  const { shape, bits = 32 } = of;
  if (
    !Array.isArray(shape) ||
    !shape.every((extent) => Number.isSafeInteger(extent) && extent > 0) ||
    !Number.isSafeInteger(bits) ||
    bits <= 0
  )
    return rejected("a shape is a list of integers from 1, and an element has one bit at least");
  const encoding = parser.parseWhole((p) => p.attribute());
  if (!encoding) return rejectedBy(ctx);
  const layout = layoutOfEncoding(encoding, shape, bits);
  return found("reason" in layout ? layout : { ...layout, typeText: `${shape.join("x")} x ${bits} bits` });
}
const found = (layout: ValueLayout | { readonly reason: string }): ValueLayout | Rejected =>
  "reason" in layout ? rejected(layout.reason) : layout;

/**
 * Who holds each element, as `triton-tensor-layout` prints it: a cell `T4:1` is thread 4, register 1; several owners are joined by `|`.
 * For a layout of shared memory: which element each place holds. One line a row.
 */
export function threadMap({ layout }: Pick<ValueLayout, "layout">): string {
  const lines: string[] = [];
  printTensorView(layout, (line) => void lines.push(line));
  return `${lines.join("\n")}\n`;
}

/** The drawing of an example: who holds which element of a tensor, or what lies where in a buffer, from its type. */
export function typeDrawing(type: string): readonly string[] {
  const layout = parseLayout(type);
  if (!("diagnostics" in layout)) return threadMap(layout).trimEnd().split("\n");
  const ctx = new Context(ALL_DIALECTS);
  ctx.triton = WITH_ALL_LAYOUTS;
  const buffer = new Parser(ctx, ctx.addSource("type", type)).parseWhole((p) => p.type());
  const params = buffer && MemDescType.is(buffer) ? encodingParams(buffer.params.encoding) : undefined;
  if (!params) throw new Bug(`an example is no type with a layout: ${type}`);
  return tensorMemoryRows(toLinearLayout((buffer as MemDesc).params.shape, params));
}

/** The elements in the columns of the first lanes of tensor memory. */
function tensorMemoryRows(layout: LinearLayout): readonly string[] {
  const columns = Array.from({ length: layout.getInDimSize("col") }, (_, col) => col);
  const lane = (row: number): string => {
    const cells = columns.map((col) => `(${Object.values(layout.apply({ row, col })).join(":")})`);
    return `lane ${row}: ${cells.join(",")}`;
  };
  return [...[0, 1, 2, 3].map(lane), "..."];
}
