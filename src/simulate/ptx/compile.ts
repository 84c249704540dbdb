/**
 * Compiles a PTX module for the machine: each function once, into blocks of steps. An instruction that is not modelled
 * becomes a step that says so when it is executed; so code that is never reached does no harm.
 */
import type { SourceBuffer } from "../../diagnostics/source.js";
import {
  declaredAs,
  type Instruction,
  isEntry,
  type ModuleItem,
  mnemonicOf,
  type Operand,
  type PtxFunction,
  type PtxModule,
  type Parameter as PtxParameter,
  type Variable,
} from "../../ptx/instruction.js";
import { printStatement } from "../../ptx/print.js";
import { Bug } from "../../support/assert.js";
import { BodyCompiler, type Formals, type FunctionContext } from "./compile-body.js";
import type { Site } from "./findings.js";
import type { CompiledFunction, KernelParameter, PtxProgram } from "./program.js";
import { bitsOfType, bytesOfVariable, Scope } from "./scope.js";
import { numCtasOf, parametersOf, threadsOf } from "./signature.js";

/** The IDs of global variables come after those of all arguments. */
export const FIRST_GLOBAL_ID = 130_000;
/** The size limit of one variable, in bytes. */
const MOST_BYTES = 2 ** 26;
const GLOBAL_RANGE = 2 ** 36;
const GLOBAL_ORIGIN = 2 ** 35;

/** `kernel` names the entry, by default the only one (or the first). The error is one line. */
export function compileProgram(module: PtxModule, source: SourceBuffer, kernel?: string): PtxProgram | { readonly error: string } {
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

class ProgramCompiler implements FunctionContext {
  readonly sites: Site[] = [];
  readonly #module: Scope;
  #rows = 0;
  #predicates = 0;
  readonly #constants = new Map<string, { readonly row: number; readonly bits: bigint; readonly wide: boolean }>();
  readonly #special = new Map<string, { readonly row: number; readonly name: string }>();
  readonly #constantPredicates = new Map<number, number>();
  readonly #globals: { name: string; address: number; bytes: Uint8Array }[] = [];
  readonly #files = new Map<string, string>();
  readonly #formals = new Map<string, Formals>();
  readonly #compiled = new Map<string, CompiledFunction>();
  #shared = 0;
  #dynamic: string[] = [];
  #local = 0;
  #granule = 16;
  #tooLarge: string | undefined;
  #lanesInStep = false;

  constructor(
    readonly module: PtxModule,
    readonly source: SourceBuffer,
  ) {
    this.#module = new Scope(undefined, { row: (bits) => this.row(bits), predicate: () => this.predicate() });
  }

  compile(entry: PtxFunction, functions: readonly PtxFunction[]): PtxProgram {
    for (const item of this.module.items) this.#declare(item);
    // Arrays of unknown extent begin after the others.
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
      numCtas: numCtasOf(entry),
      constants: [...this.#constants.values()],
      special: [...this.#special.values()],
      constantPredicates: [...this.#constantPredicates].map(([mask, predicate]) => ({ mask, predicate })),
      staticShared: this.#dynamic.length > 0 ? dynamicAt : this.#shared,
      usesDynamicShared: this.#dynamic.length > 0,
      sharedGranule: this.#granule,
      lanesInStep: this.#lanesInStep,
      globals: this.#globals,
      tooLarge: this.#tooLarge,
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
    if (item.kind === "directive" && item.name === ".target") this.#lanesInStep = /^gfx/.test(item.words[0] ?? "");
    if (item.kind === "variable") this.#variable(item, this.#module);
  }

  #variable(variable: Variable, scope: Scope): void {
    const { space, align, type } = declaredAs(variable.specifiers);
    if (space === "reg") return scope.declareRegisters(variable.specifiers, variable.declarators);
    for (const { name, dims, init } of variable.declarators) {
      let bytes = bytesOfVariable(variable.specifiers, dims);
      if (!(bytes <= MOST_BYTES)) {
        this.#tooLarge ??= `'${name}' has ${bytes} bytes: more than the simulator allocates`;
        bytes = 0;
      }
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

  formals(name: string): Formals | undefined {
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
  if (opcode === "tensormap") return 4;
  if (!["ld", "st", "atom", "red", "ldu"].includes(opcode)) return undefined;
  const space = modifiers.find((m) => /^(?:global|shared|local|param|const)\b/.test(m));
  if (space !== undefined && !space.startsWith("shared")) return undefined;
  const type = modifiers.at(-1) ?? "b32";
  const vector = Number(modifiers.map((m) => /^v(\d)$/.exec(m)?.[1]).find((v) => v !== undefined) ?? 1);
  return (bitsOfType(type) / 8) * (opcode === "ld" || opcode === "st" ? vector : 1);
}
