/** Patterns of a dialect conversion: they see their operands as converted so far. */
import type { OpDef, TypedOpDef, ViewOf } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import type { Conversion } from "./conversion.js";
import type { Rewriter } from "./rewriter.js";
import type { TypeConverter } from "./type-converter.js";

/** The replacements of the op's operands: one or several values (or none) for each. */
export type OperandRanges = readonly (readonly Value[])[];

/** A rewrite of one op whose operands already have converted types. */
export interface ConversionPattern {
  readonly name: string;
  readonly benefit: number;
  /** The op kind it applies to; undefined: any op that `applies` accepts. */
  readonly root: OpDef | undefined;
  readonly applies: ((op: Operation) => boolean) | undefined;
  /** Gives the types that the pattern expects of its operands; without one they come as they were replaced. */
  readonly converter: TypeConverter | undefined;
  /** Ops it may make, where that is needed to find out whether it leads to legal ops. */
  readonly generatedOps: readonly { readonly name: string }[];
  /** Whether it may be applied to what it made itself. */
  readonly boundedRecursion: boolean;
  readonly rewrite: (op: Operation, operands: OperandRanges, rw: Rewriter, conversion: Conversion) => boolean;
}

export interface ConversionPatternOptions {
  readonly benefit?: number;
  readonly converter?: TypeConverter | undefined;
  readonly generatedOps?: readonly { readonly name: string }[];
  readonly boundedRecursion?: boolean;
}

/** The op with its operands as converted, by name; attributes, regions and results are the op's own. */
export type Adaptor<O, A> = ViewOf<O, A, object, object, object> & { readonly operands: readonly Value[] };

/**
 * A pattern on ops of kind `root`. `adaptor` has the operands as converted.
 *
 *     conversionPattern("convert-trans", TransOp, (trans, adaptor, rw) =>
 *       rw.replace(trans, rw.value(OtherTransOp, { src: adaptor.src, order: trans.order })), { converter });
 */
export function conversionPattern<O, A, R, G, S>(
  name: string,
  root: TypedOpDef<O, A, R, G, S>,
  rewrite: (op: ViewOf<O, A, R, G, S>, adaptor: Adaptor<O, A>, rw: Rewriter, conversion: Conversion) => boolean,
  options: ConversionPatternOptions = {},
): ConversionPattern {
  return make(name, root, undefined, options, (op, operands, rw, conversion) => {
    const values = single(operands, name);
    return rewrite(root.viewOf(op) as ViewOf<O, A, R, G, S>, adaptorOf(op, values) as Adaptor<O, A>, rw, conversion);
  });
}

/** A pattern whose operands may have become several values each. */
export function rangeConversionPattern<O, A, R, G, S>(
  name: string,
  root: TypedOpDef<O, A, R, G, S>,
  rewrite: (op: ViewOf<O, A, R, G, S>, operands: OperandRanges, rw: Rewriter, conversion: Conversion) => boolean,
  options: ConversionPatternOptions = {},
): ConversionPattern {
  return make(name, root, undefined, options, (op, operands, rw, conversion) =>
    rewrite(root.viewOf(op) as ViewOf<O, A, R, G, S>, operands, rw, conversion),
  );
}

/** A pattern on a kind of op of whose operands and results nothing need be known. */
export function kindConversionPattern(
  root: OpDef,
  rewrite: ConversionPattern["rewrite"],
  options: ConversionPatternOptions = {},
): ConversionPattern {
  return make(`convert-${root.name}`, root, undefined, options, rewrite);
}

/** An op's view over other operands. */
export function adaptorOf(op: Operation, operands: readonly Value[]): object {
  const stand = {
    operandUses: operands,
    operands,
    operand: (i: number) => operands[i],
    results: op.results,
    result: (i = 0) => op.results[i],
    regions: op.regions,
    successors: op.successors,
    attrs: op.attrs,
    attr: (name: string) => op.attr(name),
    ctx: op.ctx,
    view: undefined,
  };
  const view = op.def.viewOf(stand as unknown as Operation);
  return "operands" in view ? view : Object.defineProperty(view, "operands", { value: operands });
}

function single(operands: OperandRanges, pattern: string): Value[] {
  return operands.map((range) => {
    if (range.length !== 1) throw new Bug(`pattern '${pattern}' cannot take an operand that became ${range.length} values`);
    return range[0]!;
  });
}

function make(
  name: string,
  root: OpDef | undefined,
  applies: ConversionPattern["applies"],
  options: ConversionPatternOptions,
  rewrite: ConversionPattern["rewrite"],
): ConversionPattern {
  const { benefit = 1, converter, generatedOps = [], boundedRecursion = false } = options;
  return { name, benefit, root, applies, converter, generatedOps, boundedRecursion, rewrite };
}
