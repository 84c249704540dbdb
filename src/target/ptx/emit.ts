/** A scheduled graph as PTX text: registers by width, instructions in the order in which effects need them. */

import { type Block, type Effect, isPure, type Node, type Width } from "./graph.js";
import { expandAsm } from "./inline-asm.js";
import type { LineTable } from "./lines.js";
import { terminatorInputs } from "./schedule.js";
import { bitWidthOf, floatImmediate, instructionFor } from "./select.js";

export interface EmittedBody {
  readonly text: string;
  /** How many registers of each kind are used. */
  readonly registers: Readonly<Record<Width, number>>;
}

const PREFIX: Readonly<Record<Width, string>> = { 1: "%p", 16: "%rs", 32: "%r", 64: "%rd" };

export interface EmitNames {
  /** The function's name: parameters are `name_param_0`. */
  readonly name: string;
  /** A number that makes labels unique in the module. */
  readonly index: number;
  readonly lines: LineTable;
  /** Locations of ops that have no instruction, because another op's computes the same: that op's node. */
  readonly shared: ReadonlyMap<number, Node>;
}

export function emitBody(order: readonly Block[], names: EmitNames): EmittedBody {
  return new Emitter(order, names).run();
}

class Emitter {
  readonly #registers = new Map<Node, string>();
  readonly #counts: Record<Width, number> = { 1: 0, 16: 0, 32: 0, 64: 0 };
  readonly #emitted = new Set<Node>();
  readonly #out: string[] = [];
  /** Pure nodes of a block that later blocks or phis need. */
  readonly #liveOut = new Map<Block, Node[]>();
  #loc = 0;
  #calls = 0;
  #block!: Block;

  constructor(
    readonly order: readonly Block[],
    readonly names: EmitNames,
  ) {}

  run(): EmittedBody {
    this.findLiveOut();
    for (const nodes of this.#ordered.values()) nodes.sort((a, b) => a.id - b.id);
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
    return { text: this.layout(emitted), registers: this.#counts };
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
      lines.push(...bodies[k]!);
    });
    return lines.join("\n");
  }

  /**
   * Lines of the source that would have no instruction, since what they compute is computed for another line as well: their
   * locations, by the node behind which they are told.
   */
  readonly #extraLocs = new Map<Node, number[]>();
  private findExtraLocs(visited: ReadonlySet<Node>): void {
    const { lines, shared } = this.names;
    const told = new Set<string>();
    for (const node of visited) if (node.op !== "const") told.add(lines.lineOf(node.loc));
    for (const block of this.order) for (const node of block.effects) told.add(lines.lineOf(node.loc));
    for (const [loc, node] of shared) {
      if (told.has(lines.lineOf(loc)) || !visited.has(node)) continue;
      told.add(lines.lineOf(loc));
      const at = node.op === "result" ? node.inputs[0]! : node;
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

  /** The halves that are needed of a register. */
  readonly #halves = new Map<Node, Node[]>();
  /** Nodes that are emitted where the program has them, by block. */
  readonly #ordered = new Map<Block, Node[]>();

  private findLiveOut(): void {
    const seen = new Set<Node>();
    const need = (node: Node, at: Block): void => {
      const { block } = node;
      if (!isPure(node) || !block || block === at || seen.has(node) || node.op === "const") return;
      seen.add(node);
      const known = this.#liveOut.get(block);
      if (known) known.push(node);
      else this.#liveOut.set(block, [node]);
    };
    const visited = new Set<Node>();
    const visit = (node: Node): void => {
      if (visited.has(node)) return;
      visited.add(node);
      if (!isPure(node)) return;
      if (ORDERED(node)) {
        const known = this.#ordered.get(node.block!);
        if (known) known.push(node);
        else this.#ordered.set(node.block!, [node]);
      }
      if (isHalf(node)) {
        const known = this.#halves.get(node.inputs[0]!);
        if (known) known.push(node);
        else this.#halves.set(node.inputs[0]!, [node]);
      }
      // Nodes that are part of another's instruction are none of their own.
      for (const input of node.op === "const"
        ? []
        : node.op === "result"
          ? node.inputs
          : node.op === "asm"
            ? registerInputs(node)
            : instructionFor(node).inputs) {
        need(input, node.block!);
        visit(input);
      }
    };
    for (const block of this.order) {
      for (const phi of block.phis) for (const input of phi.inputs) visit(input);
      for (const effect of block.effects)
        for (const input of registerInputs(effect)) {
          need(input, block);
          visit(input);
        }
      for (const input of terminatorInputs(block.terminator)) {
        need(input, block);
        visit(input);
      }
      block.phis.forEach((phi) => {
        phi.inputs.forEach((input, i) => {
          need(input, block.predecessors[i]!);
        });
      });
    }
    this.findExtraLocs(visited);
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
  /** The register of a node that has been emitted, or of a phi. */
  register(node: Node): string {
    if (node.op === "result") return this.resultRegister(node.inputs[0]!, node.info as number, node.width);
    let name = this.#registers.get(node);
    if (name === undefined) this.#registers.set(node, (name = this.fresh(node.width)));
    return name;
  }

  private block(block: Block, moves: readonly (readonly [Node, Node])[]): void {
    this.#block = block;
    const ordered = this.#ordered.get(block) ?? [];
    let next = 0;
    for (const phi of block.phis) this.extraLocs(phi);
    for (const effect of block.effects) {
      for (; next < ordered.length && ordered[next]!.id < effect.id; next++) this.need(ordered[next]!);
      for (const input of registerInputs(effect)) this.need(input);
      this.effect(effect);
      this.extraLocs(effect);
    }
    for (; next < ordered.length; next++) this.need(ordered[next]!);
    for (const node of this.#liveOut.get(block) ?? []) this.need(node);
    for (const input of terminatorInputs(block.terminator)) this.need(input);
    for (const [, input] of moves) if (input.op !== "const") this.need(input);
    this.parallelMoves(moves, block.loc);
    const t = block.terminator;
    if (t.kind === "return") this.leave(t.values, t.bits, block.loc);
    else if (t.kind === "unreachable") this.line("\ttrap;", block.loc);
  }

  /** Emits a pure node and what it needs, once; constants once a block. */
  need(root: Node): void {
    if (this.done(root)) return;
    const stack: { readonly node: Node; readonly needs: readonly Node[]; next: number }[] = [];
    const enter = (node: Node): void => {
      stack.push({ node, needs: this.inputsOf(node), next: 0 });
    };
    enter(root);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const input = top.needs[top.next++];
      if (input) {
        if (!this.done(input)) enter(input);
        continue;
      }
      stack.pop();
      if (!this.done(top.node)) this.pure(top.node);
    }
  }
  private done(node: Node): boolean {
    if (node.op === "const") return this.#constants.get(node) === this.#block;
    return !isPure(node) || this.#emitted.has(node) || (node.op === "result" && this.#emitted.has(node.inputs[0]!));
  }
  readonly #constants = new Map<Node, Block>();

  /** The inputs that must be in registers before a node's instruction. */
  private inputsOf(node: Node): readonly Node[] {
    if (node.op === "const") return [];
    if (node.op === "result") return node.inputs;
    if (node.op === "asm") return registerInputs(node);
    return instructionFor(node).inputs.filter((i) => i.op !== "const" || instructionFor(node).constants === "register");
  }

  private pure(node: Node): void {
    if (node.op === "const") {
      this.#constants.set(node, this.#block);
      const register = this.fresh(node.width);
      this.#registers.set(node, register);
      this.line(`\tmov.${node.width === 1 ? "pred" : `b${node.width}`} \t${register}, ${constantText(node)};`, 0);
      return;
    }
    this.#emitted.add(node);
    if (node.op === "result") return;
    if (node.op === "asm") {
      this.effect(node);
      this.extraLocs(node);
      return;
    }
    if (this.halves(node)) return;
    const { text, inputs } = instructionFor(node);
    const operands = inputs.map((input) => this.operand(input, instructionFor(node).immediate));
    for (const line of text({ result: this.register(node), inputs: operands, fresh: (w) => this.fresh(w), function: this.names.name }))
      this.line(`\t${line}`, node.loc);
    this.extraLocs(node);
  }
  /** Both halves of a register come by one instruction; whether the node is one of two. */
  private halves(node: Node): boolean {
    if (!isHalf(node)) return false;
    const [source] = node.inputs as [Node];
    const other = this.#halves.get(source)?.find((half) => half !== node && half.op !== node.op && half.block === node.block);
    if (!other) return false;
    this.#emitted.add(other);
    const [low, high] = node.op === "trunc" ? [node, other] : [other, node];
    this.line(`\tmov.b${source.width} \t{${this.register(low)}, ${this.register(high)}}, ${this.register(source)};`, node.loc);
    this.extraLocs(node);
    this.extraLocs(other);
    return true;
  }
  /** A register, or a constant as the instruction wants it spelt. */
  private operand(node: Node, immediate: string): string {
    if (node.op !== "const") return this.register(node);
    if (this.#constants.get(node) === this.#block && immediate === "") return this.register(node);
    return immediate === "" ? this.register(node) : floatImmediate(node, immediate);
  }

  // --- effects ---------------------------------------------------------------------------------

  private effect(node: Node): void {
    this.#emitted.add(node);
    const effect = node.info as Effect;
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
        const space = effect.space ? `.${effect.space}` : "";
        const type = effect.kind === "load" && effect.signedTo ? "s" : "b";
        const name = `${effect.kind === "load" ? "ld" : "st"}${effect.volatile ? ".volatile" : ""}${space}${effect.count > 1 ? `.v${effect.count}` : ""}.${type}${effect.bits}`;
        const place = this.address(address);
        this.line(effect.kind === "load" ? `\t${name} \t${data}, ${place};` : `\t${name} \t${place}, ${data};`, node.loc);
        return;
      }
      case "instruction": {
        const operands = [
          ...results(effect.results),
          ...node.inputs.map((i) => (i.op === "const" && !effect.form.includes("{") ? floatImmediate(i, "int") : this.register(i))),
        ];
        this.line(`\t${expandAsm(effect.form, operands)}`, node.loc);
        return;
      }
      case "asm": {
        const outs = results(effect.results);
        const ins = inputs();
        effect.tied.forEach((result, i) => {
          if (result === undefined) return;
          const width = effect.results[result]!;
          this.line(`\tmov.${width === 1 ? "pred" : `b${width}`} \t${outs[result]}, ${ins[i]};`, node.loc);
          ins[i] = outs[result]!;
        });
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
  private resultRegister(effect: Node, index: number, width: Width): string {
    const key = this.#results.get(effect) ?? new Map<number, string>();
    this.#results.set(effect, key);
    let name = key.get(index);
    if (name === undefined) key.set(index, (name = this.fresh(width)));
    return name;
  }
  readonly #results = new Map<Node, Map<number, string>>();

  /** `[%r1+16]`, `[global_smem+16]` */
  private address(node: Node): string {
    const [base, offset] = addressParts(node);
    const name = isSymbol(base) ? (base.info as string) : this.register(base);
    return `[${name}${offset === 0n ? "" : offset < 0n ? offset : `+${offset}`}]`;
  }

  private call(node: Node, effect: Extract<Effect, { readonly kind: "call" }>, inputs: readonly string[]): void {
    const id = this.#calls++;
    const put = (text: string) => this.line(text, node.loc);
    put(`\t{ // callseq ${id}, 0`);
    const type = (bits: number) => `b${Math.max(32, bits)}`;
    const store = (bits: number) => `b${bits === 1 ? 8 : Math.max(bits, bits === 8 ? 32 : bits)}`;
    effect.paramBits.forEach((bits, i) => {
      put(`\t.param .${type(bits)} \tparam${i};`);
      put(`\tst.param.${bits < 32 ? type(bits) : store(bits)} \t[param${i}], ${bits === 16 ? this.widened(inputs[i]!) : inputs[i]};`);
    });
    effect.resultBits.forEach((bits, i) => {
      put(`\t.param .${type(bits)} \tretval${i};`);
    });
    const returns = effect.resultBits.length === 0 ? "" : `(${effect.resultBits.map((_, i) => `retval${i}`).join(", ")}), `;
    put(`\tcall.uni ${returns}${effect.callee}, (${effect.paramBits.map((_, i) => `param${i}`).join(", ")});`);
    effect.resultBits.forEach((bits, i) => {
      const register = this.resultRegister(node, i, effect.results[i]!);
      put(`\tld.param.${bits < 32 ? (bits === 16 ? "b16" : "b32") : type(bits)} \t${register}, [retval${i}];`);
    });
    put(`\t} // callseq ${id}`);
  }
  private widened(register: string): string {
    const word = this.fresh(32);
    this.line(`\tcvt.u32.u16 \t${word}, ${register};`, 0);
    return word;
  }
  private leave(values: readonly Node[], bits: readonly number[], loc: number): void {
    values.forEach((value, i) => {
      this.line(`\tst.param.b${Math.max(bits[i]!, bits[i] === 8 ? 32 : 16)} \t[func_retval${i}], ${this.register(value)};`, loc);
    });
    this.line("\tret;", loc);
  }

  // --- phis ------------------------------------------------------------------------------------

  /** All moves happen at once: a register is read before it is written, cycles go through one more. */
  private parallelMoves(moves: readonly (readonly [Node, Node])[], loc: number): void {
    const pending = new Map<string, { readonly source: string; readonly width: Width }>();
    for (const [phi, input] of moves) {
      const target = this.register(phi);
      const source = input.op === "const" ? constantText(input) : this.register(input);
      if (target !== source) pending.set(target, { source, width: phi.width });
    }
    const readers = new Map<string, number>();
    for (const { source } of pending.values()) readers.set(source, (readers.get(source) ?? 0) + 1);
    const move = (target: string, source: string, width: Width) =>
      this.line(`\tmov.${width === 1 ? "pred" : `b${width}`} \t${target}, ${source};`, loc);
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

/** Nodes are emitted in the order of the program: constants and symbols where they are used. */
const ORDERED = (node: Node): boolean => node.op !== "const" && node.op !== "result" && node.op !== "address" && node.op !== "param";

/** What an effect needs in registers: addresses without their offsets; instructions take constants as they are. */
function registerInputs(node: Node): readonly Node[] {
  const effect = node.info as Effect;
  if (effect.kind === "instruction" && !effect.form.includes("{")) return node.inputs.filter((i) => i.op !== "const");
  if (effect.kind !== "load" && effect.kind !== "store") return node.inputs;
  const [base] = addressParts(node.inputs[0]!);
  const rest = node.inputs.slice(1);
  return isSymbol(base) ? rest : [base, ...rest];
}
const isHalf = (node: Node): boolean =>
  (node.op === "trunc" || node.op === "high") && node.width > 1 && node.inputs[0]!.width === 2 * node.width;
const isSymbol = (node: Node): boolean => node.op === "address" && !(node.info as string).startsWith("global:");

/** The node and the offset that an access's address is made of. */
export function addressParts(node: Node): readonly [Node, bigint] {
  if ((node.op === "add" || node.op === "or") && node.inputs[1]!.op === "const" && addsUp(node))
    return [node.inputs[0]!, node.inputs[1]!.info as bigint];
  return [node, 0n];
}
const addsUp = (node: Node): boolean => {
  const offset = node.inputs[1]!.info as bigint;
  return node.op === "add" && offset >= -0x80000000n && offset <= 0x7fffffffn;
};
export function constantText(node: Node): string {
  const value = node.info as bigint;
  return node.width === 1 ? (value === 0n ? "0" : "1") : String(value);
}
