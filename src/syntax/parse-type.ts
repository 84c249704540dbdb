/** The syntax of types. Source: mlir/lib/AsmParser/TypeParser.cpp. */

import type { Attribute, Type } from "../ir/attribute.js";
import {
  ComplexType,
  FLOAT_FORMATS,
  type FloatKind,
  FunctionType,
  floatType,
  IntegerType,
  indexType,
  intType,
  isFloat,
  isInteger,
  MemRefType,
  noneType,
  OpaqueType,
  RankedTensorType,
  type Signedness,
  TupleType,
  UnrankedTensorType,
  VectorType,
} from "../ir/builtin-types.js";
import type { EntityParser } from "./entity-parser.js";

const MAX_INTEGER_WIDTH = (1 << 24) - 1;

/** Reads a type, or returns undefined when none starts here. */
export function parseOptionalType(p: EntityParser): Type | undefined {
  const { cursor } = p;
  const c = cursor.skip();
  if (c === 33) return parseDialectType(p);
  if (c === 40) return parseFunctionType(p);
  const word = cursor.peekIdent();
  if (word === undefined) return undefined;
  const first = word.charCodeAt(0);
  if ((first === 105 || first === 115 || first === 117) && /^(?:i|si|ui)\d+$/.test(word)) {
    const width = Number(word.replace(/^\D+/, ""));
    if (width > MAX_INTEGER_WIDTH) p.fail(`integer bitwidth is limited to ${MAX_INTEGER_WIDTH} bits`);
    cursor.pos += word.length;
    if (first === 105) return intType(p.ctx, width);
    return IntegerType.get(p.ctx, { width, signedness: (first === 115 ? "signed" : "unsigned") satisfies Signedness });
  }
  if (Object.hasOwn(FLOAT_FORMATS, word)) {
    cursor.pos += word.length;
    return floatType(p.ctx, word as FloatKind);
  }
  const read = KEYWORDS.get(word);
  if (!read) return undefined;
  cursor.pos += word.length;
  return read(p);
}

const KEYWORDS = new Map<string, (p: EntityParser) => Type>([
  ["index", (p) => indexType(p.ctx)],
  ["none", (p) => noneType(p.ctx)],
  ["tensor", parseTensor],
  ["vector", parseVector],
  ["memref", parseMemRef],
  ["complex", parseComplex],
  ["tuple", (p) => TupleType.get(p.ctx, { types: p.list("<", ">", () => p.type()) })],
]);

function parseTensor(p: EntityParser): Type {
  p.punct("<");
  if (p.optPunct("*")) {
    p.keyword("x", true);
    const elementType = p.type();
    p.punct(">");
    return UnrankedTensorType.get(p.ctx, { elementType });
  }
  const shape = p.dimensionList();
  const at = p.pos;
  const elementType = p.type();
  if (!isValidTensorElement(elementType)) p.fail("invalid tensor element type: " + p.typeText(elementType), at);
  const encoding = p.optPunct(",") ? p.optAttribute() : undefined;
  if (!p.optPunct(">")) p.cursor.wrongToken("expected '>' in tensor type");
  const type = RankedTensorType.get(p.ctx, { shape, elementType, encoding });
  p.checkTensor?.(type, at);
  return type;
}

function parseComplex(p: EntityParser): Type {
  p.punct("<");
  const at = p.pos;
  const elementType = p.type();
  if (!isFloat(elementType) && !IntegerType.is(elementType)) p.fail("invalid element type for complex", at, "parse.type");
  p.punct(">");
  return ComplexType.get(p.ctx, { elementType });
}

function isValidTensorElement(type: Type): boolean {
  return type.def.name.startsWith("builtin.")
    ? !FunctionType.is(type) && !TupleType.is(type) && !RankedTensorType.is(type) && type.def.name !== "builtin.none"
    : true;
}

function parseVector(p: EntityParser): Type {
  p.punct("<");
  const shape: number[] = [];
  const scalable: boolean[] = [];
  for (;;) {
    const open = p.optPunct("[");
    const extent = p.cursor.optDecimal();
    if (extent === undefined) {
      if (open) p.fail("expected integer value");
      break;
    }
    if (extent <= 0) p.fail("vector types must have positive constant sizes but got " + extent);
    if (open) p.punct("]");
    shape.push(extent);
    scalable.push(open);
    p.dimensionX();
  }
  const at = p.pos;
  const elementType = p.type();
  p.punct(">");
  if (
    elementType.def.name.startsWith("builtin.") &&
    !isInteger(elementType) &&
    !IntegerType.is(elementType) &&
    !isFloat(elementType) &&
    elementType.def.name !== "builtin.index"
  )
    p.fail("failed to verify 'elementType': VectorElementTypeInterface instance", at);
  return VectorType.get(p.ctx, { shape, elementType, scalable: scalable.some((s) => s) ? scalable : undefined });
}

function parseMemRef(p: EntityParser): Type {
  p.punct("<");
  const shape = p.dimensionList();
  const elementType = p.type();
  let layout: Attribute | undefined;
  let memorySpace: Attribute | undefined;
  while (p.optPunct(",")) {
    const attr = p.attribute();
    if (attr.def.name === "builtin.affine_map" || attr.def.name === "builtin.strided") layout = attr;
    else memorySpace = attr;
  }
  p.punct(">");
  return MemRefType.get(p.ctx, { shape, elementType, layout, memorySpace });
}

/** `(T, T) -> T` or `(T) -> (T, T)` */
export function parseFunctionType(p: EntityParser): Type {
  const inputs = p.list("(", ")", () => p.type());
  p.punct("->");
  return FunctionType.get(p.ctx, { inputs, results: p.typeOrTypes() });
}

/** `!alias`, `!dialect.mnemonic<...>` or `!dialect<...>`. */
function parseDialectType(p: EntityParser): Type {
  const { cursor } = p;
  const at = cursor.pos;
  const end = cursor.suffixEnd(at + 1);
  const name = cursor.text.slice(at + 1, end);
  if (name === "") p.fail("expected type", at, "parse.type");
  cursor.pos = end;
  if (!name.includes(".")) {
    if (cursor.text.charCodeAt(end) === 60) return p.withoutNul(parseOpaqueType(p, name, at), end);
    p.enterAlias(`!${name}`, at);
    return p.typeAliases.get(name) ?? p.fail(`undefined symbol alias id '${name}'`, at, "parse.alias");
  }
  p.paramsFollow();
  return p.withoutNul(p.dialectType(name, at), end);
}

function parseOpaqueType(p: EntityParser, dialect: string, at: number): Type {
  const start = p.cursor.pos;
  p.cursor.pos++;
  // `!dialect<mnemonic ...>` is the long form of `!dialect.mnemonic...` for registered dialects.
  const word = p.cursor.peekIdent();
  if (word && p.ctx.typeDefs.has(`${dialect}.${word}`)) {
    p.cursor.pos += word.length;
    const type = p.dialectType(`${dialect}.${word}`, at);
    p.punct(">");
    return type;
  }
  p.cursor.pos = start;
  const data = p.balanced();
  if (p.ctx.dialects.has(dialect)) p.fail(`unknown type \`${data}\` in dialect \`${dialect}\``, at, "parse.type");
  p.checkUnregistered("type", { dialect, data }, at);
  return OpaqueType.get(p.ctx, { dialect, data });
}
