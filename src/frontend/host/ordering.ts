/** `sorted`, `list.sort`, `min` and `max`: items in the order of their keys. */
import { raise } from "../language/errors.js";
import { pyTruth, pyTypeName } from "../language/python-text.js";
import type { PyValue } from "../language/values.js";
import { callHost } from "./call.js";
import type { Host, NativeCall } from "./objects.js";
import { compareOrder, pyIterate, unknownOf } from "./operators.js";

interface Keyed {
  readonly item: PyValue;
  readonly key: PyValue;
}
function keyed(items: readonly PyValue[], named: ReadonlyMap<string, PyValue>, host: Host): readonly Keyed[] {
  const fn = named.get("key") ?? null;
  return items.map((item) => ({ item, key: fn === null ? item : callHost(host, fn, [item], new Map()) }));
}
const unknownKey = (all: readonly Keyed[]): PyValue | undefined => all.map(({ key }) => unknownOf(key)).find((key) => key !== undefined);

function order(a: Keyed, b: Keyed, symbol = "<"): number {
  const text = (value: PyValue) => `'${pyTypeName(value)}'`;
  return (
    compareOrder(a.key, b.key) ?? raise("TypeError", `'${symbol}' not supported between instances of ${text(a.key)} and ${text(b.key)}`)
  );
}

/** The items in order; equal ones as they were. A key that is not known is the result. */
export function sortedItems(
  items: readonly PyValue[],
  named: ReadonlyMap<string, PyValue>,
  host: Host,
): { readonly sorted: PyValue[] } | { readonly unknown: PyValue } {
  const all = keyed(items, named, host);
  const unknown = unknownKey(all);
  if (unknown !== undefined) return { unknown };
  const sign = pyTruth(named.get("reverse") ?? false) ? -1 : 1;
  return { sorted: all.toSorted((a, b) => sign * order(a, b)).map(({ item }) => item) };
}

/** The first of the least or of the greatest items. */
export function extreme(name: "min" | "max"): NativeCall {
  return (args, named, host) => {
    const items = args.length === 1 ? pyIterate(args[0]!) : args;
    const fallback = named.get("default");
    if (items.length === 0) return fallback === undefined ? raise("ValueError", `${name}() arg is an empty sequence`) : fallback;
    const all = keyed(items, named, host);
    const [sign, symbol] = name === "min" ? [1, "<"] : [-1, ">"];
    return unknownKey(all) ?? all.reduce((best, one) => (sign * order(one, best, symbol) < 0 ? one : best)).item;
  };
}
