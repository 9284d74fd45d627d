import type { NodeInfo } from './node-info.ts';

/** The zone of a node, with its region; empty if it has neither. */
export function zoneOf({ labels }: NodeInfo): string {
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  return zone === '' && region === '' ? '' : `${region}:\0:${zone}`;
}

/** Nodes in an order that goes round-robin through the zones, so that a search that ends early has seen all of them. */
export function inZoneOrder(nodes: Iterable<NodeInfo>): readonly NodeInfo[] {
  const zones = [...Map.groupBy(nodes, zoneOf).values()];
  const longest = Math.max(0, ...zones.map(({ length }) => length));
  const ordered: NodeInfo[] = [];
  for (let index = 0; index < longest; index++)
    for (const zone of zones) {
      const node = zone[index];
      if (node !== undefined) ordered.push(node);
    }
  return ordered;
}
