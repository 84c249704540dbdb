/** Ink asks the same of every line in every frame: results are kept while frames use them. */

/** The function of a text, keeping results of the texts that were asked for last. */
export function remembered<T>(compute: (text: string) => T): (text: string) => T {
  let [now, before] = [new Map<string, T>(), new Map<string, T>()];
  return (text) => {
    let value = now.get(text);
    if (value !== undefined) return value;
    value = before.get(text) ?? compute(text);
    if (now.size >= MAX_KEPT) [now, before] = [new Map(), now];
    now.set(text, value);
    return value;
  };
}
/** More lines than several screens have. */
const MAX_KEPT = 2000;
