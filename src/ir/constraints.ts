/**
 * Constraints on operands, results and attributes. A type constraint has upstream's description, which is what
 * verifier messages quote; an attribute constraint also knows how to read and write the attribute as a plain value.
 */
import type { AttrParser, AttrPrinter } from "./asm.js";
import type { Attribute, Type } from "./attribute.js";
import {
  ArrayAttr,
  boolAttr,
  DenseArrayAttr,
  DenseElementsAttr,
  DictionaryAttr,
  denseArray,
  IntegerAttr,
  type i32Attr,
  type i64Attr,
  intsOf,
  StringAttr,
  SymbolRefAttr,
  stringAttr,
  symbolRef,
  TypeAttr,
  typeAttr,
  UnitAttr,
  unitAttr,
} from "./builtin-attrs.js";
import {
  type FloatKind,
  FloatType,
  FunctionType,
  floatType,
  IntegerType,
  i1,
  i8,
  i16,
  i32,
  i64,
  indexType,
  intType,
  isFloat,
  isIndex,
  isInteger,
  noneType,
  RankedTensorType,
} from "./builtin-types.js";
import type { Context } from "./context.js";

export interface TypeConstraint {
  /** As upstream's summary: "must be <description>, but got ...". */
  readonly description: string;
  test(type: Type): boolean;
  /** The one type that fits, if there is just one: then the assembly format need not name it. */
  readonly build?: ((ctx: Context) => Type) | undefined;
  /** The one kind of type that fits, where assembly formats write it without its `!dialect.mnemonic`: its definition's name. */
  readonly stripped?: string | undefined;
  /** The kind of type that assembly formats read here (upstream's C++ class), where that is narrower than any type. */
  readonly kind?: { readonly name: string; is(type: Type): boolean } | undefined;
}
export type Arity = "single" | "optional" | "variadic";
export interface ValueSpec<A extends Arity = Arity> {
  readonly arity: A;
  readonly constraint: TypeConstraint;
  /** The attribute with the sizes of the parts, where the group is a list of lists (VariadicOfVariadic). */
  readonly partSizes?: string | undefined;
}
/** Any number of values. */
export const variadic = (constraint: TypeConstraint): ValueSpec<"variadic"> => ({ arity: "variadic", constraint });
/** Lists of values, whose lengths are in the attribute `partSizes`. */
export const variadicOfVariadic = (constraint: TypeConstraint, partSizes: string): ValueSpec<"variadic"> => ({
  arity: "variadic",
  constraint,
  partSizes,
});
export const optional = (constraint: TypeConstraint): ValueSpec<"optional"> => ({ arity: "optional", constraint });

/** A constraint on types. `description` is its name in errors; `build` makes the type where only one fits. */
export function typeConstraint(description: string, test: (type: Type) => boolean, build?: (ctx: Context) => Type): TypeConstraint {
  // All of one shape, as hot loops want them.
  return { description, test, build, stripped: undefined, kind: undefined };
}
/** A type that one of the constraints takes. */
export function anyOf(description: string, ...constraints: readonly TypeConstraint[]): TypeConstraint {
  return typeConstraint(description, (t) => {
    for (let i = 0; i < constraints.length; i++) if (constraints[i]!.test(t)) return true;
    return false;
  });
}
export const AnyType = typeConstraint("any type", () => true);
/** A signless integer type. */
export const I = (width: number): TypeConstraint => ({
  ...typeConstraint(
    `${width}-bit signless integer`,
    (t) => isInteger(t, width),
    (ctx) => intType(ctx, width),
  ),
  kind: IntegerType,
});
export const I1 = I(1);
export const I8 = I(8);
export const I16 = I(16);
export const I32 = I(32);
export const I64 = I(64);
export const Index = typeConstraint("index", isIndex, indexType);
export const AnyInteger = typeConstraint("integer", (t) => IntegerType.is(t));
export const AnySignlessInteger: TypeConstraint = { ...typeConstraint("signless integer", (t) => isInteger(t)), kind: IntegerType };
export const AnySignlessIntegerOrIndex = anyOf("signless integer or index", AnySignlessInteger, Index);
export const AnyFloat = typeConstraint("floating-point", (t) => FloatType.is(t));
/** A float type. */
export const F = (kind: FloatKind, description: string): TypeConstraint =>
  typeConstraint(
    description,
    (t) => isFloat(t, kind),
    (ctx) => floatType(ctx, kind),
  );
export const F32 = F("f32", "32-bit float");
export const AnyRankedTensor = rankedTensorOf(AnyType);
export const AnyFunctionType = typeConstraint("function type", (t) => FunctionType.is(t));
export function rankedTensorOf(element: TypeConstraint, description = `ranked tensor of ${element.description} values`): TypeConstraint {
  return {
    ...typeConstraint(description, (t) => RankedTensorType.is(t) && element.test(t.params.elementType)),
    kind: RankedTensorType,
  };
}

// --- attributes -----------------------------------------------------------------------------

/** How an enum's integer is spelt. */
export interface EnumCases {
  readonly name: string;
  /** keyword of each value */
  readonly cases: Readonly<Record<string, number>>;
}

export interface AttrConstraint<T = unknown> {
  readonly description: string;
  test(attr: Attribute): boolean;
  /** The attribute as a plain value for views. */
  read(attr: Attribute): T;
  /** The attribute of a plain value; definitions whose attributes are built from plain values have it. */
  write?(ctx: Context, value: T): Attribute;
  /** The type an assembly format need not print after the value. */
  readonly type?: (ctx: Context) => Type;
  /** An enum kept as an integer and spelt as a keyword in assembly formats. */
  readonly enum?: EnumCases;
  /** A dialect attribute that assembly formats print without its `#dialect.mnemonic`: its definition's name. */
  readonly stripped?: string;
  /** How assembly formats spell it, where none of the ways above fits. `parse` returns undefined when it does not start here. */
  readonly spelling?: { parse(p: AttrParser): Attribute | undefined; print(attr: Attribute, p: AttrPrinter): string };
  /** The kind, where assembly formats treat it specially. */
  readonly syntax?: "symbolName" | "unit" | "typedArray" | "type" | "attrDict";
}
export interface AttrSpec<T = unknown, Opt extends boolean = boolean> {
  readonly constraint: AttrConstraint<T>;
  readonly optional: Opt;
  /** An attribute that is always there, and not printed when it has this value. */
  readonly default?: (ctx: Context) => Attribute;
}
/** An attribute that may be absent. */
export function optionalAttr<T>(constraint: AttrConstraint<T>): AttrSpec<T, true> {
  return { constraint, optional: true };
}
/** DefaultValuedAttr: present with this value unless given. */
export function defaultAttr<T>(constraint: AttrConstraint<T>, value: T): AttrSpec<T, false> {
  return { constraint, optional: false, default: (ctx) => constraint.write!(ctx, value) };
}

function intConstraint(
  width: number,
  type: (ctx: Context) => Type,
  extra = "",
  ok: (v: bigint) => boolean = () => true,
): AttrConstraint<number> {
  return {
    description: `${width}-bit signless integer attribute${extra}`,
    test: (a) => IntegerAttr.is(a) && isInteger(a.params.type, width) && ok(a.params.value),
    read: (a) => Number((a as ReturnType<typeof i32Attr>).params.value),
    write: (ctx, value) => IntegerAttr.get(ctx, { value: BigInt(value), type: type(ctx) }),
    type,
  };
}
export const I8Attr = intConstraint(8, i8);
export const I16Attr = intConstraint(16, i16);
export const I32Attr = intConstraint(32, i32);
export const I64Attr = intConstraint(64, i64);
export const NonNegativeI32Attr = intConstraint(32, i32, " whose value is non-negative", (v) => v >= 0n);
export const BoolAttr: AttrConstraint<boolean> = {
  description: "bool attribute",
  test: (a) => IntegerAttr.is(a) && isInteger(a.params.type, 1),
  read: (a) => (a as ReturnType<typeof i32Attr>).params.value !== 0n,
  write: boolAttr,
  type: i1,
};
/** Present or absent; a view reads it as boolean. Always declared `optionalAttr(UnitAttrC)` upstream; here it is optional by itself. */
export const Unit: AttrSpec<boolean, false> = {
  optional: false,
  constraint: {
    description: "unit attribute",
    test: (a) => UnitAttr.is(a),
    read: () => true,
    write: (ctx) => unitAttr(ctx),
    syntax: "unit",
  },
};
export const StrAttr: AttrConstraint<string> = {
  description: "string attribute",
  test: (a) => StringAttr.is(a),
  read: (a) => (a as ReturnType<typeof stringAttr>).params.value,
  write: stringAttr,
  // In a format a colon after the string belongs to what follows.
  type: noneType,
};
/** The name of a symbol: `@name` in assembly formats. */
export const SymbolNameAttr: AttrConstraint<string> = { ...StrAttr, syntax: "symbolName" };
export const FlatSymbolRefAttr: AttrConstraint<string> = {
  description: "flat symbol reference attribute",
  test: (a) => SymbolRefAttr.is(a) && a.params.nested.length === 0,
  read: (a) => (a as ReturnType<typeof symbolRef>).params.root,
  write: (ctx, name) => symbolRef(ctx, name),
};
export const AnySymbolRefAttr: AttrConstraint<Attribute> = {
  description: "symbol reference attribute",
  test: (a) => SymbolRefAttr.is(a),
  read: (a) => a,
  write: (_ctx, a) => a,
};
export const TypeAttrC: AttrConstraint<Type> = {
  description: "any type attribute",
  test: (a) => TypeAttr.is(a),
  read: (a) => (a as ReturnType<typeof typeAttr>).params.type,
  write: (_ctx, type) => typeAttr(type),
  syntax: "type",
};
/** A type attribute whose type a constraint takes. */
export function typeAttrOf(constraint: TypeConstraint): AttrConstraint<Type> {
  return {
    ...TypeAttrC,
    description: `type attribute of ${constraint.description}`,
    test: (a) => TypeAttr.is(a) && constraint.test(a.params.type),
  };
}
export const AnyAttr: AttrConstraint<Attribute> = { description: "any attribute", test: () => true, read: (a) => a, write: (_c, a) => a };
function denseArrayConstraint(what: string, element: (ctx: Context) => Type): AttrConstraint<readonly number[]> {
  return {
    description: `${what} dense array attribute`,
    test: (a) => DenseArrayAttr.is(a) && a.params.elementType === element(a.ctx),
    read: (a) => intsOf(a) ?? [],
    write: (ctx, values) => denseArray(element(ctx), values),
    syntax: "typedArray",
    type: element,
  };
}
export const DenseI32ArrayAttr = denseArrayConstraint("i32", i32);
export const DenseI64ArrayAttr = denseArrayConstraint("i64", i64);
export const ArrayAttrC: AttrConstraint<readonly Attribute[]> = {
  description: "array attribute",
  test: (a) => ArrayAttr.is(a),
  read: (a) => ArrayAttr.params(a).elements,
  write: (ctx, elements) => ArrayAttr.get(ctx, { elements }),
};
/** An array whose elements a constraint takes. */
export function arrayAttrOf(description: string, element: AttrConstraint): AttrConstraint<readonly Attribute[]> {
  return { ...ArrayAttrC, description, test: (a) => ArrayAttr.is(a) && a.params.elements.every((e) => element.test(e)) };
}
export const DictArrayAttr = arrayAttrOf("Array of dictionary attributes", {
  description: "dictionary of named attribute values",
  test: (a) => DictionaryAttr.is(a),
  read: (a) => a,
});
export const ElementsAttrC: AttrConstraint<Attribute> = {
  description: "constant vector/tensor attribute",
  test: (a) => DenseElementsAttr.is(a),
  read: (a) => a,
};

/** A 32-bit integer whose values have keywords: `tt.get_program_id x`. `description` as upstream's summary; "" where it has none. */
export function i32EnumAttr<const C extends Readonly<Record<string, number>>>(
  name: string,
  description: string,
  cases: C,
): AttrConstraint<keyof C & string> {
  return intEnum(name, description, cases, 32, i32);
}
/** As `i32EnumAttr`, of 64 bits. */
export function i64EnumAttr<const C extends Readonly<Record<string, number>>>(
  name: string,
  description: string,
  cases: C,
): AttrConstraint<keyof C & string> {
  return intEnum(name, description, cases, 64, i64);
}
function intEnum<C extends Readonly<Record<string, number>>>(
  name: string,
  description: string,
  cases: C,
  width: number,
  type: (ctx: Context) => Type,
): AttrConstraint<keyof C & string> {
  const keywords = new Map(Object.entries(cases).map(([keyword, value]) => [value, keyword as keyof C & string]));
  return {
    description: description || `allowed ${width}-bit signless integer cases: ${Object.values(cases).join(", ")}`,
    test: (a) => IntegerAttr.is(a) && isInteger(a.params.type, width) && keywords.has(Number(a.params.value)),
    read: (a) => keywords.get(Number((a as ReturnType<typeof i64Attr>).params.value))!,
    write: (ctx, keyword) => IntegerAttr.get(ctx, { value: BigInt(cases[keyword]!), type: type(ctx) }),
    type,
    enum: { name, cases },
  };
}

// --- regions and successors -----------------------------------------------------------------

export interface RegionSpec {
  readonly variadic: boolean;
  /** At most (or exactly, `sized`) one block. */
  readonly maxBlocks?: number;
  readonly minBlocks?: number;
}
export const AnyRegion: RegionSpec = { variadic: false };
export const SizedRegion1: RegionSpec = { variadic: false, minBlocks: 1, maxBlocks: 1 };
export const MaxSizedRegion1: RegionSpec = { variadic: false, maxBlocks: 1 };
export const MinSizedRegion1: RegionSpec = { variadic: false, minBlocks: 1 };
export interface SuccessorSpec {
  readonly variadic: boolean;
}
export const AnySuccessor: SuccessorSpec = { variadic: false };
export const VariadicSuccessor = { variadic: true } as const satisfies SuccessorSpec;
