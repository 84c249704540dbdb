/**
 * The strongly connected components of the graph reachable from `root`, each after those it leads to. Within one, the
 * node found last comes first. Source: llvm/include/llvm/ADT/SCCIterator.h (Tarjan's algorithm, without recursion).
 */
export function stronglyConnectedComponents<N>(root: N, successors: (node: N) => readonly N[]): N[][] {
  const components: N[][] = [];
  const number = new Map<N, number>();
  const path: N[] = [];
  const onPath = new Set<N>();
  const frames: { readonly node: N; readonly next: readonly N[]; at: number; low: number }[] = [];
  const enter = (node: N): void => {
    number.set(node, number.size);
    path.push(node);
    onPath.add(node);
    frames.push({ node, next: successors(node), at: 0, low: number.get(node)! });
  };
  enter(root);
  for (let frame = frames[frames.length - 1]; frame; frame = frames[frames.length - 1]) {
    if (frame.at < frame.next.length) {
      const successor = frame.next[frame.at++]!;
      if (!number.has(successor)) enter(successor);
      else if (onPath.has(successor)) frame.low = Math.min(frame.low, number.get(successor)!);
      continue;
    }
    frames.pop();
    const parent = frames[frames.length - 1];
    if (parent) parent.low = Math.min(parent.low, frame.low);
    if (frame.low !== number.get(frame.node)) continue;
    const component: N[] = [];
    for (;;) {
      const node = path.pop()!;
      onPath.delete(node);
      component.push(node);
      if (node === frame.node) break;
    }
    components.push(component);
  }
  return components;
}
