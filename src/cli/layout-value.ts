/** `--value %23 -i kernel.ttgir`: the layout that a value of a file has. */

import { encodingFor } from "../dialects/ttg/legacy-encodings/index.js";
import { MemDescType } from "../dialects/ttg/types.js";
import { StringAttr } from "../ir/builtin-attrs.js";
import { RankedTensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import { typeText } from "../ir/text-hook.js";
import type { Value } from "../ir/value.js";
import { getRank } from "../layout/encoding-queries.js";
import { Parser } from "../syntax/parser.js";
import { EXIT, type Io } from "./io.js";
import { complaintsOf, elementBits, fileContext, layoutOf, readInput, type TensorLayout, UserError } from "./layout-input.js";
import { shortened } from "./options/option.js";

/** The layout of the value called that in the file, `%23`, `%3#1` or, in one function of several, `@name:%23`. */
export async function layoutOfValue(io: Io, file: string, asked: string): Promise<TensorLayout> {
  const [, func, name, index] = /^(?:@?(.+):)?%([\w$.-]+)(?:#(\d{1,6}))?$/.exec(asked) ?? [];
  if (name === undefined) throw bad(`--value must be a name like %23 or @function:%23, not '${shortened(asked)}'`);
  const text = readInput(io, file);
  const ctx = await fileContext(text);
  const parser = new Parser(ctx, ctx.addSource(file === "-" ? "<stdin>" : file, text));
  const found: Value[] = [];
  parser.values.onDefine = (defined, definition) => {
    if (defined !== name) return;
    const value = Array.isArray(definition) ? (definition as readonly Value[])[Number(index ?? 0)] : (definition as Value);
    if (value && (!Array.isArray(definition) ? index === undefined || index === "0" : true)) found.push(value);
  };
  if (!parser.parseSource()) throw new UserError(`${complaintsOf(ctx)}Fail to parse the input file: ${file}\n`, EXIT.difference);

  const named = func === undefined ? found : found.filter((value) => functionOf(value) === func);
  const [value] = named;
  if (!value) throw bad(`the file has no value ${shortened(asked)}`);
  if (named.some((other) => other.type !== value.type)) {
    const where = [...new Set(named.map(functionOf))].map((f) => `@${f}:%${name}`).join(", ");
    throw bad(`several values of the file are called %${name}: ask for ${where}`);
  }
  return tensorOf(value, asked);
}

/** The layout of a value's type; throws a UserError where it has none. */
export function tensorOf(value: Value, name: string): TensorLayout {
  const { type } = value;
  if (!RankedTensorType.is(type) && !MemDescType.is(type))
    throw bad(`${name} is no tensor and no buffer, but has type ${shortened(typeText(type))}`);
  const { elementType, encoding } = type.params;
  if (!encoding) throw bad(`${name} has no layout yet: its type is ${shortened(typeText(type))}`);
  // A view of shared memory is placed as its whole buffer is; pipelined buffers have a dimension in front.
  const whole = MemDescType.is(type) ? type.params.allocShape : type.params.shape;
  const params = encodingFor(encoding, elementBits(elementType));
  const rank = params ? getRank(params) : whole.length;
  return layoutOf(encoding, whole.slice(Math.max(0, whole.length - rank)), elementType);
}

/** The name of the function around a value. */
function functionOf(value: Value): string | undefined {
  let op: Operation | null = value.definingOp ?? value.parentBlock?.parentOp ?? null;
  for (; op; op = op.parentOp) {
    const symbol = op.attr("sym_name");
    if (StringAttr.is(symbol) && op.name !== "builtin.module") return symbol.params.value;
  }
  return undefined;
}

function bad(message: string): UserError {
  return new UserError(`error: ${message}\n`);
}
