/** The function, remembering its last few results; arguments are compared by identity. */
export function memo<A extends readonly unknown[], R>(compute: (...args: A) => R, keep = 4): (...args: A) => R {
  const known: { readonly args: A; readonly value: R }[] = [];
  return (...args) => {
    const at = known.findIndex((k) => k.args.length === args.length && k.args.every((a, i) => Object.is(a, args[i])));
    const found = at < 0 ? { args, value: compute(...args) } : known.splice(at, 1)[0]!;
    known.unshift(found);
    if (known.length > keep) known.pop();
    return found.value;
  };
}
