/** Where what is generated is in the source, and what values are called there. Source: python/triton/compiler/code_generator.py. */
import { fileLoc, nameLoc } from "../../ir/location.js";
import type { Value } from "../../ir/value.js";
import { toBytes } from "../../support/utf8.js";
import { flattenValue, hasHandle, isDescriptor, isKind, isTuple, type PyValue } from "../language/values.js";
import type * as ast from "../python/ast.js";
import type { Generator } from "./generator.js";
import { codegenRules } from "./version-rules.js";

/** The location of a node, as `visit` sets it; undefined for nodes without a place. */
export function locationOf(g: Generator, at: ast.Place): ReturnType<typeof fileLoc> {
  const { ctx, host } = g.compilation;
  const here = fileLoc(ctx, g.data.env.file.path, at.line, codegenRules(host.triton).locationColumn(at.col, g.data.dedent));
  return g.namePrefix === undefined ? here : nameLoc(toBytes(g.namePrefix), here);
}

/** Names the IR values of a value. */
export function nameValue({ compilation }: Generator, value: PyValue, name: string): void {
  if (codegenRules(compilation.host.triton).restoresLocations) nameParts(value, name);
  else for (const handle of flattenValue(value)) nameHandle(handle, name);
}
/** Values inside of a value have its name and their own. */
function nameParts(value: PyValue, name: string): void {
  if (isTuple(value)) value.values.forEach((part, i) => nameParts(part, `${name}.${value.fields?.[i] ?? i}`));
  else if (isKind(value, "instance")) for (const [field] of value.cls.fields) nameParts(value.attrs.get(field) ?? null, `${name}.${field}`);
  else if (hasHandle(value)) nameHandle(value.handle, name);
  if (!isDescriptor(value)) return;
  nameParts(value.shape ?? null, `${name}.shape`);
  nameParts(value.strides ?? null, `${name}.stride`);
}
/** An op's result renames its op; what it was called before stays inside the name. */
export function nameHandle(handle: Value, name: string): void {
  const loc = nameLoc(toBytes(name), handle.loc);
  const op = handle.definingOp;
  if (op) op.setLoc(loc);
  else handle.argLoc = loc;
}
