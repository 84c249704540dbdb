/** The inputs of `triton-tensor-layout`: attributes, types, files with aliases, values of kernels. Complaints are UserErrors. */

import { renderDiagnostic } from "../diagnostics/render.js";
import { BUILTIN_ATTRS, BUILTIN_TYPES } from "../dialects/builtin/core.js";
import * as ttTypes from "../dialects/tt/types.js";
import * as encodings from "../dialects/ttg/encodings/index.js";
import { asItsEraPrints, encodingFor, tritonGpuLayouts, ttgLayoutsBefore36 } from "../dialects/ttg/legacy-encodings/index.js";
import * as ttgTypes from "../dialects/ttg/types.js";
import * as ttngAttrs from "../dialects/ttng/attrs.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { bitWidth, RankedTensorType, type TensorType } from "../ir/builtin-types.js";
import { Context } from "../ir/context.js";
import { type DialectDef, defineDialect } from "../ir/define-dialect.js";
import { attrText } from "../ir/text-hook.js";
import { type DistributedParams, type EncodingParams, isDistributed, isShared, type SharedParams } from "../layout/encoding-params.js";
import type { LinearLayout } from "../layout/linear-layout.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";
import { layoutProblem, usesVolta } from "../layout/verify-encoding.js";
import { WITH_ALL_LAYOUTS } from "../support/triton-version.js";
import { fromBytes } from "../support/utf8.js";
import { Parser } from "../syntax/parser.js";
import "../syntax/print.js";
import { fileError } from "../node/files.js";
import { EXIT, type Io } from "./io.js";
import { shortened } from "./options/option.js";

/** A mistake that the user has to correct: `message` goes to stderr as it is, and the program ends with `code`. */
export class UserError extends Error {
  override readonly name = "UserError";
  constructor(
    message: string,
    readonly code: number = EXIT.badInput,
  ) {
    super(message);
  }
}

/** An error with which Triton's tool ends as well, in its words. */
export function asTriton(message: string): UserError {
  return new UserError(`${message}\n`, EXIT.difference);
}

/** Only what layouts need: loading every op takes longer than most prints. */
const LAYOUT_DIALECTS: readonly DialectDef[] = [
  defineDialect("builtin", { ops: [], attrs: [BUILTIN_ATTRS], types: [BUILTIN_TYPES] }),
  defineDialect("tt", { ops: [], types: [ttTypes] }),
  tritonGpuLayouts,
  defineDialect("ttng", { ops: [], attrs: [ttngAttrs] }),
];
const TTG = defineDialect("ttg", { ops: [], attrs: [encodings], types: [ttgTypes] });
const TTG_BEFORE_36: DialectDef = { ...ttgLayoutsBefore36, types: TTG.types };

/** A Context that knows layouts, in the spelling of the era that `text` comes from. */
export function layoutContext(text: string): Context {
  const older = /\bCTAsPerCGA\b/.test(text) && text.includes("#ttg.");
  const ctx = new Context([...LAYOUT_DIALECTS, older ? TTG_BEFORE_36 : TTG]);
  ctx.triton = WITH_ALL_LAYOUTS;
  return ctx;
}

/** Reads one attribute or type; undefined after a complaint, which is in `complaints`. */
function parseText<T>(text: string, name: string, read: (p: Parser) => T): { readonly value: T | undefined; readonly complaints: string } {
  const ctx = layoutContext(text);
  const value = new Parser(ctx, ctx.addSource(name, text)).parseWhole(read);
  return { value, complaints: complaintsOf(ctx) };
}

/** The longest line of a complaint: what it quotes may be as long as the input. */
const MAX_COMPLAINT = 240;

/** The diagnostics of a Context as text. */
export function complaintsOf(ctx: Context): string {
  const text = ctx.diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, ctx.sources)).join("");
  return text.replace(/^.+$/gm, (line) => (line.length > MAX_COMPLAINT ? `${line.slice(0, MAX_COMPLAINT)}...` : line));
}

/** `-t`: any type. */
export function readType(text: string): Type {
  const { value, complaints } = parseText(text, "-t", (p) => p.type());
  if (!value) throw new UserError(`${complaints}Fail to parse the tensor type argument: ${text}\n`, EXIT.difference);
  return value;
}

/** The tensor, or what a pointer to one points to, if all its extents are known; powers of two are asked for with the layout. */
export function staticTensor(type: Type, text: string): TensorType {
  const tensor = ttTypes.PointerType.is(type) ? type.params.pointeeType : type;
  if (!RankedTensorType.is(tensor)) throw asTriton(`Invalid tensor type argument: ${text}`);
  if (tensor.params.shape.some((size) => size < 0)) throw asTriton(`Invalid tensor type argument: ${text}`);
  return tensor;
}

/** The bits of a tensor's elements; pointers have 64. */
export function elementBits(elementType: Type): number {
  return bitWidth(elementType) ?? 64;
}

/** `-l` and its like: any attribute. */
export function readAttr(text: string, option: string): Attribute {
  const { value, complaints } = parseText(text, option, (p) => p.attribute());
  if (!value) throw new UserError(`${complaints}Invalid layout attribute: ${text}\n`, EXIT.difference);
  return value;
}

/** A layout of a tensor: what the user wrote, and what it means. */
export interface TensorLayout {
  /** `#blocked` of a file, `%23`; undefined of `-l`. */
  readonly name: string | undefined;
  /** The attribute in its own era's spelling. */
  readonly text: string;
  readonly params: EncodingParams;
  readonly shape: readonly number[];
  readonly elementType: Type;
  /** Bits of an element. */
  readonly bits: number;
  readonly layout: LinearLayout;
}

/** The layout of a tensor of that shape, or a complaint in the words of Triton's tool where it has any. */
export function layoutOf(attr: Attribute, shape: readonly number[], elementType: Type, name?: string): TensorLayout {
  const bits = elementBits(elementType);
  const text = attrText(asItsEraPrints(attr));
  const params = encodingFor(attr, bits);
  if (!params || !(isDistributed(params) || isShared(params)) || (isDistributed(params) && usesVolta(params)))
    throw asTriton(`Unsupported tensor layout attribute: ${text}`);
  const problem = layoutProblem(shape, params);
  if (problem !== undefined) throw new UserError(`error: ${shortened(text)}: ${problem}\n`);
  return { name, text, params, shape, elementType, bits, layout: toLinearLayout(shape, params) };
}

/** As `layoutOf`, of an encoding that says which thread holds what. */
export function distributedOf(tensor: TensorLayout, what: string): DistributedParams {
  if (!isDistributed(tensor.params)) throw new UserError(`error: ${what} must be a distributed layout, but is ${shortened(tensor.text)}\n`);
  return tensor.params;
}

/** As `layoutOf`, of an encoding that says where in shared memory what is. */
export function sharedOf(tensor: TensorLayout, what: string): SharedParams {
  if (!isShared(tensor.params)) throw new UserError(`error: ${what} must be a layout of shared memory, but is ${shortened(tensor.text)}\n`);
  return tensor.params;
}

/** `-i`: the text of a file. */
export function readInput(io: Io, file: string): string {
  try {
    return io.readFile(fromBytes(file));
  } catch (error) {
    throw asTriton(`Could not open input file: ${systemMessage(error)}`);
  }
}

/** Why a file cannot be read or written, as the C library says it. */
export function systemMessage(error: unknown): string {
  const reason = fileError(error);
  return reason[0]!.toUpperCase() + reason.slice(1);
}

/** The aliases of a file, in its order. */
export async function readAliases(io: Io, file: string): Promise<ReadonlyMap<string, Attribute>> {
  const text = readInput(io, file);
  const ctx = await fileContext(text);
  const parser = new Parser(ctx, ctx.addSource(file === "-" ? "<stdin>" : file, text));
  if (!parser.parseSource()) throw new UserError(`${complaintsOf(ctx)}Fail to parse the input file: ${file}\n`, EXIT.difference);
  return parser.attrAliases;
}

/** A Context for a whole file: with every op, unless there are only aliases in it. Ops are loaded for files alone. */
export async function fileContext(text: string): Promise<Context> {
  const ctx = layoutContext(text);
  if (text.split("\n").every((line) => /^\s*(?:$|[#!]|\/\/)/.test(line))) return ctx;
  const older = ctx.dialects.get("ttg") === TTG_BEFORE_36;
  const { ALL_DIALECTS } = await import("../dialects/index.js");
  return new Context(
    ALL_DIALECTS.map((dialect) => (older && dialect.name === "ttg" ? { ...dialect, attrs: TTG_BEFORE_36.attrs } : dialect)),
  );
}
