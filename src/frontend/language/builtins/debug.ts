/** Printing, assertions, hints and inline assembly. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED, STAR } from "../define-builtin.js";
import { check, raise } from "../errors.js";
import { pyStr } from "../python-text.js";
import { not, or } from "../semantic/arithmetic.js";
import { equal } from "../semantic/compare.js";
import { toTensor } from "../semantic/constants.js";
import { assume, debugBarrier, deviceAssert, devicePrint, type Hint, hint } from "../semantic/debug.js";
import { type ExternVariant, externElementwise, inlineAsm } from "../semantic/inline-asm.js";
import { elementsOf, isConstexpr, isKind, type PyValue, tuple, unwrap } from "../values.js";
import { integer, optionalTensor, scalarTypeArgument, self, stringArgument, truth } from "./arguments.js";

const hintOf = (name: Hint) =>
  defineBuiltin(name, { input: REQUIRED, values: REQUIRED }, (s, a) => {
    const list = isConstexpr(a.values) && !elementsOf(a.values) ? [a.values] : elementsOf(a.values);
    if (!list) return raise("TypeError", "values element 0 must have type `constexpr`");
    const values = list.map((value, i) => {
      if (!isConstexpr(value) && typeof value === "object") raise("TypeError", `values element ${i} must have type \`constexpr\``);
      const plain = unwrap(value);
      if (typeof plain === "boolean") return BigInt(plain);
      if (typeof plain === "bigint") return plain;
      return raise("TypeError", `values element ${i} must have type \`constexpr[int]\`, got \`constexpr[${pyStr(plain, "type")}]`);
    });
    return hint(s, name, self(a.input), values);
  });

/** Printable characters of ASCII, with those that only move the cursor. */
const ASCII = /^[\t-\r -~]*$/;

/** Code generation itself does what these two are for. */
const STATIC_ASSERT = defineBuiltin("static_assert", { cond: REQUIRED, msg: "" }, () => null);
const STATIC_PRINT = defineBuiltin("static_print", { values: STAR, sep: " ", end: "\n", file: null, flush: false }, () => null);

const DEVICE_ASSERT = defineBuiltin("device_assert", { cond: REQUIRED, msg: "", mask: null }, (s, a) => {
  const mask = optionalTensor(s, a.mask);
  const condition = toTensor(s, a.cond);
  // Made in debug mode only.
  deviceAssert(s, mask && s.options.debug ? or(s, condition, not(s, mask)) : condition, pyStr(unwrap(a.msg)));
  return null;
});

export const DEBUG = [
  STATIC_ASSERT,
  STATIC_PRINT,
  DEVICE_ASSERT,
  defineBuiltin("debug_barrier", {}, (s) => {
    debugBarrier(s);
    return null;
  }),
  defineBuiltin("expect_zero", { x: REQUIRED, mask: REQUIRED }, (s, a) => {
    const x = unwrap(a.x);
    const mask = toTensor(s, a.mask);
    if (!s.options.debug) return x;
    const value = toTensor(s, x);
    const isZero = equal(s, value, toTensor(s, 0n));
    deviceAssert(s, or(s, isZero, not(s, mask)), "expect_zero expected x == 0 where mask is true");
    return x;
  }),
  hintOf("multiple_of"),
  hintOf("max_contiguous"),
  hintOf("max_constancy"),
  defineBuiltin("assume", { cond: REQUIRED }, (s, a) => {
    assume(s, toTensor(s, a.cond));
    return null;
  }),
  defineBuiltin("device_print", { prefix: REQUIRED, args: STAR, hex: false }, (s, a) => {
    const prefix = stringArgument(a.prefix);
    check(ASCII.test(prefix), `${prefix} is not an ascii string`);
    devicePrint(
      s,
      prefix,
      a.args.map((arg) => toTensor(s, arg)),
      truth(a.hex),
    );
    return null;
  }),
  defineBuiltin(
    "inline_asm_elementwise",
    { asm: REQUIRED, constraints: REQUIRED, args: REQUIRED, dtype: REQUIRED, is_pure: REQUIRED, pack: REQUIRED },
    (s, a) => {
      const dtypes: readonly PyValue[] | undefined = elementsOf(a.dtype);
      const results = inlineAsm(
        s,
        {
          asm: stringArgument(a.asm),
          constraints: stringArgument(a.constraints),
          isPure: truth(a.is_pure),
          pack: integer(a.pack),
        },
        elementsOf(a.args) ?? raise("TypeError", "'args' is not iterable"),
        (dtypes ?? [a.dtype]).map(scalarTypeArgument),
      );
      return dtypes ? tuple(results) : results[0]!;
    },
  ),
  defineBuiltin(
    "extern_elementwise",
    { lib_name: REQUIRED, lib_path: REQUIRED, args: REQUIRED, arg_type_symbol_dict: REQUIRED, is_pure: REQUIRED },
    (s, a) => {
      const library = { name: stringArgument(a.lib_name), path: stringArgument(a.lib_path), isPure: truth(a.is_pure) };
      const args = elementsOf(a.args) ?? raise("TypeError", "'args' is not iterable");
      return externElementwise(s, library, args, externVariants(unwrap(a.arg_type_symbol_dict)));
    },
  ),
];

/** `{(tl.float32, tl.float32): ("symbol", tl.float32)}` */
function externVariants(given: PyValue): readonly ExternVariant[] {
  if (!isKind(given, "dict")) return raise("TypeError", "'arg_type_symbol_dict' is no dict");
  return [...given.entries.values()].map(([types, of]) => {
    const [symbol = null, result = null] = elementsOf(of) ?? [];
    return { args: (elementsOf(types) ?? []).map(scalarTypeArgument), symbol: stringArgument(symbol), result: scalarTypeArgument(result) };
  });
}
