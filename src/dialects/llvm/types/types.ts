/**
 * The types of the LLVM dialect. Inside another LLVM type they are spelt without `!llvm.`:
 *
 *     !llvm.struct<(i32, ptr<3>, array<4 x f32>, struct<packed (i8)>)>
 *
 * Source: mlir/include/mlir/Dialect/LLVMIR/LLVMTypes.td, mlir/lib/Dialect/LLVMIR/IR/LLVMTypes.cpp.
 */
import type { AttrParser, AttrPrinter } from "../../../ir/asm.js";
import { defineType, type ReportText, type Type, type TypeOf } from "../../../ir/attribute.js";
import type { Context } from "../../../ir/context.js";
import { takeSpelling } from "../../../ir/spelling.js";
import { typeText } from "../../../ir/text-hook.js";
import { isValidArrayElement, isValidFunctionArgument, isValidFunctionResult, isValidStructElement } from "./element-rules.js";
import { parseNested, printNested } from "./syntax.js";

const bare = (mnemonic: string) => defineType<Record<string, never>>(`llvm.${mnemonic}`, { print: () => "" });
export const LLVMVoidType = bare("void");
export const LLVMTokenType = bare("token");
export const LLVMLabelType = bare("label");
export const LLVMMetadataType = bare("metadata");
export const LLVMX86AMXType = bare("x86_amx");
export const LLVMPPCFP128Type = bare("ppc_fp128");

/**
 * An opaque pointer; address space 0 is generic, 1 global, 3 shared, 7 cluster shared memory. Before 2023 pointers said what
 * they point to: `!llvm.ptr<f16, 1>`.
 */
export const LLVMPointerType = defineType<{ readonly addressSpace: number; readonly pointee?: Type }>("llvm.ptr", {
  parse(p) {
    if (!p.optPunct("<")) return { addressSpace: 0 };
    const number = p.optInteger(32);
    if (number !== undefined) {
      p.punct(">");
      return { addressSpace: Number(number) };
    }
    takeSpelling(p.ctx, "2.0");
    const pointee = parseNested(p);
    const addressSpace = p.optPunct(",") ? p.int() : 0;
    p.punct(">");
    return { addressSpace, pointee };
  },
  print({ addressSpace, pointee }, p) {
    if (pointee) return `<${printNested(pointee, p)}${addressSpace === 0 ? "" : `, ${addressSpace}`}>`;
    return addressSpace === 0 ? "" : `<${addressSpace}>`;
  },
});

/** Counts beyond 2^53 are rounded, and kept in `exact` beside. */
export const LLVMArrayType = defineType<{ readonly elementType: Type; readonly numElements: number; readonly exact?: bigint }>(
  "llvm.array",
  {
    parse(p) {
      p.punct("<");
      const count = p.integer();
      const numElements = Number(count);
      p.keyword("x");
      const elementType = parseNested(p);
      p.punct(">");
      return Number.isSafeInteger(numElements) ? { elementType, numElements } : { elementType, numElements, exact: count };
    },
    print: ({ elementType, numElements, exact }, p) => `<${exact ?? numElements} x ${printNested(elementType, p)}>`,
    verify({ elementType }, report) {
      if (!isValidArrayElement(elementType)) report(`invalid array element type: '${typeText(elementType)}'`);
    },
  },
);

export const LLVMFunctionType = defineType<{ readonly returnType: Type; readonly params: readonly Type[]; readonly varArg: boolean }>(
  "llvm.func",
  {
    parse(p) {
      p.punct("<");
      const returnType = parseNested(p);
      p.punct("(");
      const params: Type[] = [];
      let varArg = false;
      if (!p.optPunct(")")) {
        do {
          if (p.optPunct("...")) {
            varArg = true;
            break;
          }
          params.push(parseNested(p));
        } while (p.optPunct(","));
        p.punct(")");
      }
      p.punct(">");
      return { returnType, params, varArg };
    },
    print({ returnType, params, varArg }, p) {
      const list = params.map((t) => printNested(t, p));
      if (varArg) list.push("...");
      return `<${printNested(returnType, p)} (${list.join(", ")})>`;
    },
    verify({ returnType, params }, report) {
      if (!isValidFunctionResult(returnType)) report(`invalid function result type: '${typeText(returnType)}'`);
      for (const param of params)
        if (!isValidFunctionArgument(param)) return report(`invalid function argument type: '${typeText(param)}'`);
    },
  },
);

/**
 * A literal struct has its elements as parameters. An identified one is its name alone, so that it can contain itself;
 * its body is kept in the Context (see `structBody`).
 */
export type StructParams =
  | { readonly kind: "literal"; readonly elements: readonly Type[]; readonly packed: boolean }
  | { readonly kind: "identified"; readonly name: string };
export const LLVMStructType = defineType<StructParams>("llvm.struct", { parse: structParse, print: structPrint, verify: verifyStruct });

function verifyStruct(params: StructParams, report: ReportText): void {
  if (params.kind === "identified") return;
  for (const element of params.elements)
    if (!isValidStructElement(element)) return report(`invalid LLVM structure element type: '${typeText(element)}'`);
}

/** `target<"name", types..., ints...>` */
export const LLVMTargetExtType = defineType<{
  readonly extTypeName: string;
  readonly typeParams: readonly Type[];
  readonly intParams: readonly number[];
}>("llvm.target", {
  parse(p) {
    p.punct("<");
    const extTypeName = p.string();
    const typeParams: Type[] = [];
    const intParams: number[] = [];
    while (p.optPunct(",")) {
      const value = p.optInteger(32);
      if (value !== undefined) intParams.push(Number(value));
      else if (intParams.length > 0) intParams.push(p.int());
      else typeParams.push(parseNested(p));
    }
    p.punct(">");
    return { extTypeName, typeParams, intParams };
  },
  print: ({ extTypeName, typeParams, intParams }, p) =>
    `<${[p.string(extTypeName), ...typeParams.map((t) => printNested(t, p)), ...intParams].join(", ")}>`,
});

export type StructType = TypeOf<typeof LLVMStructType>;

/** The body of an identified struct. */
export interface StructBody {
  readonly elements: readonly Type[];
  readonly packed: boolean;
  readonly opaque: boolean;
}
/** The bodies of identified structs, by the parameters of the interned type. */
const bodies = new WeakMap<StructParams, StructBody>();
/** Names of the identified structs whose bodies are being read or printed: inside them only the name is spelt. */
const open: string[] = [];

/** The elements of a struct; none while an identified one has no body yet, or when it is opaque. */
export function structElements(type: StructType): readonly Type[] {
  return type.params.kind === "literal" ? type.params.elements : (bodies.get(type.params)?.elements ?? []);
}
/** The body of an identified struct; undefined until it is set, and for literal ones. */
export const structBody = (type: StructType): StructBody | undefined => bodies.get(type.params);
/** Gives an identified struct its body; false when it has another one already. */
export function setStructBody(type: StructType, body: StructBody): boolean {
  const known = bodies.get(type.params);
  if (!known) {
    bodies.set(type.params, body);
    return true;
  }
  const { elements, packed, opaque } = known;
  if (packed !== body.packed || opaque !== body.opaque || elements.length !== body.elements.length) return false;
  return elements.every((t, i) => t === body.elements[i]);
}

function structParse(p: AttrParser): StructParams {
  p.punct("<");
  const name = p.optString();
  if (name !== undefined) return identifiedParse(p, name);
  const packed = p.optKeyword("packed");
  const elements = p.list("(", ")", () => parseNested(p));
  p.punct(">");
  return { kind: "literal", elements, packed };
}

function identifiedParse(p: AttrParser, name: string): StructParams {
  const at = p.pos;
  const params: StructParams = { kind: "identified", name };
  const type = LLVMStructType.get(p.ctx, params);
  const setBody = (body: StructBody): StructParams => {
    p.punct(">");
    const problem = body.opaque ? "redeclaring defined struct as opaque" : "identified type already used with a different body";
    return setStructBody(type, body) ? params : p.fail(problem, at, "parse.struct");
  };
  if (p.optPunct(">")) {
    if (open.includes(name)) return params;
    return p.fail("struct without a body only allowed in a recursive struct", at, "parse.struct");
  }
  p.punct(",");
  if (p.optKeyword("opaque")) return setBody({ elements: [], packed: false, opaque: true });
  const packed = p.optKeyword("packed");
  open.push(name);
  try {
    return setBody({ elements: p.list("(", ")", () => parseNested(p)), packed, opaque: false });
  } finally {
    open.pop();
  }
}

function structPrint(params: StructParams, p: AttrPrinter): string {
  const list = ({ elements, packed }: Omit<StructBody, "opaque">) =>
    `${packed ? "packed " : ""}(${elements.map((t) => printNested(t, p)).join(", ")})`;
  if (params.kind === "literal") return `<${list(params)}>`;
  const { name } = params;
  const body = open.includes(name) ? undefined : bodies.get(params);
  if (!body) return `<${p.string(name)}>`;
  open.push(name);
  try {
    return `<${p.string(name)}, ${body.opaque ? "opaque" : list(body)}>`;
  } finally {
    open.pop();
  }
}

export const ptrType = (ctx: Context, addressSpace = 0): Type => LLVMPointerType.get(ctx, { addressSpace });
export const voidType = (ctx: Context): Type => LLVMVoidType.get(ctx, {});
export const structType = (ctx: Context, elements: readonly Type[], packed = false): Type =>
  LLVMStructType.get(ctx, { kind: "literal", elements, packed });
