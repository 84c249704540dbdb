/** Which steps of two compilations belong together. */

/** The longest common sequence of two lists: pairs of items that are the same, in order. */
export function paired<T>(here: readonly T[], there: readonly T[], same: (a: T, b: T) => boolean): (readonly [T, T])[] {
  const width = there.length + 1;
  const best = new Int32Array((here.length + 1) * width);
  for (let i = here.length - 1; i >= 0; i--)
    for (let j = there.length - 1; j >= 0; j--)
      best[i * width + j] = same(here[i]!, there[j]!)
        ? best[(i + 1) * width + j + 1]! + 1
        : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
  const pairs: (readonly [T, T])[] = [];
  for (let i = 0, j = 0; i < here.length && j < there.length; ) {
    if (same(here[i]!, there[j]!)) pairs.push([here[i++]!, there[j++]!]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}
