/** Methods of Python's lists, tuples and dicts. Source: The Python Standard Library, "Sequence Types" and "Mapping Types". */
import { raise } from "../language/errors.js";
import { dictKey, pyEquals, pyRepr } from "../language/python-text.js";
import { isKind, type PyDict, type PyList, type PyTuple, type PyValue, pythonTuple } from "../language/values.js";
import type { Host, NativeCall } from "./objects.js";
import { integer, pyIterate, sliceIndices, unknownOf, withinMemory } from "./operators.js";
import { sortedItems } from "./ordering.js";

/** A method: what is known of its object, then its arguments. */
type Method<T> = (self: T, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>, host: Host) => PyValue;
const bind =
  <T>(methods: ReadonlyMap<string, Method<T>>) =>
  (self: T, name: string): NativeCall | undefined => {
    const method = methods.get(name);
    return method && ((args, named, host) => method(self, args, named, host));
  };

const count: Method<PyList | PyTuple> = ({ values }, [item = null]) => BigInt(values.filter((v) => pyEquals(v, item)).length);
const index: Method<PyList | PyTuple> = (self, [item = null, start = null, stop = null]) => {
  const places = sliceIndices({ kind: "slice", start, stop, step: null }, self.values.length);
  const at = places.find((i) => pyEquals(self.values[i]!, item));
  if (at !== undefined) return BigInt(at);
  return raise("ValueError", self.kind === "tuple" ? "tuple.index(x): x not in tuple" : `${pyRepr(item)} is not in list`);
};

/** Gives a list other items; there may be more than a call takes arguments. */
function replaced(values: PyValue[], items: readonly PyValue[]): null {
  withinMemory(items.length);
  values.length = 0;
  for (const item of items) values.push(item);
  return null;
}
/** A place in a list, counted from its end where it is negative. */
const place = (at: PyValue, length: number): number => {
  const index = Number(integer(at));
  return index < 0 ? index + length : index;
};

/** The method of a tuple; undefined for a name that is none. */
export const tupleMethod = bind<PyTuple>(
  new Map<string, Method<PyTuple>>([
    ["count", count],
    ["index", index],
  ]),
);

/** The method of a list; undefined for a name that is none. */
export const listMethod = bind<PyList>(
  new Map<string, Method<PyList>>([
    ["count", count],
    ["index", index],
    ["append", ({ values }, [item = null]) => (values.push(item), null)],
    ["extend", ({ values }, [items = null]) => replaced(values, [...values, ...pyIterate(items)])],
    ["insert", ({ values }, [at = 0n, item = null]) => (values.splice(Math.max(place(at, values.length), 0), 0, item), null)],
    ["copy", ({ values }) => ({ kind: "list", values: [...values] })],
    ["clear", ({ values }) => (values.splice(0), null)],
    ["reverse", ({ values }) => (values.reverse(), null)],
    [
      "sort",
      ({ values }, _, named, host) => {
        const result = sortedItems(values, named, host);
        if ("unknown" in result) return raise("ValueError", "the order of the list's items is not known");
        return replaced(values, result.sorted);
      },
    ],
    [
      "pop",
      ({ values }, [at = -1n]) => {
        if (values.length === 0) raise("IndexError", "pop from empty list");
        const from = place(at, values.length);
        return from in values ? values.splice(from, 1)[0]! : raise("IndexError", "pop index out of range");
      },
    ],
    [
      "remove",
      ({ values }, [item = null]) => {
        const at = values.findIndex((v) => pyEquals(v, item));
        if (at < 0) raise("ValueError", "list.remove(x): x not in list");
        values.splice(at, 1);
        return null;
      },
    ],
  ]),
);

function update({ entries }: PyDict, other: PyValue | undefined, named: ReadonlyMap<string, PyValue>): null {
  const pairs = isKind(other, "dict") ? other.entries.values() : other === undefined ? [] : pyIterate(other).map((pair) => pyIterate(pair));
  for (const [key = null, value = null] of [...pairs, ...named]) entries.set(dictKey(key), [key, value]);
  return null;
}

/** The method of a dict; undefined for a name that is none. */
export const dictMethod = bind<PyDict>(
  new Map<string, Method<PyDict>>([
    ["get", ({ entries }, [key = null, fallback = null]) => unknownOf(key) ?? (entries.get(dictKey(key)) ?? [key, fallback])[1]],
    ["keys", ({ entries }) => ({ kind: "list", values: [...entries.values()].map(([key]) => key) })],
    ["values", ({ entries }) => ({ kind: "list", values: [...entries.values()].map(([, value]) => value) })],
    ["items", ({ entries }) => ({ kind: "list", values: [...entries.values()].map((entry) => pythonTuple(entry)) })],
    ["copy", ({ entries }) => ({ kind: "dict", entries: new Map(entries) })],
    ["clear", ({ entries }) => (entries.clear(), null)],
    ["update", (self, [other], named) => update(self, other, named)],
    [
      "setdefault",
      ({ entries }, [key = null, fallback = null]) => {
        const found = entries.get(dictKey(key));
        if (!found) entries.set(dictKey(key), [key, fallback]);
        return found ? found[1] : fallback;
      },
    ],
    [
      "pop",
      ({ entries }, [key = null, fallback]) => {
        const found = entries.get(dictKey(key));
        entries.delete(dictKey(key));
        return found ? found[1] : fallback !== undefined ? fallback : raise("KeyError", pyRepr(key));
      },
    ],
  ]),
);
