/** Comparisons and selections. */
import { byName } from "../../../support/by-name.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import { lanes, laneType, predicate, whole } from "../lanes.js";
import { bitsOfType } from "../scope.js";

const OPERATORS: Readonly<Record<string, string>> = byName({
  eq: "===",
  ne: "!==",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  lo: "<",
  ls: "<=",
  hi: ">",
  hs: ">=",
});
const COMPARISONS = [
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "lo",
  "ls",
  "hi",
  "hs",
  "equ",
  "neu",
  "ltu",
  "leu",
  "gtu",
  "geu",
  "num",
  "nan",
] as const;

/** The condition on rows a and b, as text. */
function condition(c: InstructionCompiler, type: string): { readonly text: string; readonly rows: readonly number[] } {
  const comparison = c.oneOf(...COMPARISONS);
  if (comparison === undefined) throw new NotModelled("no comparison is named");
  const bits = bitsOfType(type);
  const float = /^(?:f|bf)/.test(type);
  const rows = [c.source(c.operand(1), bits), c.source(c.operand(2), bits)];
  if (bits === 64 && !float) return { text: wideCondition(comparison, type), rows };
  const unsigned = ["lo", "ls", "hi", "hs"].includes(comparison) && bits === 32;
  const lane = laneType(unsigned ? "u32" : type.replace(/x2$/, ""), c.has("ftz"));
  if (lane === undefined) throw new NotModelled(`no comparison of .${type} is known`);
  return { text: compare(comparison, lane.read("a"), lane.read("b")), rows };
}

function compare(comparison: string, x: string, y: string): string {
  if (comparison === "num") return `(${x} === ${x} && ${y} === ${y})`;
  if (comparison === "nan") return `(${x} !== ${x} || ${y} !== ${y})`;
  const operator = OPERATORS[comparison];
  // An ordered `ne` is false for NaNs; the unordered forms are true.
  if (comparison === "ne" && /^(?:F|D|H|R)/.test(x)) return `(${x} < ${y} || ${x} > ${y})`;
  if (operator !== undefined) return `${x} ${operator} ${y}`;
  const opposite: Readonly<Record<string, string>> = {
    equ: `!(${x} < ${y} || ${x} > ${y})`,
    neu: `!(${x} === ${y})`,
    ltu: `!(${x} >= ${y})`,
    leu: `!(${x} > ${y})`,
    gtu: `!(${x} <= ${y})`,
    geu: `!(${x} < ${y})`,
  };
  return opposite[comparison]!;
}

function wideCondition(comparison: string, type: string): string {
  const [al, ah, bl, bh] = ["U[a + 2 * l]", "I[a + 2 * l + 1]", "U[b + 2 * l]", "I[b + 2 * l + 1]"];
  if (comparison === "eq") return `${al} === ${bl} && ${ah} === ${bh}`;
  if (comparison === "ne") return `(${al} !== ${bl} || ${ah} !== ${bh})`;
  const unsigned = type.startsWith("u") || ["lo", "ls", "hi", "hs"].includes(comparison);
  const [hiA, hiB] = unsigned ? ["U[a + 2 * l + 1]", "U[b + 2 * l + 1]"] : [ah, bh];
  const operator = OPERATORS[comparison];
  if (operator === undefined) throw new NotModelled(`.${comparison} of integers`);
  return `(${hiA} ${operator[0]} ${hiB} || ${ah} === ${bh} && ${al} ${operator} ${bl})`;
}

/** `setp.CMP{.BOOL}{.ftz}.type p{|q}, a, b{, c}`; of two halves p is of the low ones, q of the high ones. */
export const setp: Rule = (c) => {
  const type = c.type;
  const target = c.operand(0);
  const { text, rows } = condition(c, type);
  const combine = c.oneOf("and", "or", "xor");
  const third = combine === undefined ? 0 : c.plainPredicate(c.operand(3));
  const operator = { and: "&", or: "|", xor: "^" }[combine ?? "and"];
  const value = (r: string) => (combine === undefined ? r : `(${r} ${operator} P[c])`);
  if (target.kind === "pair") {
    const [p, q] = [c.predicateDest(target.first), c.predicateDest(target.second)];
    if (type.endsWith("x2")) {
      const high = text.replace(/I\[(\w) \+ l\]/g, "(I[$1 + l] >>> 16)");
      for (const [half, dest] of [
        [text, p],
        [high, q],
      ] as const)
        c.emit(predicate(half, `P[d] = (P[d] & ~m) | (${value("r")} & m)`, dest, rows[0], rows[1], third));
      return;
    }
    return c.emit(
      predicate(
        text,
        `const first = ${value("r")}, second = ${value("~r")}; P[d] = (P[d] & ~m) | (first & m); P[e] = (P[e] & ~m) | (second & m)`,
        p,
        rows[0],
        rows[1],
        third,
        q,
      ),
    );
  }
  c.emit(predicate(text, `P[d] = (P[d] & ~m) | (${value("r")} & m)`, c.predicateDest(target), rows[0], rows[1], third));
};

/** `set.CMP{.BOOL}.dtype.stype d, a, b{, c}`: all ones, or 1.0. */
export const set: Rule = (c) => {
  const [to = "u32", from = "s32"] = c.types;
  const { text, rows } = condition(c, from);
  const combine = c.oneOf("and", "or", "xor");
  const third = combine === undefined ? 0 : c.plainPredicate(c.operand(3));
  const operator = { and: "&", or: "|", xor: "^" }[combine ?? "and"];
  const bit = combine === undefined ? `(${text})` : `(((${text}) ? 1 : 0) ${operator} (P[c] >>> l & 1)) === 1`;
  const d = c.dest(c.operand(0), bitsOfType(to));
  const one: Readonly<Record<string, string>> = {
    f32: "0x3f800000",
    f16: "0x3c00",
    bf16: "0x3f80",
    u16: "65535",
    s16: "65535",
    b16: "65535",
  };
  c.emit(lanes(`I[d + l] = ${bit} ? ${one[to] ?? "-1"} : 0`, d, rows[0], rows[1], third));
};

/** `selp.type d, a, b, p` */
export const selp: Rule = (c) => {
  const bits = bitsOfType(c.type);
  const [a, b] = [c.source(c.operand(1), bits), c.source(c.operand(2), bits)];
  const p = c.plainPredicate(c.operand(3));
  const d = c.dest(c.operand(0), bits, c.type.startsWith("s"));
  if (bits === 64)
    return c.emit(
      lanes("const s = (P[c] >>> l & 1 ? a : b) + 2 * l; const hi = I[s + 1]; I[d + 2 * l] = I[s]; I[d + 2 * l + 1] = hi", d, a, b, p),
    );
  c.emit(lanes("I[d + l] = P[c] >>> l & 1 ? I[a + l] : I[b + l]", d, a, b, p));
};

/** `slct.dtype.ctype d, a, b, c`: a where c >= 0. */
export const slct: Rule = (c) => {
  const [type = "b32", test = "s32"] = c.types;
  const bits = bitsOfType(type);
  const [a, b, t] = [c.source(c.operand(1), bits), c.source(c.operand(2), bits), c.source(c.operand(3), 32)];
  const d = c.dest(c.operand(0), bits);
  const holds = test === "f32" ? "F[c + l] >= 0" : "I[c + l] >= 0";
  if (bits === 64)
    return c.emit(
      lanes(`const s = (${holds} ? a : b) + 2 * l; const hi = I[s + 1]; I[d + 2 * l] = I[s]; I[d + 2 * l + 1] = hi`, d, a, b, t),
    );
  c.emit(lanes(`I[d + l] = ${holds} ? I[a + l] : I[b + l]`, d, a, b, t));
};

/** `testp.finite.f32 p, a` */
export const testp: Rule = (c) => {
  const bits = bitsOfType(c.type);
  const x = laneType(c.type)!.read("a");
  const smallest = c.type === "f64" ? 2 ** -1022 : 2 ** -126;
  const tests: Readonly<Record<string, string>> = {
    finite: `Number.isFinite(${x})`,
    infinite: `Math.abs(${x}) === Infinity`,
    number: `${x} === ${x}`,
    notanumber: `${x} !== ${x}`,
    normal: `(Number.isFinite(${x}) && Math.abs(${x}) >= ${smallest})`,
    subnormal: `(Math.abs(${x}) < ${smallest} && ${x} !== 0)`,
  };
  const test = tests[c.op.modifiers[0] ?? ""];
  if (test === undefined) throw new NotModelled("unknown test");
  c.emit(predicate(test, "P[d] = (P[d] & ~m) | (r & m)", c.predicateDest(c.operand(0)), c.source(c.operand(1), bits)));
};

/** `mov.pred` */
export function movePredicate(c: InstructionCompiler): void {
  c.emit(whole("P[d] = (P[d] & ~m) | (P[a] & m)", c.predicateDest(c.operand(0)), c.plainPredicate(c.operand(1))));
}
