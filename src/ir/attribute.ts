import { Bug } from "../support/assert.js";
import type { AttrParser, AttrPrinter } from "./asm.js";
import type { Context } from "./context.js";

/**
 * An interned attribute: two attributes of one Context are equal exactly when they are the same object.
 * `params` is plain readonly data whose shape `def` fixes.
 */
export class Attribute<P extends object = object> {
  /** Nominal: an Attribute is not a Type though both have the same fields. */
  declare readonly isAttribute: true;
  /** The text without aliases, filled in by the printer when first asked for. */
  text: string | undefined = undefined;
  /** The text without `#dialect.mnemonic`, where a format asked for it and no alias can be in it. */
  strippedText: string | undefined = undefined;
  /** Whether the text can contain an alias; filled in by the printer. */
  mayAlias: boolean | undefined = undefined;
  constructor(
    readonly ctx: Context,
    readonly def: AttrDef<P>,
    readonly params: P,
    readonly id: number,
  ) {}
}

/** An interned type; see `Attribute`. */
export class Type<P extends object = object> {
  declare readonly isType: true;
  text: string | undefined = undefined;
  strippedText: string | undefined = undefined;
  mayAlias: boolean | undefined = undefined;
  constructor(
    readonly ctx: Context,
    readonly def: TypeDef<P>,
    readonly params: P,
    readonly id: number,
  ) {}
}

/** Says what is wrong with parameters; nothing said means they are right. */
export type ReportText = (message: string) => void;

/** The common part of attribute and type definitions. The parser, printer, verifier and fuzzer read it. */
export interface ParamsDef<P extends object> {
  /** Full name with dialect, e.g. `ttg.blocked`; builtin ones are `builtin.integer`, ... */
  readonly name: string;
  readonly summary?: string;
  /** Reads what follows the mnemonic (`<...>` included). Absent: written bare, as in `#ttg.shared_memory`. */
  parse?(p: AttrParser): P;
  /** The text that follows the mnemonic. */
  print?(params: P, p: AttrPrinter, ctx: Context): string;
  verify?(params: P, report: ReportText, ctx: Context): void;
  /** The base name of the alias the printer gives it (`blocked`, `mma`), if any. */
  alias?(params: P): string | undefined;
  /** A location: of an op it is printed with debug info alone. */
  readonly location?: boolean;
  /** A text that is equal exactly for equal parameters, where the general one (`Context`) takes too long. */
  key?(params: P): string;
}

/** The definition of a kind of attribute. */
export interface AttrDef<P extends object> extends ParamsDef<P> {
  readonly kind: "attr";
  get(ctx: Context, params: P): Attribute<P>;
  is(attr: Attribute | undefined | null): attr is Attribute<P>;
  /** The attribute, if it is of this kind. */
  match(attr: Attribute | undefined | null): Attribute<P> | undefined;
  /** The parameters of an attribute that must be of this kind; another is a Bug. */
  params(attr: Attribute): P;
}

export interface TypeDef<P extends object> extends ParamsDef<P> {
  readonly kind: "type";
  /** It holds elements (MLIR's ShapedType): the parameters have `shape` and `elementType`. */
  readonly shaped?: boolean;
  get(ctx: Context, params: P): Type<P>;
  is(type: Type | undefined | null): type is Type<P>;
  /** The type, if it is of this kind. */
  match(type: Type | undefined | null): Type<P> | undefined;
  /** The parameters of a type that must be of this kind; another is a Bug. */
  params(type: Type): P;
}

/** Defines an attribute kind. One exported const in its own file is all a new encoding needs. */
export function defineAttr<P extends object>(name: string, spec: Omit<ParamsDef<P>, "name"> = {}): AttrDef<P> {
  const def: AttrDef<P> = {
    kind: "attr",
    name,
    ...spec,
    get: (ctx, params) => ctx.internAttr(def, params),
    is: (attr): attr is Attribute<P> => attr != null && (attr.def as unknown) === def,
    match: (attr) => (def.is(attr) ? attr : undefined),
    params: (attr) => (def.is(attr) ? attr.params : wrongKind(name, attr.def.name)),
  };
  return def;
}

/** Defines a type kind; see `defineAttr`. */
export function defineType<P extends object>(
  name: string,
  spec: Omit<ParamsDef<P>, "name"> & { readonly shaped?: boolean } = {},
): TypeDef<P> {
  const def: TypeDef<P> = {
    kind: "type",
    name,
    ...spec,
    get: (ctx, params) => ctx.internType(def, params),
    is: (type): type is Type<P> => type != null && (type.def as unknown) === def,
    match: (type) => (def.is(type) ? type : undefined),
    params: (type) => (def.is(type) ? type.params : wrongKind(name, type.def.name)),
  };
  return def;
}

function wrongKind(expected: string, found: string): never {
  throw new Bug(`expected ${expected}, not ${found}`);
}

/** The attribute or type that a definition makes: `AttrOf<typeof StringAttr>`. */
export type AttrOf<D> = D extends AttrDef<infer P> ? Attribute<P> : never;
export type TypeOf<D> = D extends TypeDef<infer P> ? Type<P> : never;
