/**
 * Mutations of a text. Most keep its tokens well formed, so that more than a tenth of the mutants are accepted and later stages see them;
 * the byte mutations are for the readers.
 */
import type { Random } from "./random.js";

/** Returns a changed copy; `other` is a text of the same kind to take parts from. */
type Mutation = (text: string, random: Random, other: string) => string;

const TOKEN = /"(?:[^"\\\n]|\\.)*"|[%#!@^$]?[A-Za-z_][\w.$-]*|[%^]\d+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s+|->|[^\s]/g;
const NUMBER = /(?<![\w%#^.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const TYPE = /\b(?:i1|i8|i16|i32|i64|f16|bf16|f32|f64|f8E5M2|f8E4M3FN|index|u8|u32|s32|b16|b32|b64|fp16|fp32|int32)\b/g;
const TYPES = ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E5M2", "index"];
/** A name of a keyword, op, attribute, instruction or variable, or a part of one. */
const WORD = /[A-Za-z_]\w*/g;
/** A table that is a JavaScript object has these too, if nobody asks whether they are its own. */
const INHERITED = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];
const NAME = /[%^][\w$-]+/g;
/** `name = value` in a list of attributes, options or parameters, or `"name": value`. */
const ATTRIBUTE = /(?:[\w.]+ ?= ?|"[\w-]+": ?)(?:"[^"\n]*"|\[[^\]\n]*\]|[\w.+-]+(?: : [\w<>]+)?)/g;
/** One in a list, with the comma that goes with it. */
const IN_LIST = new RegExp(`${ATTRIBUTE.source}, ?|, ?${ATTRIBUTE.source}`, "g");
/** Ops that take and give the same: one instead of another verifies. */
const ALIKE = [
  "addi|subi|muli|andi|ori|xori|shli|shrsi|shrui|divsi|divui|remsi|remui|maxsi|maxui|minsi|minui",
  "addf|subf|mulf|divf|remf|maximumf|minimumf|maxnumf|minnumf",
  "exp|exp2|log|log2|sin|cos|sqrt|rsqrt|absf|floor|ceil|erf",
  "eq|ne|slt|sle|sgt|sge|ult|ule|ugt|uge",
  "oeq|ogt|oge|olt|ole|one|ord|ueq|une|uno",
  "true|false",
].map((names) => names.split("|"));
const LIKE_OTHERS = new RegExp(`(?<=arith\\.|math\\.|cmpi |cmpf |(?:constant|:) )(?:${ALIKE.flat().join("|")})\\b`, "g");
/** A line that names one result. */
const ONE_RESULT = /^ *%[\w-]+ = [^{]*$/;
const BOUNDARIES = [
  "0",
  "1",
  "-1",
  "2",
  "3",
  "7",
  "31",
  "32",
  "33",
  "127",
  "128",
  "255",
  "256",
  "65536",
  "2147483647",
  "2147483648",
  "-2147483649",
  "4294967295",
  "4294967296",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551616",
  "1e400",
  "0.5",
  "9".repeat(40),
  "9".repeat(400),
];

interface Span {
  readonly at: number;
  readonly text: string;
}
const spans = (text: string, pattern: RegExp): Span[] => [...text.matchAll(pattern)].map((m) => ({ at: m.index, text: m[0] }));
const replaceAt = (text: string, { at, text: old }: Span, fresh: string): string => text.slice(0, at) + fresh + text.slice(at + old.length);

/** Replaces one match of a pattern. */
const replaceOne =
  (pattern: RegExp, fresh: (old: Span, all: readonly Span[], random: Random, other: string) => string): Mutation =>
  (text, random, other) => {
    const all = spans(text, pattern);
    if (all.length === 0) return text;
    const one = random.pick(all);
    return replaceAt(text, one, fresh(one, all, random, other));
  };

const onLines =
  (change: (lines: string[], at: number, random: Random, other: string) => void): Mutation =>
  (text, random, other) => {
    const lines = text.split("\n");
    change(lines, random.below(lines.length), random, other);
    return lines.join("\n");
  };

const ODD_BYTES = [
  "\0",
  "\x1b",
  "\r",
  "\t",
  "\x80",
  "\xff",
  "\xe2\x80\xae",
  "(",
  ")",
  "{",
  "}",
  "<",
  ">",
  "[",
  "]",
  ",",
  '"',
  "\\",
  "%",
  "#",
  "!",
];

/** By name, with how often each is taken. */
export const MUTATIONS: ReadonlyMap<string, readonly [weight: number, mutation: Mutation]> = new Map<string, readonly [number, Mutation]>([
  // Well-formed tokens.
  ["near-number", [6, replaceOne(NUMBER, ({ text }, _, random) => String(Number(text) + random.pick([-1, 1, 2, -2, Number(text)])))]],
  ["boundary-number", [4, replaceOne(NUMBER, (_, __, random) => random.pick(BOUNDARIES))]],
  ["swap-number", [4, replaceOne(NUMBER, (_, all, random) => random.pick(all).text)]],
  ["type", [3, replaceOne(TYPE, (_, __, random) => random.pick(TYPES))]],
  ["name", [4, replaceOne(NAME, (_, all, random) => random.pick(all).text)]],
  ["like-other", [8, replaceOne(LIKE_OTHERS, ({ text }, _, random) => random.pick(ALIKE.find((names) => names.includes(text))!))]],
  ["drop-attribute", [3, replaceOne(IN_LIST, () => "")]],
  ["double-attribute", [1, replaceOne(ATTRIBUTE, ({ text }) => `${text}, ${text}`)]],
  ["attribute", [3, replaceOne(ATTRIBUTE, (_, __, random, other) => random.pick(spans(other, ATTRIBUTE))?.text ?? "")]],
  ["token", [2, replaceOne(TOKEN, (_, __, random, other) => random.pick(spans(other, TOKEN))?.text ?? "")]],
  ["inherited-name", [1, replaceOne(WORD, (_, __, random) => random.pick(INHERITED))]],
  ["drop-token", [2, replaceOne(TOKEN, () => "")]],
  ["double-token", [1, replaceOne(TOKEN, ({ text }) => text + text)]],
  // Structure.
  ["same-op-again", [6, onLines((lines, at) => void (ONE_RESULT.test(lines[at]!) && lines.splice(at, 0, renamed(lines[at]!))))]],
  ["drop-line", [3, onLines((lines, at) => void lines.splice(at, 1))]],
  ["double-line", [2, onLines((lines, at) => void lines.splice(at, 0, lines[at]!))]],
  ["move-line", [3, onLines((lines, at, random) => void lines.splice(random.below(lines.length), 0, ...lines.splice(at, 1)))]],
  ["swap-lines", [2, onLines((lines, at) => void lines.splice(at, 2, ...lines.slice(at, at + 2).reverse()))]],
  ["foreign-line", [1, onLines((lines, at, random, other) => void lines.splice(at, 0, random.pick(other.split("\n"))))]],
  ["drop-lines", [1, onLines((lines, at, random) => void lines.splice(at, 1 + random.below(8)))]],
  [
    "repeat-lines",
    [
      1,
      onLines(
        (lines, at, random) =>
          void lines.splice(
            at,
            0,
            ...Array(20)
              .fill(lines.slice(at, at + 1 + random.below(3)))
              .flat(),
          ),
      ),
    ],
  ],
  // Bytes.
  ["flip", [1, (text, random) => changeByte(text, random, (c) => String.fromCharCode(c.charCodeAt(0) ^ (1 << random.below(8))))]],
  ["odd-byte", [1, (text, random) => changeByte(text, random, (c) => c + random.pick(ODD_BYTES))]],
  ["drop-byte", [1, (text, random) => changeByte(text, random, () => "")]],
  ["cut", [1, (text, random) => text.slice(0, random.below(text.length + 1))]],
  ["nest", [1, (text, random) => changeByte(text, random, (c) => c + random.pick(["(", "[", "{", "<"]).repeat(1 << random.below(12)))]],
]);

const renamed = (line: string): string => line.replace(/%[\w-]+/, "%again_");

function changeByte(text: string, random: Random, change: (char: string) => string): string {
  if (text === "") return text;
  const at = random.below(text.length);
  return text.slice(0, at) + change(text[at]!) + text.slice(at + 1);
}

const BAG = [...MUTATIONS.values()].flatMap(([weight, mutation]) => Array<Mutation>(weight).fill(mutation));

/** A mutant of `text` by one mutation mostly, at most three. */
export function mutant(text: string, random: Random, other: string): string {
  let result = text;
  for (let n = random.pick([1, 1, 1, 2, 3]); n > 0; n--) result = random.pick(BAG)(result, random, other);
  // A mutation that finds nothing to change leaves the text as it is.
  return result === text ? changeByte(text, random, (c) => c + random.pick(ODD_BYTES)) : result;
}
