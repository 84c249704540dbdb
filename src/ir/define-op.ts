/**
 * One record per operation kind: operands, attributes, results, regions, traits, syntax, type inference, verifier,
 * folder. The parser, printer, verifier, builder, fuzzer and documentation all read this record.
 *
 *     export const TransOp = defineOp("tt.trans", () => ({
 *       operands: { src: AnyTensor }, attrs: { order: DenseI32ArrayAttr }, results: { result: AnyTensor },
 *       traits: [Pure], format: "$src attr-dict `:` type($src) `->` type($result)",
 *     }));
 *     const trans = TransOp.match(op);  // a typed view, or undefined
 *     trans?.src                        // Value
 *     trans?.order                      // readonly number[]
 */
import { Bug } from "../support/assert.js";
import type { OpParser, OpPrinter } from "./asm.js";
import type { Attribute, Type } from "./attribute.js";
import type { Block } from "./block.js";
import { type DictAttr, i32ArrayAttr, intsOf } from "./builtin-attrs.js";
import type { AttrConstraint, AttrSpec, RegionSpec, SuccessorSpec, TypeConstraint, ValueSpec } from "./constraints.js";
import type { Context } from "./context.js";
import type { Interface, InterfaceImpl } from "./interfaces.js";
import type { LocationRef } from "./location.js";
import type { Operation } from "./operation.js";
import type { Region } from "./region.js";
import type { Trait, TypeRule } from "./traits.js";
import * as T from "./traits.js";
import type { Value } from "./value.js";

/** Reports an error about an op; the text follows `'tt.trans' op `. */
export interface OpReport {
  error(message: string, code?: string): OpReport;
  /** An error without that prefix (MLIR's emitError); `loc` where it is not about the op itself. */
  plain(message: string, code?: string, loc?: LocationRef): OpReport;
  /** A note to the error just given. */
  note(message: string, loc?: LocationRef): OpReport;
}

/** The result of folding one op result: an existing value or a constant. */
export type FoldValue = Value | Attribute;
/**
 * Nothing (no fold), a value or constant for the only result, one for each result, or "inPlace" when the op
 * was changed and stays.
 */
export type FoldResult = undefined | FoldValue | readonly FoldValue[] | "inPlace";

export type EffectKind = "read" | "write" | "allocate" | "free";
export interface MemoryEffect {
  readonly kind: EffectKind;
  /** The value it acts on; undefined when not tied to a value. */
  readonly value?: Value | undefined;
  /** The resource; `default` is all ordinary memory. */
  readonly resource?: string;
}

type OperandSpec = TypeConstraint | ValueSpec;
type Specs<S> = Readonly<Record<string, S>>;
type ValueView<S> = S extends ValueSpec<"variadic"> ? readonly Value[] : S extends ValueSpec<"optional"> ? Value | undefined : Value;
type AttrView<S> =
  S extends AttrSpec<infer V, infer Opt> ? (true extends Opt ? V | undefined : V) : S extends AttrConstraint<infer V> ? V : never;
type RegionView<S> = S extends { readonly variadic: true } ? readonly Region[] : Region;
type SuccessorView<S> = S extends { readonly variadic: true } ? readonly Block[] : Block;

/** The typed view of an op: its operands, results, attributes, regions and successors by name, read through. */
export type ViewOf<O, A, R, G, S> = { readonly op: Operation } & { readonly [K in keyof O]: ValueView<O[K]> } & {
  readonly [K in keyof A]: AttrView<A[K]>;
} & { readonly [K in keyof R]: ValueView<R[K]> } & { readonly [K in keyof G]: RegionView<G[K]> } & {
  readonly [K in keyof S]: SuccessorView<S[K]>;
};

/** Operands and attributes by name, before the op exists: what `inferTypes` gets. */
export interface InferArgs {
  readonly ctx: Context;
  readonly operands: readonly Value[];
  readonly attrs: DictAttr;
  readonly regions: readonly Region[];
  readonly loc: LocationRef;
  /** Reports why no type can be inferred. */
  readonly report: (message: string) => void;
}

export interface OpSpec<
  O extends Specs<OperandSpec>,
  A extends Specs<AttrSpec | AttrConstraint>,
  R extends Specs<OperandSpec>,
  G extends Specs<RegionSpec>,
  S extends Specs<SuccessorSpec>,
> {
  readonly summary?: string;
  readonly operands?: O;
  readonly attrs?: A;
  readonly results?: R;
  readonly regions?: G;
  readonly successors?: S;
  readonly traits?: readonly Trait[];
  readonly interfaces?: readonly InterfaceImpl[];
  /** The sizes of so many operands' segments in versions of Triton in which the op had one variable segment: their generic form does not give them. */
  readonly sizesWithout?: (operands: number, ctx: Context) => readonly number[] | undefined;
  /** The same of results. */
  readonly resultSizesWithout?: (results: number, ctx: Context) => readonly number[] | undefined;
  /** Upstream's declarative assembly format. Without one, and without `parse`/`print`, the op has only the generic form. */
  readonly format?: string;
  readonly parse?: (p: OpParser) => void;
  readonly print?: (view: ViewOf<O, A, R, G, S>, p: OpPrinter) => void;
  /** Result types from operands and attributes (InferTypeOpInterface); undefined when it cannot tell. */
  readonly inferTypes?: (args: InferArgs & { readonly view: ViewOf<O, A, object, object, object> }) => readonly Type[] | undefined;
  readonly verify?: (view: ViewOf<O, A, R, G, S>, report: OpReport) => void;
  /** Set if `verify` depends on nothing else: ops that are alike are then verified only once. */
  readonly verifyDependsOn?: "types and attributes";
  /** Runs after the nested ops were verified. */
  readonly verifyRegions?: (view: ViewOf<O, A, R, G, S>, report: OpReport) => void;
  /** `constants[i]` is the constant value of operand i, where it is one. */
  readonly fold?: (view: ViewOf<O, A, R, G, S>, constants: readonly (Attribute | undefined)[]) => FoldResult;
  /** Memory effects; `Pure` says none. Without either the op's effects are unknown. */
  readonly effects?: (view: ViewOf<O, A, R, G, S>) => readonly MemoryEffect[];
  /** Names the printer tries for results (`cst`, `c0_i32`), without `%`. */
  readonly resultNames?: (view: ViewOf<O, A, R, G, S>) => readonly (string | undefined)[];
  /** Names the printer tries for the entry arguments of a region. */
  readonly regionArgNames?: (view: ViewOf<O, A, R, G, S>, region: Region) => readonly (string | undefined)[];
  /** Prints a nested default dialect's ops without prefix (`module` bodies use the builtin dialect's). */
  readonly defaultDialect?: string;
}

/** The values of a creation by name: `{ src, order: [1, 0] }`. Attributes may be given as attributes or plain values. */
export type CreateArgs<O, A, G, S> = {
  readonly [K in keyof O as O[K] extends ValueSpec<"optional"> ? never : K]: ValueView<O[K]>;
} & { readonly [K in keyof O as O[K] extends ValueSpec<"optional"> ? K : never]?: Value | undefined } & {
  readonly [K in keyof A]?: AttrView<A[K]> | Attribute;
} & { readonly [K in keyof G]?: RegionView<G[K]> } & { readonly [K in keyof S]?: SuccessorView<S[K]> };

export interface NamedValueSpec {
  readonly name: string;
  readonly arity: "single" | "optional" | "variadic";
  readonly constraint: TypeConstraint;
  readonly partSizes?: string | undefined;
}
export interface NamedAttrSpec {
  readonly name: string;
  readonly constraint: AttrConstraint;
  readonly optional: boolean;
  readonly default: ((ctx: Context) => Attribute) | undefined;
}

/** The definition of an operation kind, without the types of its parts: what generic code sees. */
export interface OpDef {
  readonly name: string;
  readonly dialect: string;
  /** False for the stand-in made for an op of an unregistered dialect. */
  readonly registered: boolean;
  readonly summary: string;
  readonly operands: readonly NamedValueSpec[];
  readonly attrs: readonly NamedAttrSpec[];
  readonly results: readonly NamedValueSpec[];
  readonly regions: readonly (RegionSpec & { readonly name: string })[];
  readonly successors: readonly (SuccessorSpec & { readonly name: string })[];
  readonly traits: ReadonlySet<Trait>;
  readonly typeRules: readonly TypeRule[];
  readonly format: string | undefined;
  readonly parse: ((p: OpParser) => void) | undefined;
  readonly print: ((view: never, p: OpPrinter) => void) | undefined;
  readonly inferTypes: ((args: InferArgs & { readonly view: never }) => readonly Type[] | undefined) | undefined;
  readonly verify: ((view: never, report: OpReport) => void) | undefined;
  readonly verifyDependsOn: "types and attributes" | undefined;
  readonly verifyRegions: ((view: never, report: OpReport) => void) | undefined;
  readonly fold: ((view: never, constants: readonly (Attribute | undefined)[]) => FoldResult) | undefined;
  readonly effects: ((view: never) => readonly MemoryEffect[]) | undefined;
  readonly resultNames: ((view: never) => readonly (string | undefined)[]) | undefined;
  readonly regionArgNames: ((view: never, region: Region) => readonly (string | undefined)[]) | undefined;
  readonly defaultDialect: string | undefined;
  // Traits that hot loops ask for.
  readonly isTerminator: boolean;
  readonly isIsolated: boolean;
  readonly isConstantLike: boolean;
  readonly isCommutative: boolean;
  readonly isPure: boolean;
  readonly sizedOperands: boolean;
  readonly sizesWithout: ((operands: number, ctx: Context) => readonly number[] | undefined) | undefined;
  readonly resultSizesWithout: ((results: number, ctx: Context) => readonly number[] | undefined) | undefined;
  readonly sizedResults: boolean;
  /** Names of inherent attributes: printed in `<{}>` in the generic form. */
  readonly inherent: ReadonlySet<string>;
  /** The interfaces it implements, in order: they are verified so. */
  readonly interfaces: readonly Interface<unknown>[];
  interface<I>(key: Interface<I>): I | undefined;
  /** What `defineOp` was given. */
  readonly spec: () => OpSpec<never, never, never, never, never>;
  /** The view of an op of this kind (unchecked). */
  viewOf(op: Operation): object;
  /** Compiled assembly format; owned by `syntax`. */
  program: unknown;
  /** The checks that the verifier derives from the definition; owned by `verify.ts`. */
  checks: unknown;
}

/** A definition with the types of its parts. */
export interface TypedOpDef<O, A, R, G, S> extends OpDef {
  /** The typed view of `op` if it is of this kind. */
  match(op: Operation | null | undefined): ViewOf<O, A, R, G, S> | undefined;
  is(op: Operation | null | undefined): boolean;
  /** Phantom: the types of `create`'s arguments. */
  readonly args?: CreateArgs<O, A, G, S>;
  readonly viewType?: ViewOf<O, A, R, G, S>;
}
/** The view type of a definition: `View<typeof TransOp>`. */
export type View<D> = D extends TypedOpDef<infer O, infer A, infer R, infer G, infer S> ? ViewOf<O, A, R, G, S> : never;
type None = {};

/** Defines a kind of op. `spec` is called when a part of it is first used. */
export function defineOp<
  const O extends Specs<OperandSpec> = None,
  const A extends Specs<AttrSpec | AttrConstraint> = None,
  const R extends Specs<OperandSpec> = None,
  const G extends Specs<RegionSpec> = None,
  const S extends Specs<SuccessorSpec> = None,
>(name: string, spec: () => OpSpec<O, A, R, G, S>): TypedOpDef<O, A, R, G, S> {
  let View: (new (op: Operation) => object) | undefined;
  const def = {
    __proto__: UNMADE,
    name,
    dialect: name.slice(0, name.indexOf(".")),
    registered: true,
    spec,
    viewOf: (op: Operation) => (op.view ??= new (View ??= viewClass(def))(op)),
    match: (op: Operation | null | undefined) => (op != null && op.def === def ? def.viewOf(op) : undefined),
    is: (op: Operation | null | undefined) => op != null && op.def === def,
    program: undefined,
    checks: undefined,
  } as unknown as TypedOpDef<O, A, R, G, S>;
  return def;
}

const NONE: readonly never[] = [];
const entriesOf = <T>(specs: Specs<T> | undefined): readonly (readonly [string, T])[] => (specs ? Object.entries(specs) : NONE);

/** The parts of a definition that follow from its spec. */
type Parts = Omit<OpDef, "name" | "dialect" | "registered" | "spec" | "viewOf" | "program" | "checks">;

function partsOf(spec: ReturnType<OpDef["spec"]>): Parts {
  const operands = namedValues(spec.operands);
  const results = namedValues(spec.results);
  const attrs = entriesOf<AttrSpec | AttrConstraint>(spec.attrs).map(
    ([name, s]): NamedAttrSpec =>
      "constraint" in s
        ? {
            name,
            constraint: s.constraint,
            optional: s.optional || s.constraint.syntax === "unit",
            default: s.default && oncePerContext(s.default),
          }
        : { name, constraint: s, optional: false, default: undefined },
  );
  const regions = entriesOf<RegionSpec>(spec.regions).map(([name, s]) => ({ ...s, name }));
  const successors = entriesOf<SuccessorSpec>(spec.successors).map(([name, s]) => ({ ...s, name }));
  const traits = new Set<Trait>();
  const addTrait = (trait: Trait) => {
    traits.add(trait);
    for (const implied of trait.implies ?? []) addTrait(implied);
  };
  // Traits are verified in this order.
  for (const trait of spec.traits ?? []) if (trait.predicate) addTrait(trait);
  for (const trait of spec.traits ?? []) addTrait(trait);
  const interfaces = spec.interfaces && new Map<Interface<unknown>, unknown>(spec.interfaces.map((i) => [i.key, i.impl]));
  const inherent = new Set<string>();
  for (const { name } of attrs) inherent.add(name);
  const sizedOperands = traits.has(T.AttrSizedOperandSegments);
  const sizedResults = traits.has(T.AttrSizedResultSegments);
  if (sizedOperands) inherent.add("operandSegmentSizes");
  if (sizedResults) inherent.add("resultSegmentSizes");

  return {
    summary: spec.summary ?? "",
    operands,
    attrs,
    results,
    regions,
    successors,
    traits,
    typeRules: [...traits].flatMap((t) => t.typeRules?.(operands, results) ?? []),
    sizesWithout: spec.sizesWithout,
    resultSizesWithout: spec.resultSizesWithout,
    format: spec.format,
    parse: spec.parse,
    print: spec.print,
    inferTypes: spec.inferTypes,
    verify: spec.verify,
    verifyDependsOn: spec.verifyDependsOn,
    verifyRegions: spec.verifyRegions,
    fold: spec.fold,
    effects: spec.effects,
    resultNames: spec.resultNames ?? (results.length > 1 ? resultNamesOf(results) : undefined),
    regionArgNames: spec.regionArgNames,
    defaultDialect: spec.defaultDialect,
    isTerminator: traits.has(T.Terminator),
    isIsolated: traits.has(T.IsolatedFromAbove),
    isConstantLike: traits.has(T.ConstantLike),
    isCommutative: traits.has(T.Commutative),
    isPure: traits.has(T.Pure),
    sizedOperands,
    sizedResults,
    inherent,
    interfaces: interfaces ? [...interfaces.keys()] : NONE,
    interface: <I>(key: Interface<I>) => interfaces?.get(key) as I | undefined,
  };
}

/**
 * The prototype of definitions until somebody asks for a part. A command defines some 800 ops when it starts, and uses a tenth of them:
 * specs are functions, and the parts of an op are made of its spec once.
 */
const UNMADE = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.keys(partsOf({})).map((part) => [
      part,
      {
        get(this: OpDef) {
          Object.setPrototypeOf(this, Object.prototype);
          return Object.assign(this, partsOf(this.spec()))[part as keyof OpDef];
        },
      },
    ]),
  ),
);

/** The views of one kind of op share a prototype with the getters; a plain constructor makes them cheap. */
function viewClass(def: OpDef): new (op: Operation) => object {
  const View = function (this: { op: Operation }, op: Operation) {
    this.op = op;
  } as unknown as new (
    op: Operation,
  ) => object;
  (View as { prototype: object }).prototype = viewPrototype(def);
  return View;
}

/** An op with several results names the first of each group after its part, as upstream's generated code does. */
function resultNamesOf(specs: readonly NamedValueSpec[]): (view: never) => readonly (string | undefined)[] {
  return (view) => {
    const { results } = (view as { readonly op: Operation }).op;
    const names = new Array<string | undefined>(results.length).fill(undefined);
    for (const { name } of specs) {
      const part = (view as Readonly<Record<string, Value | readonly Value[] | undefined>>)[name];
      const first = Array.isArray(part) ? (part as readonly Value[])[0] : (part as Value | undefined);
      if (first) names[first.index] = name;
    }
    return names;
  };
}

/** The stand-in definition of an op that no registered dialect defines: generic form only, nothing known. */
export function unregisteredOp(name: string, isTerminator = false): OpDef {
  const def = defineOp(name, () => ({ traits: isTerminator ? [T.Terminator] : [] }));
  return Object.assign(def, { registered: false });
}

/** Defaults are asked for at every op: the last Context's is kept. */
function oncePerContext(make: (ctx: Context) => Attribute): (ctx: Context) => Attribute {
  let last: Attribute | undefined;
  return (ctx) => (last?.ctx === ctx ? last : (last = make(ctx)));
}

function namedValues(specs: Specs<OperandSpec> | undefined): readonly NamedValueSpec[] {
  // All of one shape, as hot loops want them.
  return entriesOf(specs).map(([name, s]) =>
    "arity" in s
      ? { name, arity: s.arity, constraint: s.constraint, partSizes: s.partSizes }
      : { name, arity: "single", constraint: s, partSizes: undefined },
  );
}

/** Attributes with the sizes of groups that the generic form does not give: the op had one variable group in the Context's version of Triton. */
export function sizesWithout(ctx: Context, def: OpDef, numOperands: number, numResults: number): readonly (readonly [string, Attribute])[] {
  const sizes = [
    ["operandSegmentSizes", def.sizesWithout?.(numOperands, ctx)],
    ["resultSegmentSizes", def.resultSizesWithout?.(numResults, ctx)],
  ] as const;
  return sizes.flatMap(([name, list]) => (list ? [[name, i32ArrayAttr(ctx, list)] as const] : []));
}

/**
 * Start and size of each group of a value list. Several variadic groups need the sizes attribute; a single
 * one takes what the others leave (SameVariadicSize: they share it evenly).
 */
export function groupRange(
  specs: readonly NamedValueSpec[],
  index: number,
  total: number,
  sizes: readonly number[] | undefined,
): { start: number; size: number } {
  if (sizes) {
    let start = 0;
    for (let i = 0; i < index; i++) start += sizes[i] ?? 0;
    return { start, size: sizes[index] ?? 0 };
  }
  const numVariable = specs.reduce((n, s) => n + (s.arity === "single" ? 0 : 1), 0);
  const each = numVariable === 0 ? 1 : Math.floor((total - (specs.length - numVariable)) / numVariable);
  let start = 0;
  for (let i = 0; i < index; i++) start += specs[i]!.arity === "single" ? 1 : each;
  return { start, size: specs[index]!.arity === "single" ? 1 : each };
}

function viewPrototype(def: OpDef): object {
  const prototype = {};
  const define = (name: string, get: (op: Operation) => unknown) => {
    if (name === "op") throw new Bug(`${def.name}: a part may not be named 'op'`);
    Object.defineProperty(prototype, name, {
      get(this: { readonly op: Operation }) {
        return get(this.op);
      },
      enumerable: true,
    });
  };
  defineGroups(
    def.operands,
    def.sizedOperands ? "operandSegmentSizes" : undefined,
    define,
    (op) => op.operandUses.length,
    (op, i) => op.operand(i),
  );
  defineGroups(
    def.results,
    def.sizedResults ? "resultSegmentSizes" : undefined,
    define,
    (op) => op.results.length,
    (op, i) => op.result(i),
  );
  for (const { name, constraint, default: dflt } of def.attrs) {
    const unit = constraint.syntax === "unit";
    define(name, (op) => {
      const attr = op.attr(name) ?? dflt?.(op.ctx);
      return attr === undefined ? (unit ? false : undefined) : constraint.read(attr);
    });
  }
  def.regions.forEach(({ name, variadic }, i) => {
    define(name, (op) => (variadic ? op.regions.slice(i) : op.regions[i]));
  });
  def.successors.forEach(({ name, variadic }, i) => {
    define(name, (op) => (variadic ? op.successors.slice(i).map((s) => s.block) : op.successors[i]!.block));
  });
  return prototype;
}

function defineGroups(
  specs: readonly NamedValueSpec[],
  sizesAttr: string | undefined,
  define: (name: string, get: (op: Operation) => unknown) => void,
  count: (op: Operation) => number,
  at: (op: Operation, index: number) => Value,
): void {
  const fixed = specs.every((s) => s.arity === "single");
  specs.forEach(({ name, arity }, index) => {
    if (fixed) return define(name, (op) => at(op, index));
    define(name, (op) => {
      const { start, size } = groupRange(specs, index, count(op), sizesAttr ? intsOf(op.attr(sizesAttr)) : undefined);
      if (arity === "variadic") return Array.from({ length: size }, (_, i) => at(op, start + i));
      return size === 0 ? undefined : at(op, start);
    });
  });
}
