/**
 * PTX text as records: a module of declarations and functions, a function's body of statements. Unknown instructions are
 * records like any other. Every record prints in the style of LLVM's NVPTX printer; a parsed one keeps in `gaps` the
 * white space and comments that differ from it, so that a parsed text prints back byte for byte.
 *
 *     @!%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1+8];
 *     { kind: "instruction", guard: { register: "%p1", negated: true }, opcode: "ld", modifiers: ["global", "v2", "b32"],
 *       operands: [vector(%r1, %r2), address(%rd1, 8)] }
 */

export type Operand =
  /** A register, special register, variable, label or function; `_` is the sink. */
  | { readonly kind: "name"; readonly name: string }
  /** `text` is the spelling: `-1`, `0x3340U`. */
  | { readonly kind: "integer"; readonly value: bigint; readonly text: string }
  /** `0f3F800000` (an f32's bits), `0d...` (an f64's), `1.5`. */
  | { readonly kind: "float"; readonly value: number; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  /** `{a, b}` */
  | { readonly kind: "vector"; readonly elements: readonly Operand[] }
  /** `(a, b)`: arguments or results of a call. */
  | { readonly kind: "list"; readonly elements: readonly Operand[] }
  /** `[base+offset]`; `rest` holds what else is in the brackets, such as a tensor's coordinates. */
  | { readonly kind: "address"; readonly base: Operand; readonly rest: readonly Operand[] }
  /** `base+offset`, `base-offset` */
  | { readonly kind: "sum"; readonly base: Operand; readonly minus: boolean; readonly offset: Operand }
  /** `a|b`: two results. */
  | { readonly kind: "pair"; readonly first: Operand; readonly second: Operand }
  /** `!a` */
  | { readonly kind: "not"; readonly operand: Operand };

/** Where a record came from and how its text was set; absent in records made by a program. */
export interface Setting {
  /** Offset of the first token in the source. */
  readonly at?: number;
  /** The text before the first token, where it differs from the printer's own: line break, indent, comments. */
  readonly before?: string;
  /** The text before each token, where any after the first differs from the printer's own; its first entry does not count. */
  readonly gaps?: readonly string[];
}

export interface Guard {
  readonly register: string;
  readonly negated: boolean;
}

export interface Instruction extends Setting {
  readonly kind: "instruction";
  readonly guard: Guard | undefined;
  /** `ld` of `ld.global.b32`. */
  readonly opcode: string;
  readonly modifiers: readonly string[];
  readonly operands: readonly Operand[];
}

export interface Label extends Setting {
  readonly kind: "label";
  readonly name: string;
}

/** `.align 8`, `.global`, `.b32`: a word of a declaration, without its dot. */
export interface Specifier {
  readonly name: string;
  readonly value?: Operand;
}

export interface Declarator {
  readonly name: string;
  /** `%r<5>` declares %r0 to %r4. */
  readonly count?: Operand;
  /** Extents of an array; undefined for `[]`. */
  readonly dims: readonly (Operand | undefined)[];
  readonly init?: Operand;
}

/** `.reg .b32 %r<5>;`, `.shared .align 16 .b8 smem[1024];`, `.param .b64 param0;` */
export interface Variable extends Setting {
  readonly kind: "variable";
  readonly specifiers: readonly Specifier[];
  readonly declarators: readonly Declarator[];
}

/** `.version 8.7`, `.loc 1 7 0`, `.pragma "nounroll";`: words up to the end of the line or a semicolon. */
export interface Directive extends Setting {
  readonly kind: "directive";
  readonly name: string;
  /** Names, numbers, strings and commas as they stand. */
  readonly words: readonly string[];
  readonly semicolon: boolean;
}

/** `$L_brx_0: .branchtargets A, B;` or `.callprototype`, `.calltargets`: `words` as in a directive. */
export interface LabelledDirective extends Setting {
  readonly kind: "labelledDirective";
  readonly label: string;
  readonly name: string;
  readonly words: readonly string[];
}

/** `{ ... }`: a scope of names. */
export interface Scope extends Setting {
  readonly kind: "scope";
  readonly body: readonly Statement[];
  /** The text before the closing brace. */
  readonly closeGap?: string;
}

export type Statement = Instruction | Label | Variable | Directive | LabelledDirective | Scope;

export interface Parameter {
  readonly specifiers: readonly Specifier[];
  readonly name: string;
  readonly dims: readonly (Operand | undefined)[];
}

/** A kernel (`.entry`) or function (`.func`), defined or declared. */
export interface PtxFunction extends Setting {
  readonly kind: "function";
  /** `.visible .entry` */
  readonly specifiers: readonly Specifier[];
  /** Undefined where there is no list. */
  readonly results: readonly Parameter[] | undefined;
  readonly name: string;
  readonly params: readonly Parameter[] | undefined;
  /** `.reqntid 128`, `.maxnreg 64`, `.noreturn` */
  readonly directives: readonly { readonly name: string; readonly values: readonly Operand[] }[];
  /** Undefined for a declaration, which ends in a semicolon. */
  readonly body: readonly Statement[] | undefined;
  readonly closeGap?: string;
}

/** `.section .debug_info { ... }`: debug information, kept as text. */
export interface Section extends Setting {
  readonly kind: "section";
  readonly name: string;
  /** From brace to brace. */
  readonly text: string;
}

export type ModuleItem = Directive | Variable | PtxFunction | Section;

/** A PTX file: directives, variables, functions and sections, in order. */
export interface PtxModule {
  readonly items: readonly ModuleItem[];
  /** The text after the last item. */
  readonly tail?: string;
}

/** `ld.global.b32` */
export const mnemonicOf = (op: Instruction): string => (op.modifiers.length === 0 ? op.opcode : `${op.opcode}.${op.modifiers.join(".")}`);

export const isEntry = (fn: PtxFunction): boolean => fn.specifiers.some((s) => s.name === "entry");

const FUNDAMENTAL =
  /^(?:pred|[busf](?:8|16|32|64|128)|f16x2|bf16|bf16x2|tf32|e4m3|e5m2|e2m1|e2m3|e3m2|ue8m0|e4m3x2|e5m2x2|e2m1x2|e3m2x2|e2m3x2|ue8m0x2|e4m3x4|e5m2x4|s4|u4|b1|s16x2|u16x2|f32x2|b1024)$/;

/** The types among an instruction's modifiers, in order: `[f16, f32]` of `cvt.rn.f16.f32`. */
export const typesOf = (op: Instruction): readonly string[] => op.modifiers.filter((m) => FUNDAMENTAL.test(m));

/** The type and state space of a declaration's specifiers; `b32` and `reg` of `.reg .b32`. */
export function declaredAs(specifiers: readonly Specifier[]): {
  readonly space: string;
  readonly type: string;
  readonly align: number | undefined;
} {
  const space = specifiers.find((s) => ["reg", "param", "shared", "global", "local", "const"].includes(s.name))?.name ?? "";
  const type = specifiers.find((s) => FUNDAMENTAL.test(s.name))?.name ?? "";
  const align = specifiers.find((s) => s.name === "align")?.value;
  return { space, type, align: align?.kind === "integer" ? Number(align.value) : undefined };
}
