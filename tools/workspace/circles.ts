import type { ImportGraph } from './import-graph.ts';

/**
 * The groups of files that import each other, directly or indirectly (strongly connected components, after Tarjan). Type imports count: they
 * cause no cycle at run time, but a reader has to read all files of a cycle to understand one of them.
 */
export function circlesOf(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const earliest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const position = order.size;
    order.set(file, position);
    path.push(file);
    let reached = position;
    for (const { target: imported } of graph.get(file) ?? []) {
      if (imported === undefined || !graph.has(imported)) continue;
      if (!order.has(imported)) reached = Math.min(reached, visit(imported));
      else if (path.includes(imported)) reached = Math.min(reached, earliest.get(imported) ?? order.get(imported) ?? 0);
    }
    earliest.set(file, reached);
    if (reached === position) {
      const group = path.splice(path.indexOf(file));
      if (group.length > 1 || graph.get(file)?.some(({ target }) => target === file) === true)
        circles.push(group.sort());
    }
    return reached;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}
