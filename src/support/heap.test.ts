import { expect, test } from "vitest";
import { Heap } from "./heap.js";

test("items come in order, those that are pushed between too", () => {
  const heap = new Heap<number>((a, b) => a < b);
  expect(heap.pop()).toBeUndefined();
  for (const n of [5, 3, 8, 1, 9, 2]) heap.push(n);
  expect([heap.pop(), heap.pop()]).toEqual([1, 2]);
  for (const n of [4, 0, 7]) heap.push(n);
  const rest: number[] = [];
  for (let n = heap.pop(); n !== undefined; n = heap.pop()) rest.push(n);
  expect(rest).toEqual([0, 3, 4, 5, 7, 8, 9]);
});
