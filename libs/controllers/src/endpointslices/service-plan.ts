import type { Node, Pod, Service } from '@apichain/api/core/v1';
import type { EndpointSlice, EndpointHints, Endpoint } from '@apichain/api/discovery/v1';
import { semanticEqual, deepEqual } from '@apichain/meta';
import { headlessLabel } from '../endpoints/endpoints.ts';
import { isHeadless } from '../endpoints/pod-endpoint.ts';
import { triggerTimeAnnotation } from '../endpoints/trigger-time.ts';
import { familiesOf, groupEndpoints, portsKey } from './service-endpoints.ts';
import { planGroup, reuseDeleted, type SlicePlan, type SliceTemplate } from './slice-plan.ts';
import { managedByLabel, newSlice, serviceNameLabel } from './slice.ts';

export const manager = 'endpointslice-controller.k8s.io';

const reserved: ReadonlySet<string> = new Set([serviceNameLabel, managedByLabel, headlessLabel]);
const withoutReserved = (labels: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !reserved.has(key)));

/** What is to be done for each family of a service's addresses, and what is wrong with its pods. */
interface ServicePlan {
  readonly plans: readonly SlicePlan[];
  readonly problems: readonly string[];
}

/** Plans the slices of a service for the pods that it selects. `existing` are the slices that this controller manages. */
export function planService(
  service: Service,
  pods: readonly Pod[],
  existing: readonly EndpointSlice[],
  nodeOf: (name: string) => Node | undefined,
  triggerTime: string | undefined,
): ServicePlan {
  const families = familiesOf(service);
  const problems: string[] = [];
  const plans = families.map((family) => {
    const ofFamily = existing.filter(({ addressType }) => addressType === family);
    const { groups, missingNodes } = groupEndpoints(service, pods, nodeOf, family);
    problems.push(...missingNodes);
    const owned = ofFamily.filter((slice) => isOwned(slice, service));
    const byPorts = Map.groupBy(owned, ({ ports }) => portsKey(ports));
    const labels = sliceLabels(service);
    const template = (ports: EndpointSlice['ports']): SliceTemplate => ({
      labelsOf: ({ metadata }) => ({
        labels,
        changed: !semanticEqual(withoutReserved(metadata.labels), withoutReserved(labels)),
      }),
      newSlice: () => newSlice(service, { addressType: family, ports, labels: { ...labels } }),
    });
    const plan: SlicePlan = { create: [], update: [], delete: ofFamily.filter((slice) => !isOwned(slice, service)) };
    for (const [key, { ports, endpoints }] of groups) {
      const group = planGroup(byPorts.get(key) ?? [], endpoints, template(ports));
      plan.create.push(...group.create);
      plan.update.push(...group.update);
      plan.delete.push(...group.delete);
    }
    for (const [key, slices] of byPorts) if (!groups.has(key)) plan.delete.push(...slices);
    const placed = withPlaceholder(plan, ofFamily, template([]).newSlice());
    const touched = new Set([...placed.update, ...placed.delete].map(({ metadata }) => metadata.name));
    const unchanged = ofFamily.filter(({ metadata }) => !touched.has(metadata.name));
    const hinted = withHints(placed, unchanged, service.spec?.trafficDistribution);
    const reused = reuseDeleted(
      hinted,
      (deleted, created) => deleted.addressType === created.addressType && isOwned(deleted, service),
    );
    const stamp = (slice: EndpointSlice) => withTriggerTime(slice, triggerTime);
    return { create: reused.create.map(stamp), update: reused.update.map(stamp), delete: reused.delete };
  });
  const obsolete = existing.filter(({ addressType }) => !families.some((family) => family === addressType));
  return { plans: [...plans, { create: [], update: [], delete: obsolete }], problems };
}

const isOwned = ({ metadata }: EndpointSlice, service: Service): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid, kind }) => uid === service.metadata.uid && kind === 'Service');

/** The labels of the slices of a service: its own, and those that name it. */
function sliceLabels(service: Service): Record<string, string> {
  return {
    ...withoutReserved(service.metadata.labels),
    ...(isHeadless(service) && { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name ?? '',
    [managedByLabel]: manager,
  };
}

/** A service without endpoints has a slice without endpoints. */
function withPlaceholder(plan: SlicePlan, existing: readonly EndpointSlice[], placeholder: EndpointSlice): SlicePlan {
  if (existing.length !== plan.delete.length || plan.create.length > 0) return plan;
  const [only] = plan.delete;
  if (plan.delete.length === 1 && only !== undefined && isPlaceholder(only, placeholder))
    return { ...plan, delete: [] };
  return { ...plan, create: [placeholder] };
}

const isPlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice): boolean =>
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  semanticEqual(slice.metadata.labels, placeholder.metadata.labels) &&
  slice.metadata.ownerReferences?.[0]?.uid === placeholder.metadata.ownerReferences?.[0]?.uid;

function withTriggerTime(slice: EndpointSlice, triggerTime: string | undefined): EndpointSlice {
  const { [triggerTimeAnnotation]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = { ...others, ...(triggerTime !== undefined && { [triggerTimeAnnotation]: triggerTime }) };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}

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
