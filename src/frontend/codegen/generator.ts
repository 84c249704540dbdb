/**
 * The state of one function's code generation, and what the parts of the visitor call of each other.
 * Source: python/triton/compiler/code_generator.py, CodeGenerator.
 */

import type { Block } from "../../ir/block.js";
import type { Builder } from "../../ir/builder.js";
import type { Context } from "../../ir/context.js";
import type { LocationRef } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import type { Host, JitData } from "../host/objects.js";
import type { Choice } from "../host/undecided.js";
import type { LanguageOptions, Semantic } from "../language/semantic.js";
import type { TlType } from "../language/types.js";
import { type Definition, isConstexpr, isLayout, type JitFunction, layoutKey, type PyValue } from "../language/values.js";
import type * as ast from "../python/ast.js";
import type { CompilationError, ErrorFrame } from "./compilation-error.js";

/** A function of the module: its return type is known once its body is visited. */
export interface GeneratedFunction {
  readonly op: Operation;
  returnType: TlType | undefined;
  /** There was an error in it: what it returns is not known. */
  failed: boolean;
}

/** A warning about a line of Python. */
export interface CodegenWarning {
  /** The code of a note of ours; by default it follows from the severity. */
  readonly code?: string;
  /** A remark is the output of `tl.static_print`; a note reports the definition taken for an undecided name. */
  readonly severity: "warning" | "remark" | "note";
  readonly message: string;
  /** For a note: the definitions, and the one that is taken. */
  readonly choice?: Choice;
  readonly file: string;
  readonly place: Definition["at"];
}

/** The visitors of nodes of each kind. It is a value, as expressions contain calls, calls run statements, and statements contain expressions. */
export interface Visitor {
  expression(g: Generator, node: ast.Expr): PyValue;
  statement(g: Generator, node: ast.Stmt): void;
}

/** State shared by all functions of one compilation. */
export interface Compilation {
  readonly visitor: Visitor;
  readonly ctx: Context;
  readonly host: Host;
  readonly options: LanguageOptions;
  readonly module: { op: Operation | undefined; body: Block | undefined };
  readonly functions: Map<string, GeneratedFunction>;
  /** In the order in which code generation comes to them; a loop's body is visited twice. */
  readonly warnings: CodegenWarning[];
  /** The first is Triton's; the others are those that do not follow from another (`recovery.ts`). By place, a NameError by message. */
  readonly errors: Map<string, CompilationError>;
  /** How many statements have failed, with an error of their own or because of another's. */
  failures: number;
  /** How many were visited. */
  statements: number;
}

export type Scope = Map<string, PyValue>;

/** A return that is made when the function's type is known. */
export interface PendingReturn {
  readonly value: PyValue;
  readonly block: Block;
  readonly loc: LocationRef;
}

/** One function that is being generated. */
export interface Generator {
  readonly compilation: Compilation;
  readonly b: Builder;
  readonly s: Semantic;
  readonly jit: JitFunction;
  readonly data: JitData;
  readonly functionName: string;
  /** The warps of the partition that runs the function, in Gluon; undefined outside of partitions. */
  readonly partitionWarps: number | undefined;
  readonly isKernel: boolean;
  /** The name that is being assigned to: ops are named after it. */
  namePrefix: string | undefined;
  /** The calls that lead here, the innermost first. */
  readonly callers: readonly ErrorFrame[];
  /** Values of names here. */
  scope: Scope;
  /** Names without a value, as the statement that assigns them has failed. */
  readonly poisoned: Set<string>;
  /** Names that were assigned since the region was entered. */
  localDefs: Scope;
  /** Since 3.8: annotations without a value, for the next assignments. */
  pendingAnnotations: Scope;
  /** Loops around this place. */
  loopDepth: number;
  returnType: TlType | undefined;
  /** Since 3.7: the returns so far. */
  readonly returns: PendingReturn[];
  /** The node that is being visited: errors are reported there. */
  node: ast.Node | undefined;
  visitingDefault: boolean;
  /** Calls whose result nobody takes. */
  unused: ast.Expr | undefined;
}

export function setValue(g: Generator, name: string, value: PyValue): void {
  g.scope.set(name, value);
  g.localDefs.set(name, value);
  g.poisoned.delete(name);
}

/** Keeps the name of a layout, for those who ask why a value has it. */
export function noteLayout({ compilation, data }: Generator, name: string, value: PyValue, at: ast.Place | undefined): void {
  const layout = isConstexpr(value) ? value.value : value;
  if (!isLayout(layout) || !at) return;
  const { layoutNames } = compilation.ctx;
  const key = layoutKey(layout);
  const known = layoutNames.get(key) ?? [];
  const file = data.env.file.path;
  if (known.some((other) => other.name === name && other.line === at.line && other.file === file)) return;
  layoutNames.set(key, [...known, { name, file, line: at.line }]);
}
