/** How a dialect conversion changes types. Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, TypeConverter. */
import type { Type } from "../ir/attribute.js";
import type { Block } from "../ir/block.js";
import type { LocationRef } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import type { Rewriter } from "./rewriter.js";

/**
 * The replacement of a type: a type, several or none. Null: it cannot be converted; undefined: left to the rules added
 * before.
 */
export type TypeRule = (type: Type) => Type | readonly Type[] | null | undefined;
/** Makes values of `types` from `inputs` at the rewriter's insertion point, or leaves it to the rules added before. */
export type Materialization = (
  rw: Rewriter,
  types: readonly Type[],
  inputs: readonly Value[],
  loc: LocationRef,
  /** For a target materialization the type that the converter turned into `types`. */
  originalType: Type | undefined,
) => Value | readonly Value[] | undefined;

/** Rules for the types of values in a dialect conversion; the one added last is asked first. */
export class TypeConverter {
  readonly #rules: TypeRule[] = [];
  readonly #cache = new Map<Type, readonly Type[] | null>();
  readonly #source: Materialization[] = [];
  readonly #target: Materialization[] = [];
  readonly #argument: Materialization[] = [];

  /** Adds a rule; the one added last is asked first. */
  addConversion(rule: TypeRule): this {
    this.#rules.push(rule);
    this.#cache.clear();
    return this;
  }
  /** How a converted value is turned back for a user that was not converted. */
  addSourceMaterialization(fn: Materialization): this {
    this.#source.push(fn);
    return this;
  }
  /** How a value is turned into what a converted user expects. */
  addTargetMaterialization(fn: Materialization): this {
    this.#target.push(fn);
    return this;
  }
  /**
   * How a converted block argument is turned back; without one it is done as for any other value.
   * (Upstream had this of its own until LLVM 21.)
   */
  addArgumentMaterialization(fn: Materialization): this {
    this.#argument.push(fn);
    return this;
  }

  /** The types that replace a type; undefined when it cannot be converted. */
  convert(type: Type): readonly Type[] | undefined {
    let result = this.#cache.get(type);
    if (result === undefined) {
      result = this.compute(type);
      this.#cache.set(type, result);
    }
    return result ?? undefined;
  }
  private compute(type: Type): readonly Type[] | null {
    for (let i = this.#rules.length - 1; i >= 0; i--) {
      const result = this.#rules[i]!(type);
      if (result === undefined) continue;
      return result === null || Array.isArray(result) ? (result as readonly Type[] | null) : [result as Type];
    }
    return null;
  }
  /** The one type that replaces a type; undefined when there are several or none. */
  convertType(type: Type): Type | undefined {
    const types = this.convert(type);
    return types?.length === 1 ? types[0] : undefined;
  }
  /** The types that replace all of `types`, in order; undefined when one cannot be converted. */
  convertTypes(types: readonly Type[]): Type[] | undefined {
    const all: Type[] = [];
    for (const type of types) {
      const converted = this.convert(type);
      if (!converted) return undefined;
      all.push(...converted);
    }
    return all;
  }

  isLegalType(type: Type): boolean {
    return this.convertType(type) === type;
  }
  areLegalTypes(types: readonly Type[]): boolean {
    return types.every((type) => this.isLegalType(type));
  }
  /** Whether an op uses and gives legal types only. */
  isLegal(op: Operation): boolean {
    for (const use of op.operandUses) if (!this.isLegalType(use.value.type)) return false;
    for (const result of op.results) if (!this.isLegalType(result.type)) return false;
    return true;
  }

  /** The new signature of a block; undefined when the type of an argument cannot be converted. */
  convertBlockSignature(block: Block): SignatureConversion | undefined {
    const signature = new SignatureConversion(block.args.length);
    const converted = this.convertSignature(
      block.args.map((arg) => arg.type),
      signature,
    );
    return converted ? signature : undefined;
  }
  /** Adds what becomes of arguments `from`, `from + 1`, ... of these types. */
  convertSignature(types: readonly Type[], signature: SignatureConversion, from = 0): boolean {
    return types.every((type, i) => {
      const converted = this.convert(type);
      if (!converted) return false;
      if (converted.length > 0) signature.addInputs(converted, from + i);
      return true;
    });
  }

  materializeSource(rw: Rewriter, type: Type, inputs: readonly Value[], loc: LocationRef): readonly Value[] | undefined {
    const forArguments = inputs.length > 0 && inputs.every((value) => value.argOwner !== undefined);
    const own = forArguments ? run(this.#argument, rw, [type], inputs, loc, undefined) : undefined;
    return own ?? run(this.#source, rw, [type], inputs, loc, undefined);
  }
  materializeTarget(
    rw: Rewriter,
    types: readonly Type[],
    inputs: readonly Value[],
    loc: LocationRef,
    originalType: Type | undefined,
  ): readonly Value[] | undefined {
    return run(this.#target, rw, types, inputs, loc, originalType);
  }
}

function run(
  rules: readonly Materialization[],
  rw: Rewriter,
  types: readonly Type[],
  inputs: readonly Value[],
  loc: LocationRef,
  originalType: Type | undefined,
): readonly Value[] | undefined {
  for (let i = rules.length - 1; i >= 0; i--) {
    const result = rules[i]!(rw, types, inputs, loc, originalType);
    if (result === undefined) continue;
    const values = Array.isArray(result) ? (result as readonly Value[]) : [result as Value];
    if (values.length !== types.length || values.some((v, k) => v.type !== types[k]))
      throw new Bug("a materialization gave other types than asked for");
    return values;
  }
  return undefined;
}

/** The replacement of an argument: new arguments, or existing values. */
export type InputMapping =
  | { readonly kind: "arguments"; readonly first: number; readonly count: number }
  | { readonly kind: "values"; readonly values: readonly Value[] };

/** How the arguments of a block change. An argument without mapping is dropped. */
export class SignatureConversion {
  readonly types: Type[] = [];
  readonly #mappings: (InputMapping | undefined)[];
  constructor(numInputs: number) {
    this.#mappings = new Array<InputMapping | undefined>(numInputs).fill(undefined);
  }
  mapping(input: number): InputMapping | undefined {
    return this.#mappings[input];
  }
  /** Adds arguments, which stand for the original argument `input` if given. */
  addInputs(types: readonly Type[], input?: number): this {
    if (input !== undefined) this.remap(input, { kind: "arguments", first: this.types.length, count: types.length });
    this.types.push(...types);
    return this;
  }
  /** Maps an argument to new ones added before. */
  remapInput(input: number, first: number, count = 1): this {
    return this.remap(input, { kind: "arguments", first, count });
  }
  /** Drops an argument in favour of values. */
  replaceInput(input: number, values: readonly Value[]): this {
    return this.remap(input, { kind: "values", values });
  }
  private remap(input: number, mapping: InputMapping): this {
    if (this.#mappings[input]) throw new Bug(`argument ${input} has been remapped already`);
    this.#mappings[input] = mapping;
    return this;
  }
}
