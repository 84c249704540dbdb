/** Integer arithmetic, logic, shifts and bit fields. */
import { byName } from "../../../support/by-name.js";
import { NotModelled, type Rule } from "../instruction-compiler.js";
import { lanes, laneType, whole } from "../lanes.js";
import { bitsOfType } from "../scope.js";

type Expression = (a: string, b: string, c: string) => string;

/** In 32 bits and fewer; results wrap when stored. */
const NARROW: Readonly<Record<string, Expression>> = byName({
  add: (a, b) => `${a} + ${b}`,
  sub: (a, b) => `${a} - ${b}`,
  neg: (a) => `-${a}`,
  abs: (a) => `Math.abs(${a})`,
  min: (a, b) => `Math.min(${a}, ${b})`,
  max: (a, b) => `Math.max(${a}, ${b})`,
  and: (a, b) => `${a} & ${b}`,
  or: (a, b) => `${a} | ${b}`,
  xor: (a, b) => `${a} ^ ${b}`,
  not: (a) => `~${a}`,
  cnot: (a) => `${a} === 0 ? 1 : 0`,
  sad: (a, b, c) => `${c} + Math.abs(${a} - ${b})`,
});

/** In 64 bits, as bigints. */
const WIDE: Readonly<Record<string, Expression>> = byName({
  min: (a, b) => `${a} < ${b} ? ${a} : ${b}`,
  max: (a, b) => `${a} > ${b} ? ${a} : ${b}`,
  div: (a, b) => `R.div64(${a}, ${b})`,
  rem: (a, b) => `R.rem64(${a}, ${b})`,
  abs: (a) => `${a} < 0n ? -${a} : ${a}`,
  cnot: (a) => `${a} === 0n ? 1n : 0n`,
  sad: (a, b, c) => `${c} + (${a} < ${b} ? ${b} - ${a} : ${a} - ${b})`,
});

/** In 64 bits, as pairs of words: what address arithmetic is made of. al, ah, bl, bh are words. */
const PAIRS: Readonly<Record<string, string>> = byName({
  add: "const s = (al >>> 0) + (bl >>> 0); I[d + j] = s; I[d + j + 1] = ah + bh + (s > 4294967295 ? 1 : 0)",
  sub: "I[d + j] = al - bl; I[d + j + 1] = ah - bh - ((al >>> 0) < (bl >>> 0) ? 1 : 0)",
  neg: "I[d + j] = -al; I[d + j + 1] = ~ah + (al === 0 ? 1 : 0)",
  and: "I[d + j] = al & bl; I[d + j + 1] = ah & bh",
  or: "I[d + j] = al | bl; I[d + j + 1] = ah | bh",
  xor: "I[d + j] = al ^ bl; I[d + j + 1] = ah ^ bh",
  not: "I[d + j] = ~al; I[d + j + 1] = ~ah",
  mul: "I[d + j] = Math.imul(al, bl); I[d + j + 1] = R.mulHighUnsigned(al, bl) + Math.imul(al, bh) + Math.imul(ah, bl)",
});
const LOAD_PAIRS = "const j = 2 * l; const al = I[a + j], ah = I[a + j + 1], bl = I[b + j], bh = I[b + j + 1]; ";

/** How many sources each has. */
const ARITY: Readonly<Record<string, number>> = byName({ neg: 1, abs: 1, not: 1, cnot: 1, sad: 3 });

/** `add`, `sub`, `and`, ...: any of the tables above, by type. */
export const integerArithmetic: Rule = (c) => {
  const { op, type } = c;
  const name = op.opcode;
  if (type === "pred") return predicateLogic(c);
  const bits = bitsOfType(type);
  const arity = ARITY[name] ?? 2;
  if (c.has("cc") || name.endsWith("c")) return carryArithmetic(c);
  if (/x2$/.test(type)) return packedArithmetic(c);
  const rows = [1, 2, 3].slice(0, arity).map((i) => c.source(c.operand(i), bits));
  const d = c.dest(c.operand(0), bits, type.startsWith("s"));
  if (bits === 64) {
    const pairs = PAIRS[name];
    if (pairs !== undefined) return c.emit(lanes(LOAD_PAIRS + pairs, d, rows[0], rows[1] ?? rows[0]));
    const wide = WIDE[name];
    if (wide === undefined) throw new NotModelled("no 64-bit form is known");
    const lane = laneType(type)!;
    return c.emit(lanes(lane.write("d", wide(lane.read("a"), lane.read("b"), lane.read("c"))), d, ...rows));
  }
  const lane = laneType(type);
  const narrow = NARROW[name];
  if (lane === undefined || narrow === undefined) throw new NotModelled(`no form for .${type} is known`);
  let value = narrow(lane.read("a"), lane.read("b"), lane.read("c"));
  if (c.has("sat")) value = `Math.min(Math.max(${value}, -2147483648), 2147483647)`;
  if (c.has("relu")) value = `Math.max(${value}, 0)`;
  c.emit(lanes(lane.write("d", value), d, ...rows));
};

const predicateLogic: Rule = (c) => {
  const rows = c.op.operands.slice(1).map((o) => c.plainPredicate(o));
  const code: Readonly<Record<string, string>> = { and: "P[a] & P[b]", or: "P[a] | P[b]", xor: "P[a] ^ P[b]", not: "~P[a]" };
  const value = code[c.op.opcode];
  if (value === undefined) throw new NotModelled("not an operation on predicates");
  c.emit(whole(`P[d] = (P[d] & ~m) | ((${value}) & m)`, c.predicateDest(c.operand(0)), ...rows));
};

/** `add.s16x2`, `min.u16x2` */
const packedArithmetic: Rule = (c) => {
  const narrow = NARROW[c.op.opcode];
  if (narrow === undefined) throw new NotModelled("no packed form is known");
  const signed = c.type.startsWith("s");
  const half = (row: string, shift: number) => (signed ? `(I[${row} + l] << ${16 - shift} >> 16)` : `(I[${row} + l] >>> ${shift} & 65535)`);
  const value = (shift: number) => narrow(half("a", shift), half("b", shift), "");
  c.emit(
    lanes(
      `const lo = ${value(0)}, hi = ${value(16)}; I[d + l] = (lo & 65535) | (hi << 16)`,
      c.dest(c.operand(0), 32),
      c.source(c.operand(1), 32),
      c.source(c.operand(2), 32),
    ),
  );
};

/** `add.cc`, `addc`, `sub.cc`, `subc`: in 32 bits, or 64 as bigints. The flag of each lane is a bit of the warp's carry. */
const carryArithmetic: Rule = (c) => {
  const bits = bitsOfType(c.type);
  const name = c.op.opcode;
  const carry = name.endsWith("c") ? "(w.carry >>> l & 1)" : "0";
  const subtract = name.startsWith("sub");
  const [d, a, b] = [c.dest(c.operand(0), bits), c.source(c.operand(1), bits), c.source(c.operand(2), bits)];
  const flag = c.has("cc") ? "w.carry = (w.carry & ~(1 << l)) | (out << l)" : "";
  if (bits === 64) {
    const sum = subtract ? `V[a2 + l] - V[b2 + l] - BigInt(${carry})` : `V[a2 + l] + V[b2 + l] + BigInt(${carry})`;
    return c.emit(lanes(`const s = ${sum}; const out = s < 0n || s >> 64n ? 1 : 0; V[d2 + l] = s; ${flag}`, d, a, b));
  }
  const sum = subtract ? `U[a + l] - U[b + l] - ${carry}` : `U[a + l] + U[b + l] + ${carry}`;
  c.emit(lanes(`const s = ${sum}; const out = s < 0 || s > 4294967295 ? 1 : 0; I[d + l] = s; ${flag}`, d, a, b));
};

/** `mul`, `mad` with .lo, .hi, .wide; `madc` and `.cc`. */
export const multiply: Rule = (c) => {
  const { type } = c;
  const add = c.op.opcode !== "mul";
  const bits = bitsOfType(type);
  const signed = type.startsWith("s");
  const part = c.oneOf("lo", "hi", "wide") ?? "lo";
  const [a, b] = [c.source(c.operand(1), bits), c.source(c.operand(2), bits)];
  const outBits = part === "wide" ? bits * 2 : bits;
  const addend = add ? c.source(c.operand(3), outBits) : 0;
  const carries = c.has("cc") || c.op.opcode === "madc";
  if (bits === 64) {
    if (part === "lo" && !carries) {
      const d = c.dest(c.operand(0), 64);
      if (!add) return c.emit(lanes(LOAD_PAIRS + PAIRS["mul"], d, a, b));
      const product = c.temp(64);
      c.emit(lanes(LOAD_PAIRS + PAIRS["mul"], product, a, b));
      return c.emit(lanes(LOAD_PAIRS + PAIRS["add"], d, product, addend));
    }
    const array = signed ? "B" : "V";
    const product = `${array}[a2 + l] * ${array}[b2 + l]${part === "hi" ? " >> 64n" : ""}`;
    const sum = add ? `BigInt.asUintN(64, ${product}) + V[c2 + l]${c.op.opcode === "madc" ? " + BigInt(w.carry >>> l & 1)" : ""}` : product;
    const flag = c.has("cc") ? "; w.carry = (w.carry & ~(1 << l)) | ((s >> 64n ? 1 : 0) << l)" : "";
    return c.emit(lanes(`const s = ${sum}; V[d2 + l] = s${flag}`, c.dest(c.operand(0), 64), a, b, addend));
  }
  const lane = laneType(type)!;
  const [x, y] = [lane.read("a"), lane.read("b")];
  if (bits === 16) {
    // Products of 16 bits fit a double.
    const product = `Math.imul(${x}, ${y})`;
    const value = part === "hi" ? `${product} >> 16` : product;
    const outLane = part === "wide" ? laneType("s32")! : lane;
    const d = c.dest(c.operand(0), outBits, signed);
    return c.emit(
      lanes(outLane.write("d", add ? `(${value}) + ${part === "wide" ? "I[c + l]" : lane.read("c")}` : value), d, a, b, addend),
    );
  }
  const high = signed ? "R.mulHighSigned(I[a + l], I[b + l])" : "R.mulHighUnsigned(I[a + l], I[b + l])";
  const low = "Math.imul(I[a + l], I[b + l])";
  if (part === "wide") {
    const d = c.dest(c.operand(0), 64);
    const words = `const lo = ${low}; const hi = ${high}; const j = 2 * l; `;
    if (!add) return c.emit(lanes(`${words}I[d + j] = lo; I[d + j + 1] = hi`, d, a, b));
    return c.emit(
      lanes(
        `${words}const s = (lo >>> 0) + (I[c + j] >>> 0); const ch = I[c + j + 1]; I[d + j] = s; I[d + j + 1] = hi + ch + (s > 4294967295 ? 1 : 0)`,
        d,
        a,
        b,
        addend,
      ),
    );
  }
  const product = part === "hi" ? high : low;
  const d = c.dest(c.operand(0), 32, signed);
  if (!add) return c.emit(lanes(`I[d + l] = ${product}`, d, a, b));
  if (c.has("sat")) throw new NotModelled(".sat");
  if (!carries) return c.emit(lanes(`I[d + l] = ${product} + I[c + l]`, d, a, b, addend));
  const carry = c.op.opcode === "madc" ? " + (w.carry >>> l & 1)" : "";
  const flag = c.has("cc") ? "; w.carry = (w.carry & ~(1 << l)) | ((s > 4294967295 ? 1 : 0) << l)" : "";
  c.emit(lanes(`const s = (${product} >>> 0) + U[c + l]${carry}; I[d + l] = s${flag}`, d, a, b, addend));
};

/** `mul24`, `mad24`: the low 24 bits of each factor. */
export const multiply24: Rule = (c) => {
  const signed = c.type.startsWith("s");
  const read = (row: string) => (signed ? `(I[${row} + l] << 8 >> 8)` : `(I[${row} + l] & 16777215)`);
  const product = c.has("hi") ? `Math.floor(${read("a")} * ${read("b")} / 65536)` : `Math.imul(${read("a")}, ${read("b")})`;
  const add = c.op.opcode === "mad24";
  c.emit(
    lanes(
      `I[d + l] = ${product}${add ? " + I[c + l]" : ""}`,
      c.dest(c.operand(0), 32),
      c.source(c.operand(1), 32),
      c.source(c.operand(2), 32),
      add ? c.source(c.operand(3), 32) : 0,
    ),
  );
};

export const divide: Rule = (c) => {
  const { type, op } = c;
  const bits = bitsOfType(type);
  if (bits === 64) return integerArithmetic(c);
  const lane = laneType(type)!;
  const name = `${op.opcode}${type.startsWith("s") ? "S" : "U"}32`;
  const d = c.dest(c.operand(0), bits, type.startsWith("s"));
  c.emit(
    lanes(
      lane.write("d", `R.${name}(${lane.read("a")}, ${lane.read("b")})`),
      d,
      c.source(c.operand(1), bits),
      c.source(c.operand(2), bits),
    ),
  );
};

/** `shl`, `shr`: amounts beyond the width give 0, or the sign. */
export const shift: Rule = (c) => {
  const { type, op } = c;
  const bits = bitsOfType(type);
  const d = c.dest(c.operand(0), bits, type.startsWith("s"));
  const a = c.source(c.operand(1), bits);
  const b = c.source(c.operand(2), 32);
  const signed = type.startsWith("s");
  const amount = c.operand(2);
  if (bits === 64) {
    const known = amount.kind === "integer" ? Number(amount.value) : -1;
    if (known > 0 && known < 32) {
      const r = 32 - known;
      const code =
        op.opcode === "shl"
          ? `I[d + j] = lo << ${known}; I[d + j + 1] = (hi << ${known}) | (lo >>> ${r})`
          : `I[d + j] = (lo >>> ${known}) | (hi << ${r}); I[d + j + 1] = hi ${signed ? ">>" : ">>>"} ${known}`;
      return c.emit(lanes(`const j = 2 * l; const lo = I[a + j], hi = I[a + j + 1]; ${code}`, d, a));
    }
    const array = signed ? "B" : "V";
    const sign = op.opcode === "shl" ? "<<" : ">>";
    return c.emit(lanes(`${array}[d2 + l] = ${array}[a2 + l] ${sign} BigInt(Math.min(U[b + l], 64))`, d, a, b));
  }
  const lane = laneType(type)!;
  if (op.opcode === "shl") return c.emit(lanes(lane.write("d", `U[b + l] > 31 ? 0 : ${lane.read("a")} << I[b + l]`), d, a, b));
  if (signed) return c.emit(lanes(lane.write("d", `${lane.read("a")} >> Math.min(U[b + l], 31)`), d, a, b));
  c.emit(lanes(lane.write("d", `U[b + l] > 31 ? 0 : ${lane.read("a")} >>> I[b + l]`), d, a, b));
};

/** `shf.l`, `shf.r`, `.wrap` or `.clamp`: a 64-bit value b:a shifted. */
export const funnelShift: Rule = (c) => {
  const n = c.has("wrap") ? "I[c + l] & 31" : "Math.min(U[c + l], 32)";
  const value = c.has("l")
    ? "n === 0 ? hi : n === 32 ? lo : (hi << n) | (lo >>> (32 - n))"
    : "n === 0 ? lo : n === 32 ? hi : (lo >>> n) | (hi << (32 - n))";
  c.emit(
    lanes(
      `const n = ${n}; const lo = I[a + l], hi = I[b + l]; I[d + l] = ${value}`,
      c.dest(c.operand(0), 32),
      ...[1, 2, 3].map((i) => c.source(c.operand(i), 32)),
    ),
  );
};

/** `bfe`, `bfi`, `popc`, `clz`, `brev`, `bfind`, `fns` apart. */
export const bitField: Rule = (c) => {
  const { type, op } = c;
  const bits = bitsOfType(type);
  const signed = type.startsWith("s");
  const wide = bits === 64;
  switch (op.opcode) {
    case "bfe":
      return c.emit(
        lanes(
          wide
            ? `B[d2 + l] = R.bfe64(B[a2 + l], I[b + l], I[c + l], ${signed})`
            : `I[d + l] = R.bfe(I[a + l], I[b + l], I[c + l], ${signed})`,
          c.dest(c.operand(0), bits),
          c.source(c.operand(1), bits),
          c.source(c.operand(2), 32),
          c.source(c.operand(3), 32),
        ),
      );
    case "bfi":
      return c.emit(
        lanes(
          wide
            ? "V[d2 + l] = R.bfi64(V[a2 + l], V[b2 + l], I[c + l], I[e + l])"
            : "I[d + l] = R.bfi(I[a + l], I[b + l], I[c + l], I[e + l])",
          c.dest(c.operand(0), bits),
          c.source(c.operand(1), bits),
          c.source(c.operand(2), bits),
          c.source(c.operand(3), 32),
          c.source(c.operand(4), 32),
        ),
      );
    case "popc":
      return c.emit(
        lanes(
          wide ? "I[d + l] = R.popc64(I[a + 2 * l], I[a + 2 * l + 1])" : "I[d + l] = R.popc(I[a + l])",
          c.dest(c.operand(0), 32),
          c.source(c.operand(1), bits),
        ),
      );
    case "clz":
      return c.emit(
        lanes(
          wide ? "I[d + l] = R.clz64(I[a + 2 * l], I[a + 2 * l + 1])" : "I[d + l] = Math.clz32(I[a + l])",
          c.dest(c.operand(0), 32),
          c.source(c.operand(1), bits),
        ),
      );
    case "brev":
      return c.emit(
        lanes(
          wide
            ? "const lo = R.reverse(I[a + 2 * l]), hi = R.reverse(I[a + 2 * l + 1]); I[d + 2 * l] = hi; I[d + 2 * l + 1] = lo"
            : "I[d + l] = R.reverse(I[a + l])",
          c.dest(c.operand(0), bits),
          c.source(c.operand(1), bits),
        ),
      );
    case "bfind":
      if (wide) throw new NotModelled("64-bit bfind");
      return c.emit(
        lanes(`I[d + l] = R.bfind(I[a + l], ${signed}, ${c.has("shiftamt")})`, c.dest(c.operand(0), 32), c.source(c.operand(1), 32)),
      );
    default:
      throw new NotModelled("unknown bit operation");
  }
};

/** `lop3.b32`: a table of eight results. The table is known, so its minterms are picked here. */
export const lop3: Rule = (c) => {
  const rows = [1, 2, 3].map((i) => c.source(c.operand(i), 32));
  const table = c.immediate(c.operand(4)) & 255;
  const known: Readonly<Record<number, string>> = {
    192: "x & y",
    252: "x | y",
    60: "x ^ y",
    128: "x & y & z",
    254: "x | y | z",
    150: "x ^ y ^ z",
    232: "(x & y) | (x & z) | (y & z)",
    234: "(x & y) | z",
    202: "(x & y) | (~x & z)",
    248: "x | (y & z)",
    106: "(x & y) ^ z",
    120: "x ^ (y & z)",
    168: "(x | y) & z",
  };
  const value = known[table] ?? `R.lop3(x, y, z, ${table})`;
  c.emit(lanes(`const x = I[a + l], y = I[b + l], z = I[c + l]; I[d + l] = ${value}`, c.dest(c.operand(0), 32), ...rows));
};

export const prmt: Rule = (c) => {
  const mode = c.oneOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16");
  const rows = [1, 2, 3].map((i) => c.source(c.operand(i), 32));
  const selector = c.operand(3);
  const d = c.dest(c.operand(0), 32);
  if (mode !== undefined) return c.emit(lanes(`I[d + l] = R.prmtMode(I[a + l], I[b + l], I[c + l], "${mode}")`, d, ...rows));
  if (selector.kind !== "integer") return c.emit(lanes("I[d + l] = R.prmt(I[a + l], I[b + l], I[c + l])", d, ...rows));
  // A known selector becomes shifts.
  const s = Number(selector.value);
  const byte = (i: number) => {
    const nibble = (s >> (4 * i)) & 15;
    const from = `${nibble & 4 ? "y" : "x"} >>> ${(nibble & 3) * 8}`;
    return nibble & 8 ? `((${from} & 128 ? 255 : 0) << ${8 * i})` : `((${from} & 255) << ${8 * i})`;
  };
  c.emit(lanes(`const x = I[a + l], y = I[b + l]; I[d + l] = ${[0, 1, 2, 3].map(byte).join(" | ")}`, d, ...rows));
};

/** `dp4a`, `dp2a`: dot products of bytes. */
export const byteDot: Rule = (c) => {
  const [first = "s32", second = "s32"] = c.types;
  const signs = `${first.startsWith("s")}, ${second.startsWith("s")}`;
  const call =
    c.op.opcode === "dp4a"
      ? `R.dp4a(I[a + l], I[b + l], I[c + l], ${signs})`
      : `R.dp2a(I[a + l], I[b + l], I[c + l], ${signs}, ${c.has("hi")})`;
  c.emit(lanes(`I[d + l] = ${call}`, c.dest(c.operand(0), 32), ...[1, 2, 3].map((i) => c.source(c.operand(i), 32))));
};
