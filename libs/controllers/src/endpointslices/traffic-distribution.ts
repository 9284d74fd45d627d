import type { EndpointHints, EndpointSlice, Endpoint } from '@apichain/api/discovery/v1';
import { deepEqual } from '@apichain/meta';
import type { SlicePlan } from './slice-plan.ts';

const distributions: ReadonlySet<string> = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);

/**
 * Sets the hints for which zones and nodes an endpoint is, or removes them without a distribution.
 * https://kubernetes.io/docs/reference/networking/virtual-ips/#traffic-distribution
 */
export function withHints(
  plan: SlicePlan,
  unchanged: readonly EndpointSlice[],
  distribution: string | undefined,
): SlicePlan {
  const hintsOf = (endpoint: Endpoint): EndpointHints | undefined =>
    distribution !== undefined && distributions.has(distribution)
      ? hintsFor(endpoint, distribution === 'PreferSameNode')
      : undefined;
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => withHint(endpoint, hintsOf(endpoint))),
  });
  const stale = unchanged.filter(({ endpoints }) =>
    (endpoints ?? []).some((endpoint) => !deepEqual(endpoint.hints, hintsOf(endpoint))),
  );
  return { ...plan, create: plan.create.map(hinted), update: [...plan.update, ...stale].map(hinted) };
}

function withHint({ hints: _, ...endpoint }: Endpoint, hints: EndpointHints | undefined): Endpoint {
  return hints === undefined ? endpoint : { ...endpoint, hints };
}

/** An endpoint that is not ready keeps the hints that it has. */
function hintsFor({ conditions, zone, nodeName, hints }: Endpoint, withNode: boolean): EndpointHints | undefined {
  if (conditions?.ready !== true) return hints;
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  const forNodes = withNode && nodeName !== undefined ? [{ name: nodeName }] : undefined;
  if (forZones === undefined && forNodes === undefined) return undefined;
  return { ...(forZones !== undefined && { forZones }), ...(forNodes !== undefined && { forNodes }) };
}
