/**
 * How a layout encoding becomes an attribute kind. The attribute's parameters are plain data (so that equal attributes
 * are the same object); the layout algebra in `src/layout` works on EncodingParams. Each encoding says how to go from one
 * to the other, reads its text and names its alias; printing, verifying and conversion are done here.
 */
import type { AttrParser, AttrPrinter } from "../../../ir/asm.js";
import { type AttrDef, type Attribute, defineAttr, type ParamsDef } from "../../../ir/attribute.js";
import type { Context } from "../../../ir/context.js";
import {
  type DistributedParams,
  type EncodingKind,
  type EncodingParams,
  isDistributed,
  isShared,
  type SharedParams,
} from "../../../layout/encoding-params.js";
import { encodingBody } from "../../../layout/encoding-text.js";
import { isPermutation } from "../../../layout/encodings/linear.js";
import { LayoutError } from "../../../layout/layout-error.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { toLinearLayout as toLinearLayoutOfParams } from "../../../layout/to-linear-layout.js";
import { verifyEncoding } from "../../../layout/verify-encoding.js";

/** An attribute kind whose attributes are layouts. */
export interface EncodingDef<P extends object = object, E extends EncodingParams = EncodingParams> extends AttrDef<P> {
  readonly encodingKind: E["kind"];
  toEncoding(params: P, ctx: Context): E;
  fromEncoding(encoding: E, ctx: Context): P;
}

export interface EncodingSpec<P extends object, E extends EncodingParams> {
  readonly summary: string;
  /** The dialect; `ttg` unless given. */
  readonly dialect?: string;
  readonly alias?: string;
  /** Upstream's syntax is declared (`assemblyFormat`): errors in the parameters then point after the mnemonic. */
  readonly declarative?: boolean;
  /** Reads `<...>`. `at` is the place of the mnemonic, where upstream's messages point. */
  parse(p: AttrParser, at: number): P;
  /** For encodings that contain others; else the text is that of `encodingBody`. */
  print?(params: P, p: AttrPrinter): string;
  /** Returns an error that `verifyEncoding` cannot detect; runs before it. */
  problem?(params: P, ctx: Context): string | undefined;
  toEncoding(params: P, ctx: Context): E;
  fromEncoding(encoding: E, ctx: Context): P;
}

const byKind = new Map<EncodingKind, EncodingDef>();

/** Defines the attribute kind of an encoding; its mnemonic is the encoding's kind. */
export function defineEncoding<P extends object, E extends EncodingParams>(kind: E["kind"], spec: EncodingSpec<P, E>): EncodingDef<P, E> {
  const encodingOf = (params: P, ctx: Context): EncodingParams => remembered(params, spec.toEncoding, ctx);
  const problemOf = (params: P, ctx: Context): string | undefined =>
    spec.problem?.(params, ctx) ?? cgaProblem(encodingOf(params, ctx), ctx) ?? firstProblem(() => verifyEncoding(encodingOf(params, ctx)));
  const hooks: Omit<ParamsDef<P>, "name"> = {
    summary: spec.summary,
    parse(p) {
      const at = p.pos;
      const params = spec.parse(p, at - kind.length);
      const problem = spec.declarative ? problemOf(params, p.ctx) : undefined;
      return problem === undefined ? params : p.fail(problem, at, "parse.attribute-params");
    },
    print: spec.print ?? ((params, _p, ctx) => `<${encodingBody(encodingOf(params, ctx))}>`),
    verify(params, report, ctx) {
      const problem = problemOf(params, ctx);
      if (problem !== undefined) report(problem);
    },
    ...(spec.alias === undefined ? {} : { alias: () => spec.alias }),
  };
  const def: EncodingDef<P, E> = Object.assign(defineAttr<P>(`${spec.dialect ?? "ttg"}.${kind}`, hooks), {
    encodingKind: kind,
    toEncoding: spec.toEncoding,
    fromEncoding: spec.fromEncoding,
  });
  byKind.set(kind, def as unknown as EncodingDef);
  return def;
}

function cgaProblem(encoding: EncodingParams, { triton }: Context): string | undefined {
  const cga = "cga" in encoding ? encoding.cga : undefined;
  if (!triton.checksMemory || cga === undefined || isPermutation(cga)) return undefined;
  return "After removing broadcast bases the CGA encoding must be a permutation matrix";
}

/** The first complaint of `check`, or why a layout that it needs cannot exist. */
export function firstProblem(check: () => readonly string[]): string | undefined {
  try {
    return check()[0];
  } catch (error) {
    if (error instanceof LayoutError) return error.message;
    throw error;
  }
}

/** The EncodingParams of an attribute's parameters; one object per attribute, as `toLinearLayout` remembers by object. */
const encodings = new WeakMap<object, EncodingParams>();

function remembered<P extends object>(params: P, toEncoding: (params: P, ctx: Context) => EncodingParams, ctx: Context): EncodingParams {
  let encoding = encodings.get(params);
  if (encoding === undefined) {
    encoding = toEncoding(params, ctx);
    encodings.set(params, encoding);
  }
  return encoding;
}

/** The layout of an attribute; undefined when it is none. Always the same object for an attribute. */
export function encodingParams(attr: Attribute | undefined): EncodingParams | undefined {
  if (attr === undefined || !("encodingKind" in attr.def)) return undefined;
  return remembered(attr.params, (attr.def as EncodingDef).toEncoding, attr.ctx);
}

/** As `encodingParams`, of encodings that say which thread holds what. */
export function distributedParams(attr: Attribute | undefined): DistributedParams | undefined {
  const params = encodingParams(attr);
  return params && isDistributed(params) ? params : undefined;
}

/** As `encodingParams`, of encodings that say which shared memory offset holds what. */
export function sharedParams(attr: Attribute | undefined): SharedParams | undefined {
  const params = encodingParams(attr);
  return params && isShared(params) ? params : undefined;
}

/** The attribute of an encoding. */
export function encodingAttr(ctx: Context, encoding: EncodingParams): Attribute {
  const def = byKind.get(encoding.kind)!;
  return def.get(ctx, def.fromEncoding(encoding, ctx));
}

/**
 * Where the elements of a tensor or buffer of this shape are (see `src/layout`). Throws LayoutError where there is no such
 * layout; `layoutProblem` asks first.
 */
export function toLinearLayout(shape: readonly number[], encoding: Attribute | undefined): LinearLayout {
  const params = encodingParams(encoding);
  if (params === undefined) throw new LayoutError(encoding ? `${encoding.def.name} is no layout` : "a tensor without a layout");
  return toLinearLayoutOfParams(shape, params);
}
