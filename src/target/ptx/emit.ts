/** A scheduled graph as PTX text: registers by width, instructions in the order in which effects need them. */

import type { Block, Effect, Graph, Node, Width } from "./graph.js";
import { expandAsm } from "./inline-asm.js";
import { addressInput, addressParts, isSymbol } from "./instruction-order.js";
import type { LocTable } from "./lines.js";
import { type Relieved, relievePressure } from "./pressure.js";
import { type Results, resultNodes, shareRegisters } from "./registers.js";
import { bitWidthOf, floatImmediate, instructionFor } from "./select.js";

export interface EmittedBody {
  readonly text: string;
  /** How many registers of each kind are used. */
  readonly registers: Readonly<Record<Width, number>>;
  /** The nodes that have an instruction. */
  readonly nodes: ReadonlySet<Node>;
  /** The most words that a thread needs at once. */
  readonly words: number;
}

const PREFIX: Readonly<Record<Width, string>> = { 1: "%p", 16: "%rs", 32: "%r", 64: "%rd" };

export interface EmitNames {
  /** The function's name: parameters are `name_param_0`. */
  readonly name: string;
  /** A number that makes labels unique in the module. */
  readonly index: number;
  readonly lines: LocTable;
  /** Locations of ops that have no instruction, because another op's computes the same: that op's node. */
  readonly shared: ReadonlyMap<number, Node>;
}

/** The declaration of a function's result as one parameter: several values have eight bytes each. */
export function resultParam(bits: readonly number[], name: string): string {
  return bits.length === 1 ? `.param .b${Math.max(32, bits[0]!)} \t${name}` : `.param .align 8 .b8 \t${name}[${8 * bits.length}]`;
}
const offsetOfResult = (index: number): string => (index === 0 ? "" : `+${8 * index}`);

export function emitBody(graph: Graph, order: readonly Block[], names: EmitNames): EmittedBody {
  return new Emitter(graph, order, names).run();
}

class Emitter {
  readonly #code: Relieved;
  readonly #shared: (node: Node) => Node;
  readonly #results: Results;
  readonly #registers = new Map<Node, string>();
  readonly #counts: Record<Width, number> = { 1: 0, 16: 0, 32: 0, 64: 0 };
  readonly #out: string[] = [];
  #loc = 0;
  #calls = 0;

  constructor(
    graph: Graph,
    readonly order: readonly Block[],
    readonly names: EmitNames,
  ) {
    this.#code = relievePressure(graph, order);
    this.#results = resultNodes(graph, this.#code.instructions);
    this.#shared = shareRegisters(order, this.#code, this.#results);
  }

  run(): EmittedBody {
    this.findExtraLocs();
    const moves = new Map<Block, readonly (readonly [Node, Node])[]>();
    for (const block of this.order) {
      block.predecessors.forEach((pred, i) => {
        if (block.phis.length > 0)
          moves.set(
            pred,
            block.phis.map((phi) => [phi, phi.inputs[i]!] as const),
          );
      });
    }
    const emitted = this.order.map((block) => {
      this.#out.length = 0;
      this.#loc = 0;
      this.block(block, moves.get(block) ?? []);
      return this.#out.slice();
    });
    const nodes = new Set([...this.#code.instructions.values()].flat());
    return { text: this.layout(emitted), registers: this.#counts, nodes, words: this.#code.words };
  }

  /** Puts blocks together; those that hold nothing but a jump are gone around. */
  private layout(emitted: readonly (readonly string[])[]): string {
    const { order } = this;
    const at = new Map(order.map((block, i) => [block, i]));
    const isEmpty = (i: number) => emitted[i]!.every((line) => line.startsWith("\t.loc"));
    const resolve = (block: Block): Block => {
      let target = block;
      for (let hops = 0; hops < order.length; hops++) {
        const i = at.get(target)!;
        if (i === 0 || !isEmpty(i) || target.terminator.kind !== "jump") break;
        target = target.terminator.target;
      }
      return target;
    };
    const kept = order.filter((block, i) => i === 0 || resolve(block) === block);
    const used = new Set<Block>();
    const lines: string[] = [];
    const label = (block: Block): string => {
      used.add(block);
      return `$L__BB${this.names.index}_${at.get(block)}`;
    };
    const bodies = kept.map((block, k) => {
      const body = emitted[at.get(block)!]!.slice();
      const next = kept[k + 1];
      const t = block.terminator;
      if (t.kind === "jump") {
        const target = resolve(t.target);
        if (target !== next) body.push(`\tbra.uni \t${label(target)};`);
      } else if (t.kind === "branch") {
        const [then, other] = [resolve(t.ifTrue), resolve(t.ifFalse)];
        const condition = this.register(t.condition);
        if (then === other) {
          if (then !== next) body.push(`\tbra.uni \t${label(then)};`);
        } else if (then === next) body.push(`\t@!${condition} bra \t${label(other)};`);
        else {
          body.push(`\t@${condition} bra \t${label(then)};`);
          if (other !== next) body.push(`\tbra.uni \t${label(other)};`);
        }
      }
      return body;
    });
    kept.forEach((block, k) => {
      if (used.has(block)) lines.push(`$L__BB${this.names.index}_${at.get(block)}:`);
      for (const line of bodies[k]!) lines.push(line);
    });
    return lines.join("\n");
  }

  /**
   * Lines of the source that would have no instruction, since what they compute is computed for another line as well: their
   * locations, by the node after which they are printed.
   */
  readonly #extraLocs = new Map<Node, number[]>();
  private findExtraLocs(): void {
    const { lines, shared } = this.names;
    const told = new Set<string>();
    const there = new Set<Node>(this.order.flatMap((block) => block.phis));
    for (const nodes of this.#code.instructions.values())
      for (const node of nodes) {
        there.add(node);
        if (node.kind !== "const") told.add(lines.lineOf(node.loc));
      }
    for (const [loc, node] of shared) {
      const at = node.kind === "result" ? node.inputs[0]! : node;
      if (told.has(lines.lineOf(loc)) || !there.has(at)) continue;
      told.add(lines.lineOf(loc));
      const known = this.#extraLocs.get(at);
      if (known) known.push(loc);
      else this.#extraLocs.set(at, [loc]);
    }
  }
  private extraLocs(node: Node): void {
    for (const loc of this.#extraLocs.get(node) ?? []) {
      this.#loc = loc;
      this.#out.push(this.names.lines.loc(loc));
    }
  }

  private line(text: string, loc: number): void {
    if (loc !== 0 && loc !== this.#loc) {
      this.#loc = loc;
      this.#out.push(this.names.lines.loc(loc));
    }
    this.#out.push(text);
  }
  fresh(width: Width): string {
    return `${PREFIX[width]}${++this.#counts[width]}`;
  }
  /** The register of a value, which others may share. */
  register(node: Node): string {
    const owner = this.#shared(node);
    let name = this.#registers.get(owner);
    if (name === undefined) this.#registers.set(owner, (name = this.fresh(node.width)));
    return name;
  }

  private block(block: Block, moves: readonly (readonly [Node, Node])[]): void {
    for (const phi of block.phis) this.extraLocs(phi);
    for (const node of this.#code.instructions.get(block)!) {
      if (node.kind === "effect" || node.kind === "asm") this.effect(node, node.data);
      else this.pure(node);
      this.extraLocs(node);
    }
    this.parallelMoves(moves, block.loc);
    const t = block.terminator;
    if (t.kind === "return") this.leave(t.values, t.bits, block.loc);
    else if (t.kind === "unreachable") this.line("\ttrap;", block.loc);
  }

  private pure(node: Node): void {
    if (node.kind === "const") {
      // In every block anew.
      const register = this.fresh(node.width);
      this.#registers.set(node, register);
      this.line(`\tmov.${typeOf(node.width)} \t${register}, ${constantText(node)};`, 0);
      return;
    }
    const other = this.#code.halves.get(node);
    if (other) {
      const [low, high] = node.kind === "trunc" ? [node, other] : [other, node];
      const [source] = node.inputs as [Node];
      this.line(`\tmov.b${source.width} \t{${this.register(low)}, ${this.register(high)}}, ${this.register(source)};`, node.loc);
      this.extraLocs(other);
      return;
    }
    const { text, inputs, immediate } = instructionFor(node);
    const operands = inputs.map((input) =>
      input.kind === "const" && immediate !== "" ? floatImmediate(input, immediate) : this.register(input),
    );
    for (const line of text({ result: this.register(node), inputs: operands, fresh: (w) => this.fresh(w), function: this.names.name }))
      this.line(`\t${line}`, node.loc);
  }

  // --- effects ---------------------------------------------------------------------------------

  private effect(node: Node, effect: Effect): void {
    const results = (widths: readonly Width[]): string[] => widths.map((width, i) => this.resultRegister(node, i, width));
    const inputs = () => node.inputs.map((i) => this.register(i));
    switch (effect.kind) {
      case "load":
      case "store": {
        const [address, ...values] = node.inputs as [Node, ...Node[]];
        const registers =
          effect.kind === "load"
            ? results(Array.from({ length: effect.count }, () => effect.signedTo ?? bitWidthOf(effect.bits)))
            : values.map((v) => this.register(v));
        const data = registers.length === 1 ? registers[0]! : `{${registers.join(", ")}}`;
        const name = accessName(effect);
        const place = `[${this.address(address)}]`;
        this.line(effect.kind === "load" ? `\t${name} \t${data}, ${place};` : `\t${name} \t${place}, ${data};`, node.loc);
        return;
      }
      case "instruction": {
        const address = addressInput(effect);
        const operand = (input: Node, i: number): string => {
          if (i === address) return this.address(input);
          return input.kind === "const" && !effect.form.includes("{") ? floatImmediate(input, "int") : this.register(input);
        };
        const operands = [...results(effect.results), ...node.inputs.map(operand)];
        this.line(`\t${expandAsm(effect.form, operands)}`, node.loc);
        return;
      }
      case "asm": {
        const outs = results(effect.results);
        const ins = inputs();
        this.tie(effect, outs, ins, node.loc);
        this.line("\t// begin inline asm", node.loc);
        for (const line of expandAsm(effect.text, [...outs, ...ins]).split("\n")) this.line(`\t${line.trim()}`, node.loc);
        this.line("\t// end inline asm", node.loc);
        return;
      }
      case "call":
        this.call(node, effect, inputs());
        return;
    }
  }
  /** Inputs that have to be in a result's register are put there. */
  private tie(effect: Extract<Effect, { readonly kind: "asm" }>, outs: readonly string[], ins: string[], loc: number): void {
    effect.ties.forEach((result, i) => {
      if (result === undefined || !effect.copied[i] || outs[result] === ins[i]) return;
      const type = typeOf(effect.results[result]!);
      // Another input in that register is first copied to a fresh one.
      ins.forEach((other, k) => {
        if (k === i || other !== outs[result]) return;
        ins[k] = this.fresh(effect.results[result]!);
        this.line(`\tmov.${type} \t${ins[k]}, ${other};`, loc);
      });
      this.line(`\tmov.${type} \t${outs[result]}, ${ins[i]};`, loc);
      ins[i] = outs[result]!;
    });
  }
  private resultRegister(effect: Node, index: number, width: Width): string {
    const node = this.#results.get(effect)?.get(index);
    return node ? this.register(node) : this.fresh(width);
  }

  /** `%r1+16`, `global_smem+16` */
  private address(node: Node): string {
    const [base, offset] = addressParts(node);
    const name = isSymbol(base) ? base.data.symbol : this.register(base);
    return `${name}${offset === 0n ? "" : offset < 0n ? offset : `+${offset}`}`;
  }

  private call(node: Node, effect: Extract<Effect, { readonly kind: "call" }>, inputs: readonly string[]): void {
    const id = this.#calls++;
    const put = (text: string) => this.line(text, node.loc);
    put(`\t{ // callseq ${id}, 0`);
    const type = (bits: number) => `b${Math.max(32, bits)}`;
    const store = (bits: number) => `b${bits === 1 ? 8 : Math.max(bits, bits === 8 ? 32 : bits)}`;
    effect.paramBits.forEach((bits, i) => {
      put(`\t.param .${type(bits)} \tparam${i};`);
      const word = bits === 16 || bits === 1 ? this.widened(inputs[i]!, bits) : inputs[i];
      put(`\tst.param.${bits < 32 ? type(bits) : store(bits)} \t[param${i}], ${word};`);
    });
    const { resultBits } = effect;
    if (resultBits.length > 0) put(`\t${resultParam(resultBits, "retval0")};`);
    const returns = resultBits.length === 0 ? "" : "(retval0), ";
    put(`\tcall.uni ${returns}${effect.callee}, (${effect.paramBits.map((_, i) => `param${i}`).join(", ")});`);
    resultBits.forEach((bits, i) => {
      const register = this.resultRegister(node, i, effect.results[i]!);
      const place = `[retval0${offsetOfResult(i)}]`;
      if (bits === 1) {
        const word = this.fresh(32);
        put(`\tld.param.b32 \t${word}, ${place};`);
        put(`\tsetp.ne.b32 \t${register}, ${word}, 0;`);
      } else put(`\tld.param.${bits < 32 ? (bits === 16 ? "b16" : "b32") : type(bits)} \t${register}, ${place};`);
    });
    put(`\t} // callseq ${id}`);
  }
  private widened(register: string, bits: number): string {
    const word = this.fresh(32);
    this.line(bits === 1 ? `\tselp.b32 \t${word}, 1, 0, ${register};` : `\tcvt.u32.u16 \t${word}, ${register};`, 0);
    return word;
  }
  private leave(values: readonly Node[], bits: readonly number[], loc: number): void {
    values.forEach((value, i) => {
      const size = bits[i]!;
      const register = size === 1 ? this.widened(this.register(value), 1) : this.register(value);
      this.line(`\tst.param.b${size === 1 || size === 8 ? 32 : size} \t[func_retval0${offsetOfResult(i)}], ${register};`, loc);
    });
    this.line("\tret;", loc);
  }

  // --- phis ------------------------------------------------------------------------------------

  /** All moves happen at once: a register is read before it is written, cycles go through one more. */
  private parallelMoves(moves: readonly (readonly [Node, Node])[], loc: number): void {
    const pending = new Map<string, { readonly source: string; readonly width: Width }>();
    for (const [phi, input] of moves) {
      const target = this.register(phi);
      const source = input.kind === "const" ? constantText(input) : this.register(input);
      if (target !== source) pending.set(target, { source, width: phi.width });
    }
    const readers = new Map<string, number>();
    for (const { source } of pending.values()) readers.set(source, (readers.get(source) ?? 0) + 1);
    const move = (target: string, source: string, width: Width) => this.line(`\tmov.${typeOf(width)} \t${target}, ${source};`, loc);
    const ready = [...pending.keys()].filter((target) => !readers.get(target));
    while (pending.size > 0) {
      const target = ready.pop();
      if (target === undefined) {
        // Only cycles are left: one register is saved.
        const [first, { width }] = pending.entries().next().value!;
        const saved = this.fresh(width);
        move(saved, first, width);
        for (const [t, m] of pending) if (m.source === first) pending.set(t, { ...m, source: saved });
        readers.set(first, 0);
        ready.push(first);
        continue;
      }
      const found = pending.get(target);
      if (!found) continue;
      pending.delete(target);
      move(target, found.source, found.width);
      const left = (readers.get(found.source) ?? 1) - 1;
      readers.set(found.source, left);
      if (left === 0 && pending.has(found.source)) ready.push(found.source);
    }
  }
}

/** `ld.shared.v4.b32` */
export function accessName(effect: Extract<Effect, { readonly kind: "load" | "store" }>): string {
  const { kind, space, count, bits } = effect;
  const type = kind === "load" && effect.signedTo ? "s" : "b";
  return `${kind === "load" ? "ld" : "st"}${effect.volatile ? ".volatile" : ""}${space ? `.${space}` : ""}${count > 1 ? `.v${count}` : ""}.${type}${bits}`;
}
const typeOf = (width: Width): string => (width === 1 ? "pred" : `b${width}`);
export function constantText(node: Node<"const">): string {
  const value = node.data;
  return node.width === 1 ? (value === 0n ? "0" : "1") : String(value);
}
