import { Bug } from "../support/assert.js";
import { Attribute, Type } from "./attribute.js";
import type { Block } from "./block.js";
import { dictAttr, i32ArrayAttr, unitAttr } from "./builtin-attrs.js";
import type { Context } from "./context.js";
import type { CreateArgs, OpDef, TypedOpDef, ViewOf } from "./define-op.js";
import type { LocationRef } from "./location.js";
import { Operation } from "./operation.js";
import type { Region } from "./region.js";
import type { Value } from "./value.js";

/** Options of `create` besides the parts of the op. */
export interface CreateOptions {
  readonly loc?: LocationRef;
  /** Result types; needed where the definition cannot infer them. `undefined` is an optional result that is not there. */
  readonly types?: readonly (Type | undefined)[];
  /** Discardable attributes. */
  readonly extraAttrs?: readonly (readonly [string, Attribute])[];
}

/** Makes operations at an insertion point. The rewriter wraps one and adds its records. */
export class Builder {
  block: Block | null = null;
  /** New ops go before this one; at the end of `block` when null. */
  before: Operation | null = null;
  /** Called for every op that is inserted; for the rewriter's listeners. */
  onInsert: ((op: Operation) => void) | undefined = undefined;

  constructor(
    readonly ctx: Context,
    public loc: LocationRef,
  ) {}

  static before(op: Operation): Builder {
    return new Builder(op.ctx, op.locRef).setBefore(op);
  }
  static atEnd(block: Block, loc: LocationRef): Builder {
    return new Builder(block.ctx, loc).setEnd(block);
  }
  static atStart(block: Block, loc: LocationRef): Builder {
    return new Builder(block.ctx, loc).setStart(block);
  }
  setBefore(op: Operation): this {
    this.block = op.block;
    this.before = op;
    return this;
  }
  setAfter(op: Operation): this {
    this.block = op.block;
    this.before = op.next;
    return this;
  }
  setAfterValue(value: Value): this {
    const op = value.definingOp;
    return op ? this.setAfter(op) : this.setStart(value.argOwner!);
  }
  setStart(block: Block): this {
    this.block = block;
    this.before = block.firstOp;
    return this;
  }
  setEnd(block: Block): this {
    this.block = block;
    this.before = null;
    return this;
  }
  /** Runs `body` and then restores the insertion point. */
  preserving<T>(body: () => T): T {
    const { block, before, loc } = this;
    try {
      return body();
    } finally {
      this.block = block;
      this.before = before;
      this.loc = loc;
    }
  }

  /** Puts a detached op at the insertion point. */
  insert(op: Operation): Operation {
    this.block?.insert(op, this.before);
    this.onInsert?.(op);
    return op;
  }

  /**
   * Makes an op of kind `def` from its parts by name and inserts it; result types are inferred where the definition
   * says how. Returns its view.
   */
  create<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>, options: CreateOptions = {}): ViewOf<O, A, R, G, S> {
    const op = buildOperation(
      this.ctx,
      def,
      args as Readonly<Record<string, unknown>>,
      options.loc ?? this.loc,
      options.types,
      options.extraAttrs,
    );
    this.insert(op);
    return def.viewOf(op) as ViewOf<O, A, R, G, S>;
  }
  /** `create` for one result: returns the value. */
  value<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>, options: CreateOptions = {}): Value {
    return (this.create(def, args, options) as { readonly op: Operation }).op.result(0);
  }
}

/** Makes a detached op from parts by name. */
export function buildOperation(
  ctx: Context,
  def: OpDef,
  args: Readonly<Record<string, unknown>>,
  loc: LocationRef,
  types: readonly (Type | undefined)[] | undefined,
  extraAttrs: readonly (readonly [string, Attribute])[] = [],
): Operation {
  const operands: Value[] = [];
  const sizes: number[] = [];
  for (const { name, arity } of def.operands) {
    const part = args[name] as Value | readonly Value[] | undefined;
    const before = operands.length;
    if (part === undefined) {
      if (arity === "single") throw new Bug(`${def.name}: operand '${name}' is missing`);
    } else if (Array.isArray(part)) operands.push(...(part as readonly Value[]));
    else operands.push(part as Value);
    sizes.push(operands.length - before);
  }
  const attrs: [string, Attribute][] = [...extraAttrs] as [string, Attribute][];
  for (const { name, constraint, optional, default: dflt } of def.attrs) {
    const given = args[name];
    if (given instanceof Attribute) attrs.push([name, given]);
    else if (constraint.syntax === "unit") given === true && attrs.push([name, unitAttr(ctx)]);
    else if (given !== undefined) attrs.push([name, constraint.write!(ctx, given)]);
    else if (dflt) attrs.push([name, dflt(ctx)]);
    else if (!optional) throw new Bug(`${def.name}: attribute '${name}' is missing`);
  }
  if (def.sizedOperands) attrs.push(["operandSegmentSizes", i32ArrayAttr(ctx, sizes)]);
  const regions = def.regions.flatMap(({ name, variadic }): readonly (Region | undefined)[] => {
    const part = args[name] as Region | readonly Region[] | undefined;
    if (part === undefined) return variadic ? [] : [undefined];
    return Array.isArray(part) ? (part as readonly Region[]) : [part as Region];
  });
  const successors = def.successors.flatMap(({ name }) => {
    const part = args[name] as Block | readonly Block[];
    return Array.isArray(part) ? (part as readonly Block[]) : [part as Block];
  });
  if (def.sizedResults)
    attrs.push([
      "resultSegmentSizes",
      i32ArrayAttr(
        ctx,
        def.results.map((_, i) => (types?.[i] ? 1 : 0)),
      ),
    ]);
  const dict = dictAttr(ctx, attrs);
  const resultTypes = types?.filter((type) => type !== undefined) ?? inferResultTypes(ctx, def, operands, dict, [], loc);
  if (!resultTypes) throw new Bug(`${def.name}: result types can be neither inferred nor are they given`);
  const made = regions.some((r) => r !== undefined);
  const op = new Operation(ctx, def, { loc, operands, resultTypes, attrs: dict, successors, numRegions: made ? 0 : regions.length });
  if (made) for (const region of regions) adoptRegion(op, region);
  return op;
}

function adoptRegion(op: Operation, region: Region | undefined): void {
  const slot = op.addRegion();
  if (region) slot.takeBlocksOf(region);
}

/** Result types by the definition's own rule or its traits; undefined when neither gives them. */
export function inferResultTypes(
  ctx: Context,
  def: OpDef,
  operands: readonly Value[],
  attrs: Operation["attrs"],
  regions: readonly Region[],
  loc: LocationRef,
  report: (message: string) => void = () => {},
): readonly Type[] | undefined {
  if (def.results.length === 0) return [];
  if (def.inferTypes) {
    const probe = new InferView(def, operands, attrs).view;
    return def.inferTypes({ ctx, operands, attrs, regions, loc, report, view: probe as never });
  }
  const types: (Type | undefined)[] = def.results.map((r) => (r.arity === "single" ? r.constraint.build?.(ctx) : undefined));
  for (const rule of def.typeRules) {
    if (rule.kind === "same") {
      const from = rule.names.map((name) => def.operands.findIndex((o) => o.name === name)).find((i) => i >= 0);
      const type = from === undefined ? undefined : operands[from]?.type;
      if (type) def.results.forEach((r, i) => rule.names.includes(r.name) && (types[i] ??= type));
    } else {
      const from = def.operands.findIndex((o) => o.name === rule.from);
      const to = def.results.findIndex((r) => r.name === rule.to);
      const source = operands[from]?.type;
      if (source && to >= 0) types[to] ??= rule.transform(source, (name) => attrs.params.values[attrs.params.names.indexOf(name)]);
    }
  }
  return types.every((t) => t instanceof Type) ? (types as Type[]) : undefined;
}

/** A view over operands and attributes of an op that does not exist yet. */
class InferView {
  readonly view: object;
  constructor(def: OpDef, operands: readonly Value[], attrs: Operation["attrs"]) {
    const stand = {
      operandUses: operands,
      results: [],
      regions: [],
      successors: [],
      ctx: attrs.ctx,
      view: undefined,
      operand: (i: number) => operands[i],
      result: () => undefined,
      attr: (name: string) => attrs.params.values[attrs.params.names.indexOf(name)],
    };
    this.view = def.viewOf(stand as unknown as Operation);
  }
}
