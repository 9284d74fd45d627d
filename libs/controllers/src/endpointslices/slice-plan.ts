import type { Endpoint, EndpointSlice } from '@apichain/api/discovery/v1';
import { type EndpointSet, isSameEndpoint } from './endpoint-set.ts';

/** The most endpoints of one slice, as in kube-controller-manager. */
const slicesCapacity = 100;

/** What is to be done with the slices of a service. */
export interface SlicePlan {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly delete: EndpointSlice[];
}

/** The labels of slices, and a new slice for the group. */
export interface SliceTemplate {
  readonly labelsOf: (slice: EndpointSlice) => { readonly labels: Record<string, string>; readonly changed: boolean };
  readonly newSlice: () => EndpointSlice;
}

interface Placed {
  readonly slice: EndpointSlice;
  readonly changed: boolean;
}

/**
 * Places the endpoints of a group with as few changes of slices as possible: endpoints stay where they are; new ones fill slices that change anyway,
 * then one slice with enough room for all of them, then new slices.
 */
export function planGroup(
  existing: readonly EndpointSlice[],
  wanted: EndpointSet,
  template: SliceTemplate,
  capacity = slicesCapacity,
): SlicePlan {
  const plan: SlicePlan = { create: [], update: [], delete: [] };
  let unchanged: EndpointSlice[] = [];
  for (const slice of existing) {
    const placed = keepWanted(slice, wanted, template);
    if (placed === undefined) plan.delete.push(slice);
    else (placed.changed ? plan.update : unchanged).push(placed.slice);
  }
  for (const slice of plan.update.toSorted((a, b) => sizeOf(b) - sizeOf(a))) fill(slice, wanted, capacity);
  while (wanted.size > 0) {
    const chosen = wanted.size < capacity ? sliceWithRoom(unchanged, wanted.size, capacity) : undefined;
    const slice = chosen === undefined ? template.newSlice() : { ...chosen };
    unchanged = unchanged.filter((other) => other !== chosen);
    fill(slice, wanted, capacity);
    (chosen === undefined ? plan.create : plan.update).push(slice);
  }
  return plan;
}

/** A slice with what is wanted of it, and the state in which it is wanted. Undefined if nothing is. */
function keepWanted(slice: EndpointSlice, wanted: EndpointSet, template: SliceTemplate): Placed | undefined {
  const endpoints: Endpoint[] = [];
  const before = slice.endpoints ?? [];
  let changed = false;
  for (const endpoint of before) {
    const next = wanted.take(endpoint);
    if (next === undefined) continue;
    endpoints.push(next);
    changed ||= !isSameEndpoint(next, endpoint);
  }
  changed ||= endpoints.length !== before.length;
  if (changed && endpoints.length === 0) return undefined;
  const { labels, changed: labelsChanged } = template.labelsOf(slice);
  if (!changed && !labelsChanged) return { slice, changed: false };
  const metadata = { ...slice.metadata, labels };
  return { slice: { ...slice, metadata, endpoints: changed ? endpoints : before }, changed: true };
}

const sizeOf = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0;

function fill(slice: EndpointSlice, wanted: EndpointSet, capacity: number): void {
  slice.endpoints = [...(slice.endpoints ?? []), ...wanted.takeFirst(capacity - sizeOf(slice))];
}

/** The slice that would have the least room left with `count` more endpoints. */
function sliceWithRoom(slices: readonly EndpointSlice[], count: number, capacity: number): EndpointSlice | undefined {
  const fitting = slices.filter((slice) => sizeOf(slice) + count <= capacity);
  return fitting.sort((a, b) => sizeOf(b) - sizeOf(a))[0];
}

/** Uses slices that would be deleted for those that would be created, where `fits` says that they are of the same kind. */
export function reuseDeleted(
  plan: SlicePlan,
  fits: (deleted: EndpointSlice, created: EndpointSlice) => boolean,
): SlicePlan {
  const create = [...plan.create];
  const update = [...plan.update];
  const left = plan.delete.filter((deleted) => {
    const created = create.at(-1);
    if (created === undefined || !fits(deleted, created)) return true;
    create.pop();
    const { resourceVersion: _, ...metadata } = { ...deleted.metadata, ...created.metadata };
    update.push({ ...created, metadata });
    return false;
  });
  return { create, update, delete: left };
}
