/** The body of a PTX function as blocks of steps, with what ends each and where paths meet again. */
import type { Directive, Instruction, Operand, Scope as ScopeStatement, Statement, Variable } from "../../ptx/instruction.js";
import { immediatePostDominators, successors } from "./blocks.js";
import { BUILTINS } from "./builtins.js";
import { type Site, Stop } from "./findings.js";
import { type RegisterUse, watchRegisters } from "./in-flight.js";
import { InstructionCompiler, NoInstruction, NotModelled, type RegisterFile } from "./instruction-compiler.js";
import { noStep, type Step } from "./lanes.js";
import { libdevice } from "./libdevice.js";
import { type Block, CARRY, type CompiledFunction, type Flow, type RowCopy, type Terminator } from "./program.js";
import { RULES } from "./rules/index.js";
import { warpBarrier } from "./rules/warp.js";
import { waveExchange } from "./rules/wave.js";
import { Scope } from "./scope.js";

/** Rows of a function's parameters and results. */
export interface Formals {
  readonly params: readonly (readonly number[])[];
  readonly results: readonly (readonly number[])[];
}

/** The services that a function body needs from its program. */
export interface FunctionContext extends RegisterFile {
  /** Declares a variable in a scope of the body. */
  declareIn(variable: Variable, scope: Scope): void;
  /** The file that `.loc` numbers. */
  fileName(index: string): string | undefined;
  /** The formal parameters of a function with a body. */
  formals(name: string): Formals | undefined;
  /** To be asked when all functions are compiled. */
  function(name: string): CompiledFunction;
  /** Counts an instruction; `location` is its place in the kernel's source. */
  site(op: Instruction, location: string | undefined): Site;
}

/** The body of one function. */
export class BodyCompiler {
  readonly #blocks: Block[] = [];
  /** Blocks' numbers by label number; branches name label numbers until `compile` ends. */
  readonly #labelBlocks: number[] = [];
  readonly #targets = new Map<string, readonly string[]>();
  readonly #scopes = new Map<ScopeStatement, Scope>();
  readonly #uses: RegisterUse[] = [];
  /** Registers that asynchronous instructions write or read. */
  readonly #asynchronous: number[] = [];
  #block: Block = newBlock();
  #location: string | undefined;

  constructor(
    readonly program: FunctionContext,
    readonly scope: Scope,
    readonly isKernel: boolean,
  ) {}

  compile(body: readonly Statement[]): Block[] {
    this.#findLabels(body, this.scope);
    this.#blocks.push(this.#block);
    this.#statements(body, this.scope);
    this.#block.terminator = { kind: "return", predicate: -1 };
    for (const block of this.#blocks) block.terminator = this.#resolved(block.terminator);
    if (this.#asynchronous.length > 0) watchRegisters(this.#uses, this.#asynchronous);
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
        this.#step(before ?? noStep, guard, site, flowOf(c));
        return this.#end(terminator);
      }
      const rule = RULES.get(op.opcode);
      if (rule === undefined) throw new NotModelled("unknown instruction");
      rule(c);
      this.#step(c.finish() ?? noStep, guard, site, flowOf(c));
      this.#noteRegisters(op, c);
    } catch (error) {
      if (!(error instanceof NotModelled || error instanceof NoInstruction)) throw error;
      const [kind, does] =
        error instanceof NotModelled ? (["not-modelled", "is not modelled"] as const) : (["no-instruction", "does not exist"] as const);
      const { message } = error;
      this.#step(
        (warp) => {
          warp.cta.findings.add(kind, site, `${site.mnemonic} ${does}${message === "" ? "" : `: ${message}`}`);
          throw new Stop(does);
        },
        guard,
        site,
        flowOf(c),
      );
    }
  }

  #noteRegisters({ opcode, modifiers }: Instruction, { reads, writes }: InstructionCompiler): void {
    if (opcode === "wgmma" || (opcode === "tcgen05" && modifiers[0] === "ld")) this.#asynchronous.push(...reads, ...writes);
    else {
      this.#uses.push({ block: this.#block, index: this.#block.steps.length - 1, reads, writes, isMove: opcode === "mov" });
    }
  }

  #step(step: Step, guard: number, site: Site, flow: Flow): void {
    this.#block.steps.push(step);
    this.#block.flows.push(flow);
    this.#block.guards.push(guard);
    this.#block.sites.push(site);
  }

  /** The terminator that an instruction makes of the block; undefined for ordinary instructions. */
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
      case "wave":
        return { kind: "wave", predicate, exchange: waveExchange(c), site: c.site };
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
      c.reads.push(...args.flatMap(words));
      c.writes.push(...results.flatMap(words));
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
    if (c.has("cluster")) return { kind: c.has("arrive") ? "cluster-arrive" : "cluster-wait", predicate, site: c.site };
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

function flowOf({ op, reads, writes, predicateReads, predicateWrites, addresses, readsProgram, cost }: InstructionCompiler): Flow {
  const { opcode, modifiers, guard } = op;
  const usesCarry = /^(?:add|sub|mad)c$/.test(opcode) ? [CARRY] : [];
  const setsCarry = modifiers.includes("cc") ? [CARRY] : [];
  const [tested, ...others] = predicateReads.map((n) => ~n);
  return {
    opcode,
    modifiers,
    reads: [...reads, ...(guard === undefined ? predicateReads.map((n) => ~n) : others), ...usesCarry],
    writes: [...writes, ...predicateWrites.map((n) => ~n), ...setsCarry],
    addresses,
    guard: guard === undefined ? undefined : tested,
    readsProgram,
    cost,
  };
}

const newBlock = (): Block => ({
  steps: [],
  flows: [],
  guards: [],
  sites: [],
  terminator: { kind: "next" },
  join: -1,
  executions: 0,
  lanes: 0,
});

function labelOf(operand: Operand, scope: Scope): number {
  const label = operand.kind === "name" ? scope.label(operand.name) : undefined;
  if (label === undefined) throw new NotModelled("a branch to no label");
  return label;
}
