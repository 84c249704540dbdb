/** Which instruction computes a pure node. Source: llvm/lib/Target/NVPTX/NVPTXInstrInfo.td. */
import { INTEGER_COMPARISONS } from "../../ptx/llvm-names.js";
import { Bug } from "../../support/assert.js";
import { type Node, valueOf, type Width } from "./graph.js";
import { powerOfTwo } from "./known-bits.js";

export interface Selected {
  /** The inputs that must be in registers (or be constants) beforehand, in the order of the text's operands. */
  readonly inputs: readonly Node[];
  /** How constants are spelt: `int`, `f32`, `f64`; empty where only registers are allowed. */
  readonly immediate: string;
  readonly constants: "register" | "immediate";
  readonly text: (operands: Operands) => readonly string[];
}
export interface Operands {
  readonly result: string;
  readonly inputs: readonly string[];
  readonly fresh: (width: Width) => string;
  /** The function's name. */
  readonly function: string;
}

const cache = new WeakMap<Node, Selected>();
export function instructionFor(node: Node): Selected {
  let selected = cache.get(node);
  if (!selected) cache.set(node, (selected = select(node)));
  return selected;
}

const fused = new WeakSet<Node>();
/** A product that all of its sums compute. */
export function fuseAlways(product: Node, sums: readonly Node[]): void {
  fused.add(product);
  for (const sum of sums) cache.delete(sum);
}

const one = (mnemonic: string, inputs: readonly Node[], immediate = "int"): Selected => ({
  inputs,
  immediate,
  constants: immediate === "" ? "register" : "immediate",
  text: ({ result, inputs: operands }) => [`${mnemonic} \t${[result, ...operands].join(", ")};`],
});
const lines = (inputs: readonly Node[], text: (operands: Operands) => readonly string[], immediate = ""): Selected => ({
  inputs,
  immediate,
  constants: immediate === "" ? "register" : "immediate",
  text,
});

/** Bits of memory as the register that holds them. */
export const bitWidthOf = (bits: number): Width => (bits === 8 ? 32 : (bits as Width));

/** A constant as an operand. */
export function floatImmediate(node: Node<"const">, kind: string): string {
  const value = node.data;
  if (kind === "f32") return `0f${BigInt.asUintN(32, value).toString(16).toUpperCase().padStart(8, "0")}`;
  if (kind === "f64") return `0d${BigInt.asUintN(64, value).toString(16).toUpperCase().padStart(16, "0")}`;
  return node.width === 1 ? (value === 0n ? "0" : "1") : String(value);
}

const SIGNED: Readonly<Record<string, string>> = {
  add: "add.s",
  sub: "sub.s",
  mul: "mul.lo.s",
  sdiv: "div.s",
  srem: "rem.s",
  udiv: "div.u",
  urem: "rem.u",
  smin: "min.s",
  smax: "max.s",
  umin: "min.u",
  umax: "max.u",
  shr: "shr.u",
  sar: "shr.s",
};

function select(node: Node): Selected {
  const { kind, width, inputs } = node;
  const [a, b] = inputs as [Node, Node];
  const bits = width === 1 ? "pred" : `b${width}`;
  switch (node.kind) {
    case "add":
      return multiplyAdd(node) ?? one(`add.s${width}`, inputs);
    case "shl":
      return wideMultiply(node) ?? one(`shl.${bits}`, inputs);
    case "sar":
      return bitField(node) ?? one(`shr.s${width}`, inputs);
    case "sub":
      return valueOf(a) === 0n ? one(`neg.s${width}`, [b]) : one(`sub.s${width}`, inputs);
    case "mul":
      return extendedProduct(node) ?? one(`mul.lo.s${width}`, inputs);
    case "sdiv":
    case "srem":
    case "udiv":
    case "urem":
    case "smin":
    case "smax":
    case "umin":
    case "umax":
    case "shr":
      return one(`${SIGNED[kind]}${width}`, inputs);
    case "and":
    case "or":
    case "xor":
      return (kind === "and" ? someBits(node) : undefined) ?? one(`${kind}.${bits}`, inputs, width === 1 ? "" : "int");
    case "not":
      return one(`not.${bits}`, inputs);
    case "icmp": {
      const [name, sign] = INTEGER_COMPARISONS[node.data]!;
      return one(`setp.${name}.${sign}${a.width}`, inputs);
    }
    case "select": {
      const [condition, then, other] = inputs as [Node, Node, Node];
      if (width === 1)
        return lines([condition, then, other], ({ result, inputs: [p, x, y], fresh }) => {
          const [yes, no, not] = [fresh(1), fresh(1), fresh(1)];
          return [
            `and.pred \t${yes}, ${p}, ${x};`,
            `not.pred \t${not}, ${p};`,
            `and.pred \t${no}, ${not}, ${y};`,
            `or.pred \t${result}, ${yes}, ${no};`,
          ];
        });
      return lines([then, other, condition], ({ result, inputs: [x, y, p] }) => [`selp.${bits} \t${result}, ${x}, ${y}, ${p};`], "int");
    }
    case "copy":
      return lines(inputs, ({ result, inputs: [x] }) => (result === x ? [] : [`mov.${bits} \t${result}, ${x};`]), "int");
    case "zext":
      return one(`cvt.u${width}.u${a.width}`, inputs, "");
    case "sext":
      return one(`cvt.s${width}.s${a.width}`, inputs, "");
    case "trunc":
      return one(`cvt.u${width}.u${a.width}`, inputs, "");
    case "high":
      return lines(inputs, ({ result, inputs: [x], fresh }) => [`mov.b${a.width} \t{${fresh(width)}, ${result}}, ${x};`]);
    case "pack":
      if (inputs.every((half) => half.kind === "trunc" && half.inputs[0]!.width === 32 && half.uses === 1))
        return lines(
          inputs.map((half) => half.inputs[0]!),
          ({ result, inputs: [x, y] }) => [`prmt.b32 \t${result}, ${x}, ${y}, 0x5410;`],
        );
      return lines(inputs, ({ result, inputs: [x, y] }) => [`mov.b${width} \t${result}, {${x}, ${y}};`]);
    case "param": {
      const { index, bits: size } = node.data;
      if (size === "by value")
        return lines([], ({ result, function: name, fresh }) => {
          const place = fresh(64);
          return [`mov.b64 \t${place}, ${name}_param_${index};`, `cvta.param.u64 \t${result}, ${place};`];
        });
      const type = size === 1 ? "b8" : `b${size}`;
      if (size === 1)
        return lines([], ({ result, function: name, fresh }) => {
          const byte = fresh(16);
          return [`ld.param.b8 \t${byte}, [${name}_param_${index}];`, `setp.ne.b16 \t${result}, ${byte}, 0;`];
        });
      return lines([], ({ result, function: name }) => [`ld.param.${type} \t${result}, [${name}_param_${index}];`]);
    }
    case "special":
      return lines([], ({ result }) => [`mov.u${width} \t${result}, ${node.data.register};`]);
    case "address": {
      const { symbol, isGeneric } = node.data;
      if (!isGeneric) return lines([], ({ result }) => [`mov.b${width} \t${result}, ${symbol};`]);
      return lines([], ({ result, fresh }) => {
        const address = fresh(64);
        return [`mov.b64 \t${address}, ${symbol};`, `cvta.global.u64 \t${result}, ${address};`];
      });
    }
    case "stack":
      return lines([], ({ result, fresh }) => {
        const address = fresh(64);
        return [`mov.b64 \t${address}, ${node.data};`, `cvta.local.u64 \t${result}, ${address};`];
      });
    case "ptx":
      return one(node.data, inputs, immediateOf(node.data));
    default:
      throw new Bug(`no PTX for node '${kind}'`);
  }
}

/** How an instruction's constants are spelt, by its type. */
function immediateOf(mnemonic: string): string {
  if (mnemonic.startsWith("cvt") || mnemonic.startsWith("cvta")) return "";
  const type = mnemonic.slice(mnemonic.lastIndexOf(".") + 1);
  if (type === "f32" || type === "f64") return type;
  return /^(?:[bsu](?:32|64))$/.test(type) ? "int" : "";
}

/** x * 2^count of a word as a double word: mul.wide. */
function wideMultiply(node: Node): Selected | undefined {
  const factor = wideFactor(node);
  return factor && lines([factor.word], ({ result, inputs: [x] }) => [`mul.wide.${factor.sign}32 \t${result}, ${x}, ${factor.value};`]);
}
export function wideFactor(node: Node): { readonly word: Node; readonly sign: string; readonly value: bigint } | undefined {
  if (node.width !== 64 || (node.kind !== "shl" && node.kind !== "mul")) return undefined;
  const [a, b] = node.inputs as [Node, Node];
  const count = valueOf(b);
  if (count === undefined || (a.kind !== "sext" && a.kind !== "zext") || a.inputs[0]!.width !== 32) return undefined;
  const value = node.kind === "shl" ? 1n << count : count;
  if (value <= 0n || value > 0x7fffffffn) return undefined;
  return { word: a.inputs[0]!, sign: a.kind === "sext" ? "s" : "u", value };
}
/** The product of two words that were extended alike. */
function extendedProduct(node: Node): Selected | undefined {
  const wide = wideMultiply(node);
  const [a, b] = node.inputs as [Node, Node];
  if (wide || node.width !== 64 || a.kind !== b.kind || (a.kind !== "sext" && a.kind !== "zext")) return wide;
  const words = [a.inputs[0]!, b.inputs[0]!];
  if (words.some((w) => w.width !== 32)) return undefined;
  return lines(words, ({ result, inputs: [x, y] }) => [`mul.wide.${a.kind === "sext" ? "s" : "u"}32 \t${result}, ${x}, ${y};`], "int");
}
/** How many addresses of one base are computed by a pair of instructions each. */
const MOST_PAIRS = 2;
/** x + y * z, where the product is used here only. */
function multiplyAdd(node: Node): Selected | undefined {
  const [a, b] = node.inputs as [Node, Node];
  for (const [product, addend] of [
    [a, b],
    [b, a],
  ] as const) {
    const isFused = fused.has(product);
    if (product.uses > 1 && !isFused) continue;
    const wide = wideFactor(product);
    // ptxas makes one instruction of a product and a sum, and a pair of mad.wide by a power of two. For one or two addresses the pair needs fewer registers.
    // A product that is computed outside of a loop stays there.
    if (wide && !isFused && (addend.uses > MOST_PAIRS || product.block !== node.block)) continue;
    if (wide)
      return lines(
        [wide.word, addend],
        ({ result, inputs: [x, y] }) => [`mad.wide.${wide.sign}32 \t${result}, ${x}, ${wide.value}, ${y};`],
        "int",
      );
    if (product.kind === "mul" && node.width === 32)
      return lines([...product.inputs, addend], ({ result, inputs: [x, y, z] }) => [`mad.lo.s32 \t${result}, ${x}, ${y}, ${z};`], "int");
  }
  return undefined;
}
/** (x >> n) & 0..01..1 */
function someBits(node: Node): Selected | undefined {
  const [shifted, mask] = node.inputs as [Node, Node];
  const [start, bits] = [valueOf(shifted.inputs[1]), valueOf(mask)];
  if (shifted.kind !== "shr" || node.width !== 32 || shifted.uses > 1 || start === undefined || bits === undefined) return undefined;
  const count = powerOfTwo(bits + 1n);
  return count === undefined
    ? undefined
    : lines([shifted.inputs[0]!], ({ result, inputs: [x] }) => [`bfe.u32 \t${result}, ${x}, ${start}, ${count};`]);
}
/** (x << l) >> r with sign: some bits of x, sign-extended. */
function bitField(node: Node): Selected | undefined {
  const [shifted, right] = node.inputs as [Node, Node];
  const [left, count] = [valueOf(shifted.inputs[1]), valueOf(right)];
  if (shifted.kind !== "shl" || node.width !== 32 || left === undefined || count === undefined || count < left || shifted.uses > 1)
    return undefined;
  return lines([shifted.inputs[0]!], ({ result, inputs: [x] }) => [`bfe.s32 \t${result}, ${x}, ${count - left}, ${32n - count};`]);
}
