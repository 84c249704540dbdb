/**
 * The shortest list that holds both lists in their orders, `x` first where that leaves a choice:
 * [a, b] and [a, c] give [a, b, c]; [a, b] and [b, c] give [a, b, c].
 * Lists that contradict each other, [a, b] and [b, a], have none; upstream then goes on with the one whose next name comes
 * sooner in the other list, `x` on a tie, and so does this. Source: LayoutUtils.cpp.
 */
export function supremum(x: readonly string[], y: readonly string[]): readonly string[] {
  if (y.length === 0) return x;
  if (x.length === 0) return y;
  if (x.length === y.length && x.every((name, i) => name === y[i])) return x;

  const result: string[] = [];
  let i = 0;
  let j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && result.includes(x[i]!)) i++;
    else if (j < y.length && result.includes(y[j]!)) j++;
    else if (comesFirst(x, i, y, j)) result.push(x[i++]!);
    else result.push(y[j++]!);
  }
  return result;
}

function comesFirst(x: readonly string[], i: number, y: readonly string[], j: number): boolean {
  if (i >= x.length) return false;
  const inY = y.indexOf(x[i]!, j);
  if (inY < 0 || j >= y.length) return true;
  const inX = x.indexOf(y[j]!, i);
  return inX >= 0 && inY <= inX;
}
