/**
 * Operand bundles, `["tag"(%a : i32), "other"()]`, and the signatures of calls. Source: LLVMDialect.cpp
 * (printOpBundles, parseOpBundles); mlir/lib/Interfaces/CallInterfaces.cpp.
 */
import type { OpParser, OpPrinter, ParsedOperand } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import {
  ArrayAttr,
  arrayAttr,
  type DictAttr,
  DictionaryAttr,
  emptyDict,
  i32ArrayAttr,
  StringAttr,
  stringAttr,
} from "../../../ir/builtin-attrs.js";
import { FunctionType } from "../../../ir/builtin-types.js";
import type { OpReport } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { LLVMVoidType } from "../types/types.js";

export interface ParsedBundle {
  readonly tag: string;
  readonly operands: readonly ParsedOperand[];
  readonly types: readonly Type[];
}
/** Reads bundles, if they are there. */
export function parseBundles(p: OpParser): ParsedBundle[] {
  if (!p.atPunct("[")) return [];
  return p.list("[", "]", () => {
    const tag = p.optString() ?? p.fail("expect operand bundle tag");
    p.punct("(");
    if (p.optPunct(")")) return { tag, operands: [], types: [] };
    const operands = p.operands();
    const types = p.colonTypes();
    p.punct(")");
    return { tag, operands, types };
  });
}
/** Adds the operands of bundles to the op, and their sizes and tags; returns how many operands there are. */
export function addBundles(p: OpParser, bundles: readonly ParsedBundle[], at: number): number {
  if (bundles.length > 0)
    p.setAttr(
      "op_bundle_tags",
      arrayAttr(
        p.ctx,
        bundles.map((b) => stringAttr(p.ctx, b.tag)),
      ),
    );
  let total = 0;
  bundles.forEach(({ operands, types }, i) => {
    if (operands.length !== types.length)
      p.fail(
        `expected ${operands.length} types for operand bundle operands for operand bundle #${i}, but actually got ${types.length}`,
        at,
        "parse.operand-count",
      );
    p.state.operands.push(...p.resolveAll(operands, types));
    total += operands.length;
  });
  p.setAttr(
    "op_bundle_sizes",
    i32ArrayAttr(
      p.ctx,
      bundles.map((b) => b.operands.length),
    ),
  );
  return total;
}

/** The text of bundles, brackets included; empty when there are none. */
export function bundlesText(p: OpPrinter, operands: readonly Value[], sizes: readonly number[], tags: Attribute | undefined): string {
  if (sizes.length === 0 || !ArrayAttr.is(tags)) return "";
  let start = 0;
  const bundles = sizes.map((size, i) => {
    const values = operands.slice(start, start + size);
    start += size;
    const tag = tags.params.elements[i];
    const body = size === 0 ? "" : `${p.values(values)} : ${p.types(values.map((v) => v.type))}`;
    return `${p.string(StringAttr.is(tag) ? tag.params.value : "")}(${body})`;
  });
  return `[${bundles.join(", ")}]`;
}
export function verifyBundles(sizes: readonly number[], tags: readonly Attribute[] | undefined, report: OpReport): boolean {
  if (tags && !tags.every((tag) => StringAttr.is(tag))) report.plain("operand bundle tag must be a StringAttr");
  else if (sizes.length !== (tags?.length ?? 0))
    report.plain(`expected ${sizes.length} operand bundle tags, but actually got ${tags?.length ?? 0}`);
  else return true;
  return false;
}

// --- signatures of calls ---------------------------------------------------------------------

/** `: (T {attrs}, T) -> T`, with the type of the called pointer before it for indirect calls. */
export function parseCallSignature(p: OpParser, operands: readonly ParsedOperand[], indirect: boolean, allowVoid = false): void {
  const at = p.pos;
  p.punct(":");
  const types: Type[] = [];
  if (indirect) {
    types.push(p.type());
    if (!p.optPunct(",")) p.fail(`custom op '${p.opName}' expected indirect call to have 2 trailing types`, at, "parse.type");
  }
  if (!p.atPunct("("))
    p.fail(
      `custom op '${p.opName}' expected ${indirect ? "trailing function type" : "direct call to have 1 trailing types"}`,
      at,
      "parse.type",
    );
  const args = typesWithAttrs(p);
  p.punct("->");
  const results = p.atPunct("(") ? typesWithAttrs(p) : { types: [p.type()], attrs: [undefined] };
  if (results.types.length > 1) p.fail(`custom op '${p.opName}' expected function with 0 or 1 result`, at, "parse.type");
  if (!allowVoid && LLVMVoidType.is(results.types[0])) p.fail(`custom op '${p.opName}' expected a non-void result type`, at, "parse.type");
  types.push(...args.types);
  p.state.operands.push(...p.resolveAll(operands, types, at));
  p.state.types.push(...results.types);
  keepAttrs(p, "arg_attrs", args.attrs);
  keepAttrs(p, "res_attrs", results.attrs);
}
function typesWithAttrs(p: OpParser): { types: Type[]; attrs: (DictAttr | undefined)[] } {
  const types: Type[] = [];
  const attrs: (DictAttr | undefined)[] = [];
  p.list("(", ")", () => {
    types.push(p.type());
    const dict = p.atPunct("{") ? p.attribute() : undefined;
    attrs.push(DictionaryAttr.is(dict) ? dict : undefined);
  });
  return { types, attrs };
}
function keepAttrs(p: OpParser, name: string, dicts: readonly (DictAttr | undefined)[]): void {
  if (!dicts.some((dict) => dict && dict.params.names.length > 0)) return;
  p.setAttr(
    name,
    arrayAttr(
      p.ctx,
      dicts.map((dict) => dict ?? emptyDict(p.ctx)),
    ),
  );
}
/** The text that `parseCallSignature` reads after the colon (and the pointer's type). */
export function callSignatureText(
  p: OpPrinter,
  args: readonly Value[],
  results: readonly Type[],
  argAttrs: readonly Attribute[] | undefined,
  resAttrs: readonly Attribute[] | undefined,
): string {
  const withAttrs = (type: Type, dict: Attribute | undefined) =>
    DictionaryAttr.is(dict) && dict.params.names.length > 0 ? `${p.type(type)} ${p.attr(dict)}` : p.type(type);
  const inputs = args.map((arg, i) => withAttrs(arg.type, argAttrs?.[i]));
  const outputs = results.map((type, i) => withAttrs(type, resAttrs?.[i]));
  const first = resAttrs?.[0];
  const bare = results.length === 1 && !FunctionType.is(results[0]) && !(DictionaryAttr.is(first) && first.params.names.length > 0);
  return `(${inputs.join(", ")}) -> ${bare ? outputs[0] : `(${outputs.join(", ")})`}`;
}
