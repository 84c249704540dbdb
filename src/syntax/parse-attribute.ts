/** The syntax of attributes. Source: mlir/lib/AsmParser/AttributeParser.cpp. */
import type { Attribute, Type } from "../ir/attribute.js";
import {
  AffineMapAttr,
  ArrayAttr,
  DenseArrayAttr,
  DenseResourceAttr,
  DenseStringElementsAttr,
  DistinctAttr,
  denseElements,
  dictAttr,
  FloatAttr,
  IntegerAttr,
  IntegerSetAttr,
  intAttr,
  OpaqueAttr,
  StridedLayoutAttr,
  StringAttr,
  SymbolRefAttr,
  storageWidth,
  symbolRef,
  TypeAttr,
  unitAttr,
  wrapInt,
} from "../ir/builtin-attrs.js";
import {
  FLOAT_FORMATS,
  FloatType,
  floatType,
  IndexType,
  IntegerType,
  i1,
  i64,
  isShaped,
  NoneType,
  numElements,
} from "../ir/builtin-types.js";
import { numberToBits } from "../ir/float.js";
import type { EntityParser } from "./entity-parser.js";
import { parseLocationInParens } from "./parse-location.js";

/** Reads an attribute, or returns undefined when none starts here. `type` is the one expected, so that it need not be written. */
export function parseOptionalAttribute(p: EntityParser, type?: Type): Attribute | undefined {
  const { cursor } = p;
  const c = cursor.skip();
  if (c === 35) return parseHash(p, type);
  if (c === 34) return parseStringAttr(p, type);
  if (c === 64) return parseSymbolRef(p);
  if (c === 91) return ArrayAttr.get(p.ctx, { elements: p.list("[", "]", () => p.attribute()) });
  if (c === 123) return parseDictionary(p);
  if (cursor.isDigit(c) || c === 45) return parseNumber(p, type);
  const word = cursor.peekIdent();
  const read = word === undefined ? undefined : KEYWORDS.get(word);
  if (read) {
    cursor.pos += word!.length;
    return read(p, type);
  }
  const asType = p.optType();
  return asType && TypeAttr.get(p.ctx, { type: asType });
}

const KEYWORDS = new Map<string, (p: EntityParser, type: Type | undefined) => Attribute>([
  ["true", (p) => intAttr(i1(p.ctx), 1)],
  ["false", (p) => intAttr(i1(p.ctx), 0)],
  ["unit", (p) => unitAttr(p.ctx)],
  ["dense", parseDense],
  ["dense_resource", parseDenseResource],
  ["array", parseDenseArray],
  ["loc", parseLocationAttr],
  ["affine_map", (p) => AffineMapAttr.get(p.ctx, { text: canonicalAffine(p.balanced()) })],
  ["affine_set", (p) => IntegerSetAttr.get(p.ctx, { text: canonicalAffine(p.balanced()) })],
  ["strided", parseStrided],
  ["distinct", parseDistinct],
]);

function parseLocationAttr(p: EntityParser): Attribute {
  p.ctx.hasAliases = true;
  return parseLocationInParens(p);
}

function parseHash(p: EntityParser, type: Type | undefined): Attribute {
  const { cursor } = p;
  const at = cursor.pos;
  const end = cursor.suffixEnd(at + 1);
  const name = cursor.text.slice(at + 1, end);
  if (name === "") p.fail("expected attribute value", at, "parse.attribute");
  cursor.pos = end;
  if (name.includes(".")) {
    p.paramsFollow();
    return p.withoutNul(p.dialectAttr(name, at, type), end);
  }
  if (cursor.text.charCodeAt(end) === 60) {
    // Articles leave the dialect out: #blocked<{...}>.
    const full = p.ctx.dialects.has(name) ? undefined : [...p.ctx.attrDefs.keys()].find((known) => known.endsWith(`.${name}`));
    return p.withoutNul(full === undefined ? parseOpaqueAttr(p, name, at, type) : p.dialectAttr(full, at, type), end);
  }
  p.enterAlias(`#${name}`, at);
  return p.attrAliases.get(name) ?? p.fail(`undefined symbol alias id '${name}'`, at, "parse.alias");
}

function parseOpaqueAttr(p: EntityParser, dialect: string, at: number, type: Type | undefined): Attribute {
  const start = p.cursor.pos;
  p.cursor.pos++;
  const word = p.cursor.peekIdent();
  if (word && p.ctx.attrDefs.has(`${dialect}.${word}`)) {
    p.cursor.pos += word.length;
    const attr = p.dialectAttr(`${dialect}.${word}`, at, type);
    p.punct(">");
    return attr;
  }
  p.cursor.pos = start;
  const data = p.balanced();
  if (p.ctx.dialects.has(dialect)) p.fail(`unknown attribute \`${data}\` in dialect \`${dialect}\``, at, "parse.attribute");
  p.checkUnregistered("attribute", { dialect, data }, at);
  return OpaqueAttr.get(p.ctx, { dialect, data, type: p.optPunct(":") ? p.type() : undefined });
}

function parseStringAttr(p: EntityParser, type: Type | undefined): Attribute {
  const value = p.cursor.string();
  const written = type ?? (p.optPunct(":") ? p.type() : undefined);
  return StringAttr.get(p.ctx, { value, type: NoneType.is(written) ? undefined : written });
}

function parseSymbolRef(p: EntityParser): Attribute {
  const root = p.symbolName();
  if (!p.cursor.at("::")) return symbolRef(p.ctx, root);
  const nested: string[] = [];
  while (p.optPunct("::")) nested.push(p.symbolName());
  return SymbolRefAttr.get(p.ctx, { root, nested });
}

/** `{a = 1, b, "c d" = 2}` */
export function parseDictionary(p: EntityParser): ReturnType<typeof dictAttr> {
  return dictAttr(p.ctx, parseDictionaryEntries(p));
}
export function parseDictionaryEntries(p: EntityParser): [string, Attribute][] {
  const seen = new Set<string>();
  return p.list("{", "}", (): [string, Attribute] => {
    const at = p.pos;
    const name = p.cursor.optString() ?? p.cursor.ident("attribute name");
    if (name === "") p.fail("expected valid attribute name", at, "parse.attribute");
    if (seen.has(name)) p.fail(`duplicate key '${name}' in dictionary attribute`, at, "parse.attribute");
    seen.add(name);
    return [name, p.optPunct("=") ? p.attribute() : unitAttr(p.ctx)];
  });
}

function parseNumber(p: EntityParser, expected: Type | undefined): Attribute {
  const at = p.pos;
  const negative = p.optPunct("-");
  const text = p.cursor.optNumber() ?? p.fail("expected integer or float attribute", at, "parse.attribute");
  let type = expected;
  if (!type) {
    if (p.optPunct(":")) type = p.type();
    else if (text.includes(".")) type = floatType(p.ctx, "f64");
    else type = i64(p.ctx);
  }
  const known = p.attrsByText(type);
  const key = negative ? `-${text}` : text;
  let attr = known.get(key);
  if (!attr) known.set(key, (attr = numberAttr(p, negative, text, type, at)));
  return attr;
}

/** The attribute of a number as written. A float type takes decimals, or hexadecimal bits. */
function numberAttr(p: EntityParser, negative: boolean, text: string, type: Type, at: number): Attribute {
  if (FloatType.is(type)) return FloatAttr.get(p.ctx, { bits: floatBits(p, negative, text, type, at), type });
  if (!IntegerType.is(type) && !IndexType.is(type)) p.fail("integer literal not valid for specified type", at, "parse.attribute");
  return IntegerAttr.get(p.ctx, { value: integerValue(p, negative, text, type, at), type });
}

function floatBits(p: EntityParser, negative: boolean, text: string, type: Type, at: number): bigint {
  if (!FloatType.is(type)) return p.fail("expected floating point type", at, "parse.attribute");
  const { width } = FLOAT_FORMATS[type.params.kind];
  if (/^0x/.test(text)) {
    if (negative) p.fail("hexadecimal float literal should not have a leading minus", at, "parse.attribute");
    const bits = BigInt(text);
    if (bits >> BigInt(width)) p.fail("hexadecimal float constant out of range for type", at, "parse.attribute");
    return bits;
  }
  if (!text.includes(".")) p.fail("unexpected decimal integer literal for a floating point value", at, "parse.attribute");
  return numberToBits(negative ? -Number(text) : Number(text), type);
}

function integerValue(
  p: EntityParser,
  negative: boolean,
  text: string,
  type: Type,
  at: number,
  outOfRange = "integer constant out of range for attribute",
): bigint {
  if (text.includes(".")) p.fail("floating point value not valid for specified type", at, "parse.attribute");
  if (text.length > 4096) p.fail(outOfRange, at, "parse.attribute");
  const magnitude = BigInt(text);
  const value = negative ? -magnitude : magnitude;
  const width = BigInt(storageWidth(type));
  const unsigned = IntegerType.is(type) && type.params.signedness === "unsigned";
  const signed = IndexType.is(type) || (IntegerType.is(type) && type.params.signedness === "signed");
  // A negative number must have its sign bit: upstream takes no -0.
  const fits =
    width === 0n
      ? value === 0n
      : negative
        ? !unsigned && magnitude > 0n && magnitude <= 1n << (width - 1n)
        : magnitude < 1n << (signed ? width - 1n : width);
  if (!fits) p.fail(outOfRange, at, "parse.attribute");
  return wrapInt(value, type);
}

/** `array<i32: 1, 2>` */
function parseDenseArray(p: EntityParser): Attribute {
  p.punct("<");
  const at = p.pos;
  const elementType = p.type();
  if (!FloatType.is(elementType) && !(IntegerType.is(elementType) && [1, 8, 16, 32, 64].includes(elementType.params.width)))
    p.fail("expected integer or float type", at, "parse.attribute");
  const elements: bigint[] = [];
  if (p.optPunct(":"))
    do elements.push(arrayElement(p, elementType));
    while (p.optPunct(","));
  p.punct(">");
  return DenseArrayAttr.get(p.ctx, { elementType, elements });
}
/** One element of a dense array: a number or, for i1, `true` or `false`. */
function arrayElement(p: EntityParser, elementType: Type): bigint {
  const isFloat = FloatType.is(elementType);
  const start = p.pos;
  const word = isFloat ? undefined : p.optKeyword("true") ? -1n : p.optKeyword("false") ? 0n : undefined;
  if (word !== undefined) {
    if (storageWidth(elementType) !== 1) p.fail("expected i1 type for 'true' or 'false' values", start, "parse.attribute");
    return word;
  }
  const negative = p.optPunct("-");
  const at = p.pos;
  const text = p.cursor.optNumber();
  if (text === undefined || (!isFloat && text.includes(".")))
    return p.fail(`expected ${isFloat ? "floating point" : "integer"} literal`, at, "parse.attribute");
  return isFloat
    ? floatBits(p, negative, text, elementType, at)
    : integerValue(p, negative, text, elementType, p.cursor.pos, "integer constant out of range");
}

type Literal = { readonly text: string; readonly negative: boolean; readonly at: number };

/** `dense<1> : tensor<4xi32>`, `dense<[[1, 2], [3, 4]]> : ...`, `dense<"0x...">`, `dense<>`. */
function parseDense(p: EntityParser, expected: Type | undefined): Attribute {
  p.punct("<");
  const at = p.pos;
  if (p.atPunct('"')) return parseDenseStrings(p, expected);
  const values: Literal[] = [];
  const shape: number[] = [];
  const scalar = !p.atPunct("[");
  if (!p.atPunct(">")) readNested(p, 0, values, shape);
  p.punct(">");
  const type = expected ?? (p.punct(":"), p.type());
  if (!isShaped(type)) p.fail("elements literal must be a shaped type", at, "parse.attribute");
  if (type.params.shape.some((d) => d < 0)) p.fail("elements literal type must have static shape", at, "parse.attribute");
  const { elementType } = type.params;
  if (values.length === 0 && numElements(type.params.shape) !== 0)
    p.fail("parsed zero elements, but type (" + p.typeText(type) + ") expected at least 1", at, "parse.attribute");
  if (!scalar && values.length > 0 && (shape.length !== type.params.shape.length || shape.some((d, i) => d !== type.params.shape[i])))
    p.fail(
      `inferred shape of elements literal ([${shape.join(", ")}]) does not match type ([${type.params.shape.join(", ")}])`,
      at,
      "parse.attribute",
    );
  const elements = values.map((v) => {
    if (v.text === "true" || v.text === "false") {
      if (!(IntegerType.is(elementType) && elementType.params.width === 1))
        p.fail("expected i1 type for 'true' or 'false' values", v.at, "parse.attribute");
      return v.text === "true" ? -1n : 0n;
    }
    if (FloatType.is(elementType)) return floatBits(p, v.negative, v.text, elementType, v.at);
    if (!IntegerType.is(elementType) && !IndexType.is(elementType))
      p.fail("expected integer elements, but parsed floating-point", v.at, "parse.attribute");
    return integerValue(p, v.negative, v.text, elementType, v.at);
  });
  return denseElements(type, elements);
}

/** Reads nested lists of numbers; all lists of one level must be equally long. */
function readNested(p: EntityParser, depth: number, values: Literal[], shape: number[]): void {
  if (depth > 64) p.fail("elements literal is nested too deeply", p.pos, "parse.nesting");
  if (!p.atPunct("[")) {
    const at = p.pos;
    const word = p.optKeyword("true") ? "true" : p.optKeyword("false") ? "false" : undefined;
    if (word) values.push({ text: word, negative: false, at });
    else {
      const negative = p.optPunct("-");
      values.push({
        text: p.cursor.optNumber() ?? p.fail("expected element literal of primitive type", at, "parse.attribute"),
        negative,
        at,
      });
    }
    return;
  }
  const at = p.pos;
  let count = 0;
  let inner: number[] | undefined;
  p.list("[", "]", () => {
    count++;
    const nested: number[] = [];
    readNested(p, depth + 1, values, nested);
    if (inner && (inner.length !== nested.length || inner.some((d, i) => d !== nested[i])))
      p.fail(`tensor literal is invalid; ranks are not consistent between elements`, at, "parse.attribute");
    inner = nested;
  });
  shape.push(count, ...(inner ?? []));
}

function parseDenseStrings(p: EntityParser, expected: Type | undefined): Attribute {
  const at = p.pos;
  const strings = [p.cursor.string()];
  p.punct(">");
  const type = expected ?? (p.punct(":"), p.type());
  if (!isShaped(type)) p.fail("elements literal must be a shaped type", at, "parse.attribute");
  const text = strings[0]!;
  const { elementType, shape } = type.params;
  if (/^0x[0-9a-fA-F]*$/.test(text) && (IntegerType.is(elementType) || FloatType.is(elementType))) {
    const width = FloatType.is(elementType) ? FLOAT_FORMATS[elementType.params.kind].width : storageWidth(elementType);
    const bytes = Math.max(1, Math.ceil(width / 8));
    const digits = text.slice(2);
    const count = numElements(shape);
    if (digits.length !== count * bytes * 2 && digits.length !== bytes * 2)
      p.fail("elements hex data size is invalid for provided type: " + p.typeText(type), at, "parse.attribute");
    const elements: bigint[] = [];
    for (let i = 0; i < digits.length; i += bytes * 2) {
      let value = 0n;
      for (let b = bytes - 1; b >= 0; b--) value = (value << 8n) | BigInt(Number.parseInt(digits.slice(i + b * 2, i + b * 2 + 2), 16));
      elements.push(FloatType.is(elementType) ? value : wrapInt(value, elementType));
    }
    return denseElements(type, elements);
  }
  return DenseStringElementsAttr.get(p.ctx, { type, elements: strings });
}

function parseDenseResource(p: EntityParser, expected: Type | undefined): Attribute {
  p.punct("<");
  const handle = p.cursor.optString() ?? p.cursor.ident();
  p.punct(">");
  return DenseResourceAttr.get(p.ctx, { handle, type: expected ?? (p.punct(":"), p.type()) });
}

function parseStrided(p: EntityParser): Attribute {
  const entry = (): bigint => (p.optPunct("?") ? -(2n ** 63n) : p.integer());
  p.punct("<");
  const strides = p.list("[", "]", entry);
  let offset = 0n;
  if (p.optPunct(",")) {
    p.keyword("offset");
    p.punct(":");
    offset = entry();
  }
  p.punct(">");
  return StridedLayoutAttr.get(p.ctx, { offset, strides });
}

function parseDistinct(p: EntityParser): Attribute {
  p.punct("[");
  const number = p.integer();
  p.punct("]");
  p.punct("<");
  const referenced = p.atPunct(">") ? unitAttr(p.ctx) : p.attribute();
  p.punct(">");
  return DistinctAttr.get(p.ctx, { number, referenced });
}

/** The text of an affine map with single spaces where MLIR prints them. */
function canonicalAffine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/\s*->\s*/g, " -> ")
    .replace(/\s*,\s*/g, ", ")
    .replace(/([(<[])\s+/g, "$1")
    .replace(/\s+([)>\]])/g, "$1")
    .trim();
}
