/**
 * Compiles a PTX module for the machine: each function once, into blocks of steps. An instruction that is not modelled
 * becomes a step that says so when it is executed; so code that is never reached does no harm.
 */
import type { SourceBuffer } from "../../diagnostics/source.js";
import {
  type Directive,
  declaredAs,
  type Instruction,
  isEntry,
  type ModuleItem,
  mnemonicOf,
  type Operand,
  type PtxFunction,
  type PtxModule,
  type Parameter as PtxParameter,
  type Scope as ScopeStatement,
  type Specifier,
  type Statement,
  type Variable,
} from "../../ptx/instruction.js";
import { printStatement } from "../../ptx/print.js";
import { Bug } from "../../support/assert.js";
import { immediatePostDominators } from "./blocks.js";
import { BUILTINS } from "./builtins.js";
import { type Site, Stop } from "./findings.js";
import { InstructionCompiler, NotModelled, type RegisterFile } from "./instruction-compiler.js";
import type { Step } from "./lanes.js";
import { libdevice } from "./libdevice.js";
import type { Block, CompiledFunction, KernelParameter, Program, RowCopy, Terminator } from "./program.js";
import { RULES } from "./rules/index.js";
import { warpBarrier } from "./rules/warp.js";
import { bitsOfType, bytesOfVariable, Scope } from "./scope.js";

/** Global variables lie behind all arguments. */
export const FIRST_GLOBAL_ID = 130_000;
const GLOBAL_RANGE = 2 ** 36;
const GLOBAL_ORIGIN = 2 ** 35;

/** `kernel` names the entry, by default the only one (or the first). The error is one line. */
export function compileProgram(module: PtxModule, source: SourceBuffer, kernel?: string): Program | { readonly error: string } {
  const functions = module.items.filter((i): i is PtxFunction => i.kind === "function");
  const entries = functions.filter((f) => isEntry(f) && f.body !== undefined);
  const entry = kernel === undefined ? entries[0] : entries.find((f) => f.name === kernel);
  if (entry === undefined)
    return {
      error:
        kernel === undefined
          ? "the text has no .entry with a body"
          : `no kernel '${kernel}'; there are ${entries.map((f) => f.name).join(", ") || "none"}`,
    };
  return new ProgramCompiler(module, source).compile(entry, functions);
}

class ProgramCompiler implements RegisterFile {
  readonly sites: Site[] = [];
  readonly #module: Scope;
  #rows = 0;
  #predicates = 0;
  readonly #constants = new Map<string, { readonly row: number; readonly bits: bigint; readonly wide: boolean }>();
  readonly #special = new Map<string, { readonly row: number; readonly name: string }>();
  readonly #constantPredicates = new Map<number, number>();
  readonly #globals: { name: string; address: number; bytes: Uint8Array }[] = [];
  readonly #files = new Map<string, string>();
  readonly #formals = new Map<
    string,
    { readonly params: readonly (readonly number[])[]; readonly results: readonly (readonly number[])[] }
  >();
  readonly #compiled = new Map<string, CompiledFunction>();
  #shared = 0;
  #dynamic: string[] = [];
  #local = 0;
  #granule = 16;

  constructor(
    readonly module: PtxModule,
    readonly source: SourceBuffer,
  ) {
    this.#module = new Scope(undefined, { row: (bits) => this.row(bits), predicate: () => this.predicate() });
  }

  compile(entry: PtxFunction, functions: readonly PtxFunction[]): Program {
    for (const item of this.module.items) this.#declare(item);
    // Arrays of unknown extent begin behind the others.
    const dynamicAt = (this.#shared + 127) & ~127;
    for (const name of this.#dynamic) this.#module.declareAddress(name, BigInt(dynamicAt));
    for (const fn of functions) if (fn !== entry && fn.body !== undefined) this.#declareFormals(fn);
    const params = parametersOf(entry);
    const kernel = this.#function(entry, params);
    for (const fn of functions)
      if (fn !== entry && fn.body !== undefined && !isEntry(fn)) this.#compiled.set(fn.name, this.#function(fn, undefined));
    const last = params.at(-1);
    return {
      kernel,
      params,
      paramBytes: last === undefined ? 0 : last.offset + last.bytes,
      rows: this.#rows / 32,
      predicates: this.#predicates,
      localBytes: (this.#local + 15) & ~15,
      threads: threadsOf(entry),
      constants: [...this.#constants.values()],
      special: [...this.#special.values()],
      constantPredicates: [...this.#constantPredicates].map(([mask, predicate]) => ({ mask, predicate })),
      staticShared: this.#dynamic.length > 0 ? dynamicAt : this.#shared,
      usesDynamicShared: this.#dynamic.length > 0,
      sharedGranule: this.#granule,
      globals: this.#globals,
      sites: this.sites,
      functions: () => this.#compiled.values(),
    };
  }

  // The register file. A row is 32 words, named by its first; 64 bits take two.

  row(bits: number): number {
    const row = this.#rows;
    this.#rows += bits === 64 ? 64 : 32;
    return row;
  }

  constant(bits: bigint, wide: boolean): number {
    const value = BigInt.asUintN(wide ? 64 : 32, bits);
    const key = `${value}${wide ? "w" : ""}`;
    let known = this.#constants.get(key);
    if (known === undefined) this.#constants.set(key, (known = { row: this.row(wide ? 64 : 32), bits: value, wide }));
    return known.row;
  }

  special(name: string): number {
    let known = this.#special.get(name);
    if (known === undefined) this.#special.set(name, (known = { row: this.row(32), name }));
    return known.row;
  }

  predicate(): number {
    return this.#predicates++;
  }

  constantPredicate(mask: number): number {
    let known = this.#constantPredicates.get(mask);
    if (known === undefined) this.#constantPredicates.set(mask, (known = this.predicate()));
    return known;
  }

  // Declarations.

  #declare(item: ModuleItem): void {
    if (item.kind === "directive" && item.name === ".file")
      this.#files.set(item.words[0] ?? "", (item.words[1] ?? "").replace(/^"|"$/g, "").replace(/^.*\//, ""));
    if (item.kind === "variable") this.#variable(item, this.#module);
  }

  #variable(variable: Variable, scope: Scope): void {
    const { space, align, type } = declaredAs(variable.specifiers);
    if (space === "reg") return scope.declareRegisters(variable.specifiers, variable.declarators);
    for (const { name, dims, init } of variable.declarators) {
      const bytes = bytesOfVariable(variable.specifiers, dims);
      const alignment = Math.max(align ?? 1, bitsOfType(type) / 8);
      if (space === "shared") {
        if (bytes === 0) this.#dynamic.push(name);
        this.#shared = Math.ceil(this.#shared / alignment) * alignment;
        scope.declareAddress(name, BigInt(this.#shared));
        this.#shared += bytes;
      } else if (space === "local") {
        this.#local = Math.ceil(this.#local / alignment) * alignment;
        scope.declareAddress(name, BigInt(this.#local));
        this.#local += bytes;
      } else if (space === "param") scope.declareParam(name, { kind: "rows", rows: this.#words(bytes), bytes });
      else this.#global(name, bytes, type, init, scope);
    }
  }

  #words(bytes: number): number[] {
    return Array.from({ length: Math.ceil(bytes / 4) }, () => this.row(32));
  }

  #global(name: string, bytes: number, type: string, init: Operand | undefined, scope: Scope): void {
    const address = (FIRST_GLOBAL_ID + this.#globals.length + 1) * GLOBAL_RANGE + GLOBAL_ORIGIN;
    const data = new Uint8Array(Math.max(bytes, 1));
    const view = new DataView(data.buffer);
    const size = bitsOfType(type) / 8;
    let at = 0;
    const put = (value: Operand): void => {
      if (value.kind === "vector") return value.elements.forEach(put);
      if (at + size > data.length) return;
      const bits = value.kind === "integer" ? value.value : value.kind === "float" ? BigInt(`0x${value.text.slice(2)}`) : 0n;
      for (let i = 0; i < size; i++) view.setUint8(at + i, Number((bits >> BigInt(8 * i)) & 255n));
      at += size;
    };
    if (init !== undefined) put(init);
    this.#globals.push({ name, address, bytes: data });
    scope.declareAddress(name, BigInt(address));
  }

  #declareFormals(fn: PtxFunction): void {
    const rows = (list: readonly PtxParameter[] | undefined) => (list ?? []).map((p) => this.#words(bytesOfVariable(p.specifiers, p.dims)));
    this.#formals.set(fn.name, { params: rows(fn.params), results: rows(fn.results) });
  }

  // Functions.

  #function(fn: PtxFunction, params: readonly KernelParameter[] | undefined): CompiledFunction {
    const firstRow = this.#rows;
    const firstPredicate = this.#predicates;
    const firstLocal = this.#local;
    const scope = new Scope(this.#module, this.#module.allocate);
    if (params !== undefined) for (const p of params) scope.declareParam(p.name, { kind: "kernel", offset: p.offset, bytes: p.bytes });
    else {
      const formals = this.#formals.get(fn.name)!;
      const declare = (list: readonly PtxParameter[] | undefined, rows: readonly (readonly number[])[]) =>
        (list ?? []).forEach((p, i) => {
          if (p.specifiers.some((s) => s.name === "reg")) throw new Bug(".reg parameters are not compiled");
          scope.declareParam(p.name, { kind: "rows", rows: rows[i]!, bytes: bytesOfVariable(p.specifiers, p.dims) });
        });
      declare(fn.params, formals.params);
      declare(fn.results, formals.results);
    }
    const body = new BodyCompiler(this, scope, params !== undefined);
    const blocks = body.compile(fn.body!);
    return {
      name: fn.name,
      blocks,
      firstRow,
      endRow: this.#rows,
      firstPredicate,
      endPredicate: this.#predicates,
      localBytes: this.#local - firstLocal,
    };
  }

  declareIn(variable: Variable, scope: Scope): void {
    this.#variable(variable, scope);
  }

  fileName(index: string): string | undefined {
    return this.#files.get(index);
  }

  formals(name: string): { readonly params: readonly (readonly number[])[]; readonly results: readonly (readonly number[])[] } | undefined {
    return this.#formals.get(name);
  }

  function(name: string): CompiledFunction {
    const fn = this.#compiled.get(name);
    if (fn === undefined) throw new Bug(`function ${name} is not compiled`);
    return fn;
  }

  site(op: Instruction, location: string | undefined): Site {
    const site: Site = {
      index: this.sites.length,
      text: printStatement(op).replace(/\s+/g, " "),
      mnemonic: mnemonicOf(op),
      line: op.at === undefined ? 0 : this.source.position(op.at).line,
      source: location,
      executions: 0,
      lanes: 0,
      requests: 0,
      sectors: 0,
      lines: 0,
      wavefronts: 0,
      idealWavefronts: 0,
    };
    this.sites.push(site);
    const bytes = sharedBytesOf(op);
    if (bytes !== undefined) while (this.#granule > bytes) this.#granule /= 2;
    return site;
  }
}

/** Bytes that an instruction accesses in shared memory at once, for those that may. */
function sharedBytesOf(op: Instruction): number | undefined {
  const { opcode, modifiers } = op;
  if (opcode === "cp" && modifiers[0] === "async") return op.operands[2]?.kind === "integer" ? Number(op.operands[2].value) : undefined;
  if (opcode === "mbarrier") return 8;
  if (!["ld", "st", "atom", "red", "ldu"].includes(opcode)) return undefined;
  const space = modifiers.find((m) => /^(?:global|shared|local|param|const)\b/.test(m));
  if (space !== undefined && !space.startsWith("shared")) return undefined;
  const type = modifiers.at(-1) ?? "b32";
  const vector = Number(modifiers.map((m) => /^v(\d)$/.exec(m)?.[1]).find((v) => v !== undefined) ?? 1);
  return (bitsOfType(type) / 8) * (opcode === "ld" || opcode === "st" ? vector : 1);
}

/** The body of one function. */
class BodyCompiler {
  readonly #blocks: Block[] = [];
  /** Blocks' numbers by label number; branches name label numbers until `compile` ends. */
  readonly #labelBlocks: number[] = [];
  readonly #targets = new Map<string, readonly string[]>();
  readonly #scopes = new Map<ScopeStatement, Scope>();
  #block: Block = newBlock();
  #location: string | undefined;

  constructor(
    readonly program: ProgramCompiler,
    readonly scope: Scope,
    readonly isKernel: boolean,
  ) {}

  compile(body: readonly Statement[]): Block[] {
    this.#findLabels(body, this.scope);
    this.#blocks.push(this.#block);
    this.#statements(body, this.scope);
    this.#block.terminator = { kind: "return", predicate: -1 };
    for (const block of this.#blocks) block.terminator = this.#resolved(block.terminator);
    const joins = immediatePostDominators(this.#blocks.map((b, i) => successors(b.terminator, i)));
    this.#blocks.forEach((block, i) => {
      block.join = joins[i]!;
    });
    return this.#blocks;
  }

  #findLabels(body: readonly Statement[], scope: Scope): void {
    for (const statement of body)
      if (statement.kind === "label") scope.declareLabel(statement.name, this.#labelBlocks.push(-1) - 1);
      else if (statement.kind === "labelledDirective" && statement.name === ".branchtargets")
        this.#targets.set(
          statement.label,
          statement.words.filter((w) => w !== ","),
        );
      else if (statement.kind === "scope") {
        const inner = new Scope(scope, scope.allocate);
        this.#scopes.set(statement, inner);
        this.#findLabels(statement.body, inner);
      }
  }

  #resolved(terminator: Terminator): Terminator {
    if (terminator.kind === "branch") return { ...terminator, target: this.#labelBlocks[terminator.target]! };
    if (terminator.kind === "indexed") return { ...terminator, targets: terminator.targets.map((t) => this.#labelBlocks[t]!) };
    return terminator;
  }

  #statements(body: readonly Statement[], scope: Scope): void {
    for (const statement of body)
      switch (statement.kind) {
        case "instruction":
          this.#instruction(statement, scope);
          break;
        case "label":
          if (this.#block.steps.length > 0) this.#newBlock();
          this.#labelBlocks[scope.label(statement.name)!] = this.#blocks.length - 1;
          break;
        case "variable":
          this.program.declareIn(statement, scope);
          break;
        case "directive":
          if (statement.name === ".loc") this.#location = this.#sourceLocation(statement);
          break;
        case "scope":
          this.#statements(statement.body, this.#scopes.get(statement)!);
          break;
        case "labelledDirective":
          break;
      }
  }

  #sourceLocation({ words }: Directive): string | undefined {
    const [file = "", line = "0", column = "0"] = words;
    const name = this.program.fileName(file);
    return name === undefined || line === "0" ? undefined : `${name}:${line}:${column}`;
  }

  #newBlock(): void {
    this.#block = newBlock();
    this.#blocks.push(this.#block);
  }

  #end(terminator: Terminator): void {
    this.#block.terminator = terminator;
    this.#newBlock();
  }

  #instruction(op: Instruction, scope: Scope): void {
    const site = this.program.site(op, this.#location);
    const c = new InstructionCompiler(op, scope, this.program, site);
    let guard = -1;
    try {
      if (op.guard !== undefined) guard = c.predicateSource({ kind: "name", name: op.guard.register }) ^ (op.guard.negated ? 1 : 0);
      const terminator = this.#terminator(op, c, guard, scope);
      if (terminator !== undefined) {
        const before = c.finish();
        if (before !== undefined) this.#step(before, guard, site);
        else this.#step(noStep, guard, site);
        return this.#end(terminator);
      }
      const rule = RULES.get(op.opcode);
      if (rule === undefined) throw new NotModelled("unknown instruction");
      rule(c);
      this.#step(c.finish() ?? noStep, guard, site);
    } catch (error) {
      if (!(error instanceof NotModelled)) throw error;
      const { message } = error;
      this.#step(
        (warp) => {
          warp.cta.findings.add("not-modelled", site, `${site.mnemonic} is not modelled${message === "" ? "" : `: ${message}`}`);
          throw new Stop("not modelled");
        },
        guard,
        site,
      );
    }
  }

  #step(step: Step, guard: number, site: Site): void {
    this.#block.steps.push(step);
    this.#block.guards.push(guard);
    this.#block.sites.push(site);
  }

  /** What ends the block; undefined for ordinary instructions. */
  #terminator(op: Instruction, c: InstructionCompiler, predicate: number, scope: Scope): Terminator | undefined {
    switch (op.opcode) {
      case "bra":
        return { kind: "branch", predicate, target: labelOf(c.operand(0), scope) };
      case "brx": {
        const list = c.operand(1);
        const names = list.kind === "name" ? this.#targets.get(list.name) : undefined;
        if (names === undefined) throw new NotModelled("a branch without its targets");
        return {
          kind: "indexed",
          predicate,
          row: c.source(c.operand(0), 32),
          targets: names.map((name) => labelOf({ kind: "name", name }, scope)),
          site: c.site,
        };
      }
      case "ret":
        return { kind: this.isKernel ? "exit" : "return", predicate };
      case "exit":
        return { kind: "exit", predicate };
      case "trap":
        c.emit(BUILTINS.get("trap")!([], [], c.site));
        return undefined;
      case "call":
        return this.#call(op, c, predicate, scope);
      case "bar":
      case "barrier":
        return this.#barrier(op, c, predicate);
      default:
        return undefined;
    }
  }

  #call(op: Instruction, c: InstructionCompiler, predicate: number, scope: Scope): Terminator | undefined {
    const first = c.operand(0);
    const hasResults = first.kind === "list";
    const results = first.kind === "list" ? first.elements : [];
    const target = c.operand(hasResults ? 1 : 0);
    const list = op.operands[hasResults ? 2 : 1];
    const args = list?.kind === "list" ? list.elements : [];
    if (target.kind !== "name") throw new NotModelled("the callee");
    const words = (operand: Operand): readonly number[] => {
      const param = operand.kind === "name" ? scope.param(operand.name) : undefined;
      if (param?.kind !== "rows") throw new NotModelled("arguments that are no .param variables");
      return param.rows;
    };
    const builtin = BUILTINS.get(target.name) ?? libdevice(target.name);
    if (builtin !== undefined) {
      c.emit(builtin(args.map(words), results.map(words), c.site));
      return undefined;
    }
    const formals = this.program.formals(target.name);
    if (formals === undefined) throw new NotModelled(`a call of '${target.name}', whose body is not here`);
    const copies = (from: readonly (readonly number[])[], to: readonly (readonly number[])[]): RowCopy[] =>
      from.flatMap((rows, i) => rows.map((row, k) => ({ from: row, to: to[i]![k]! })));
    return {
      kind: "call",
      predicate,
      callee: () => this.program.function(target.name),
      args: copies(args.map(words), formals.params),
      results: copies(formals.results, results.map(words)),
      site: c.site,
    };
  }

  #barrier(op: Instruction, c: InstructionCompiler, predicate: number): Terminator | undefined {
    if (c.has("warp")) {
      warpBarrier(c);
      return undefined;
    }
    if (c.has("cluster")) throw new NotModelled("barriers of clusters");
    const reduces = c.has("red");
    const base = reduces ? 1 : 0;
    const operands = op.operands.slice(base, reduces ? -1 : undefined);
    const reduce = reduces
      ? (() => {
          const kind = c.oneOf("popc", "and", "or") ?? "popc";
          return {
            op: kind,
            predicate: c.predicateSource(op.operands.at(-1)!),
            into: kind === "popc" ? c.dest(c.operand(0), 32) : c.predicateDest(c.operand(0)),
          };
        })()
      : undefined;
    return {
      kind: "barrier",
      predicate,
      barrier: {
        idRow: operands[0] ? c.source(operands[0], 32) : c.file.constant(0n, false),
        countRow: operands[1] ? c.source(operands[1], 32) : -1,
        arrives: c.has("arrive"),
        reduce,
      },
      site: c.site,
    };
  }
}

const noStep: Step = () => {};

const newBlock = (): Block => ({ steps: [], guards: [], sites: [], terminator: { kind: "next" }, join: -1, executions: 0, lanes: 0 });

function labelOf(operand: Operand, scope: Scope): number {
  const label = operand.kind === "name" ? scope.label(operand.name) : undefined;
  if (label === undefined) throw new NotModelled("a branch to no label");
  return label;
}

function successors(terminator: Terminator, index: number): number[] {
  switch (terminator.kind) {
    case "branch":
      return terminator.predicate < 0 ? [terminator.target] : [terminator.target, index + 1];
    case "indexed":
      return terminator.predicate < 0 ? [...terminator.targets] : [...terminator.targets, index + 1];
    case "return":
    case "exit":
      return terminator.predicate < 0 ? [-1] : [-1, index + 1];
    default:
      return [index + 1];
  }
}

/** The parameters of an entry, with their offsets in parameter space. */
export function parametersOf(entry: PtxFunction): KernelParameter[] {
  let offset = 0;
  return (entry.params ?? []).map(({ name, specifiers, dims }) => {
    const bytes = bytesOfVariable(specifiers, dims);
    const { type } = declaredAs(specifiers);
    const alignment = Math.max(dims.length > 0 ? alignOf(specifiers) : 1, bitsOfType(type) / 8);
    offset = Math.ceil(offset / alignment) * alignment;
    const made = { name, type, bytes, offset, isPointer: specifiers.some((s) => s.name === "ptr") };
    offset += bytes;
    return made;
  });
}

const alignOf = (specifiers: readonly Specifier[]): number => declaredAs(specifiers).align ?? 1;

function threadsOf(entry: PtxFunction): readonly [number, number, number] | undefined {
  const found = entry.directives.find((d) => d.name === "reqntid") ?? entry.directives.find((d) => d.name === "maxntid");
  if (found === undefined) return undefined;
  const [x = 1, y = 1, z = 1] = found.values.map((v) => (v.kind === "integer" ? Number(v.value) : 1));
  return [x, y, z];
}
