/** Why a conversion of layouts is there: what wants the layout on either side, what it costs, and what stopped its removal. */

import { scratchSizeOnTarget } from "../../../analysis/scratch-size.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { encodingParams, toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { DotOperandEncoding } from "../../../dialects/ttg/encodings/dot-op.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { encodingOf, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { cvtNeedsWarpShuffle, cvtReordersRegisters, minimalCvtLayout } from "../../../layout/conversion.js";
import { RemarkRefs, type RemarkText } from "../../../pass/remark.js";
import { getConvertBackwardSlice } from "./convert-backward-slice.js";
import { isLayoutAnchor } from "./layout-propagation.js";
import { type ConvertView, canBeRemat, costByVersion, encodingOfTensor } from "./layout-rematerialization.js";

/** The means by which a conversion moves elements, and the shared memory that it needs. */
export interface ConversionCost {
  readonly means: "nothing" | "registers" | "shuffles" | "shared memory";
  /** Bytes of shared memory, as allocate-shared-memory reserves them; 0 unless it goes through there. */
  readonly bytes: number;
}
/** By which means a conversion moves data, and how many bytes of shared memory it takes. */
export function conversionCost({ op, src, result }: ConvertView): ConversionCost {
  const layoutOf = ({ type }: Value) => toLinearLayout((type as TensorType).params.shape, encodingOf(type)!);
  const [from, to] = [layoutOf(src), layoutOf(result)];
  if (minimalCvtLayout(from, to).outDimNames.length === 0) return { means: "nothing", bytes: 0 };
  if (cvtReordersRegisters(from, to)) return { means: "registers", bytes: 0 };
  if (cvtNeedsWarpShuffle(from, to)) return { means: "shuffles", bytes: 0 };
  return { means: "shared memory", bytes: scratchSizeOnTarget(op) };
}

/** The remark about a conversion that remains. */
export function explainConversion(convert: ConvertView): RemarkText {
  const { op, src, result } = convert;
  const refs = new RemarkRefs(op);
  const { means, bytes } = conversionCost(convert);
  const from = anchorBefore(src);
  const to = anchorAfter(result);
  const reason = whyItStays(convert, refs);
  const cost = {
    nothing: "it costs nothing",
    registers: "it only renames registers",
    shuffles: "it is done by shuffles within warps",
    "shared memory": `it goes through ${bytes} bytes of shared memory`,
  }[means];
  const kind = (value: Value): string => encodingParams(encodingOf(value.type))!.kind;
  const source = from ? `${refs.of(from)} gives ${kind(src)}` : `its source is ${kind(src)}`;
  const target = to ? `${refs.of(to)} wants ${kind(result)}` : `its users want ${kind(result)}`;
  return {
    kind: means === "nothing" || means === "registers" ? "analysis" : "missed",
    message: `{0} stays: ${source}, ${target}; ${cost}. ${reason}`,
    refs: refs.list,
    fields: { from: kind(src), to: kind(result), anchorFrom: from?.name ?? "", anchorTo: to?.name ?? "", means, bytes, reason },
  };
}

/** The op that decides the layout of a value: one before it, or else one that it goes to. */
export function anchorOf(value: Value): Operation | undefined {
  const converted = ConvertLayoutOp.is(value.definingOp);
  return (converted ? undefined : anchorBefore(value)) ?? anchorAfter(value);
}

/** The nearest op before a value that is particular about its layout; undefined where the layout comes from nowhere in particular. */
function anchorBefore(value: Value): Operation | undefined {
  const seen = new Set<Value>([value]);
  for (const at of seen) {
    const op = at.definingOp;
    if (!op) {
      for (const incoming of carriedInto(at)) seen.add(incoming);
      continue;
    }
    if (isLayoutAnchor(op) || ConvertLayoutOp.is(op)) return op;
    for (const operand of op.operands) if (encodingOf(operand.type)) seen.add(operand);
    for (const region of op.regions) {
      const yielded = region.lastBlock?.lastOp?.operandUses[at.index]?.value;
      if (yielded && encodingOf(yielded.type)) seen.add(yielded);
    }
  }
  return undefined;
}
/** The initial value of an argument that a loop carries. */
function carriedInto(arg: Value): Value[] {
  const owner = arg.argOwner!.parentOp;
  return owner && ForOp.is(owner) && arg.index > 0 ? [owner.operand(arg.index + 2)] : [];
}

/** The nearest op after a value that is particular about its layout. */
function anchorAfter(value: Value): Operation | undefined {
  const seen = new Set<Value>([value]);
  for (const at of seen) {
    // Uses are newest first.
    const uses = [...at.uses()].reverse();
    const anchor = uses.find(({ owner }) => isLayoutAnchor(owner) || ConvertLayoutOp.is(owner))?.owner;
    if (anchor) return anchor;
    for (const { owner, index } of uses) {
      for (const result of owner.results) if (encodingOf(result.type)) seen.add(result);
      const around = YieldOp.is(owner) ? owner.parentOp! : undefined;
      const loop = ForOp.is(around) ? around : ForOp.is(owner) ? owner : undefined;
      if (around && index < around.numResults) seen.add(around.result(index));
      if (loop) seen.add(loop.regions[0]!.firstBlock!.args[loop === owner ? index - 2 : index + 1]!);
    }
  }
  return undefined;
}

/** The reason why the source cannot be computed in the wanted layout, as the pass would find it now. */
function whyItStays(convert: ConvertView, refs: RemarkRefs): string {
  const target = encodingOfTensor(convert.result);
  if (DotOperandEncoding.is(target))
    return "The operand of a dot is not computed again in its layout: the conversion stays, as near to the load as it can be";
  const found = getConvertBackwardSlice(convert.op.operandUses[0]!, target, {});
  if (typeof found === "string") return `Its source cannot be computed in the other layout: ${found}`;
  for (const { definingOp } of found.slice)
    if (definingOp && !canBeRemat(definingOp))
      return `Its source cannot be computed again in the other layout: ${refs.of(definingOp)} must not be done twice`;
  const cost = costByVersion(convert, found);
  if (cost.rematerialize === Infinity) return "Its source must not be computed again: a sum of floats could come out differently";
  if (cost.rematerialize > cost.convert)
    return `Computing its source again in the other layout would cost more (${cost.rematerialize} against ${cost.convert})`;
  return "It came after layouts were last sorted out";
}
