import type { Container, LimitRange, PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import { aggregateMessage, isSet, oncePerObject, type Quantity } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { containersOf, initContainersOf, podSpec } from '../pod-fields.ts';
import { podAmounts, specifiedAmounts } from '../pod-resources.ts';
import { readResourceList, type ResourceList } from '../resource-list.ts';

interface Limit {
  readonly type: string;
  readonly min: ResourceList;
  readonly max: ResourceList;
  readonly ratio: ResourceList;
}
/** Quantities as written, by resource name. */
type Amounted = Readonly<Record<string, string>>;

interface ParsedLimitRange {
  readonly limits: readonly Limit[];
  /** For containers, by resource name. */
  readonly defaultRequests: Amounted;
  readonly defaultLimits: Amounted;
}

const sorted = (amounts: ResourceList): ResourceList => new Map([...amounts].toSorted(([a], [b]) => (a < b ? -1 : 1)));

const parse = oncePerObject((limitRange: LimitRange): ParsedLimitRange => {
  const items = limitRange.spec?.limits ?? [];
  const ofContainers = items.filter(({ type }) => type === 'Container');
  const merged = (name: 'defaultRequest' | 'default'): Amounted =>
    Object.fromEntries(ofContainers.flatMap((item) => Object.entries(item[name] ?? {})));
  return {
    limits: items.map((item) => ({
      type: item.type ?? '',
      min: sorted(readResourceList(item.min)),
      max: sorted(readResourceList(item.max)),
      ratio: sorted(readResourceList(item.maxLimitRequestRatio)),
    })),
    defaultRequests: merged('defaultRequest'),
    defaultLimits: merged('default'),
  };
});

const annotation = 'kubernetes.io/limit-ranger';

/** Among the updates of a pod, only a resize can change the resources of its containers. */
function isLimited({ kind, subresource, operation }: AdmissionAttributes): boolean {
  if (kind.group !== '') return false;
  if (kind.kind === 'Pod') return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
  return kind.kind === 'PersistentVolumeClaim' && subresource === '';
}

/**
 * Sets default requests and limits of containers, and enforces minimum and maximum amounts for containers, pods and claims of a namespace.
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */
export class LimitRanger implements AdmissionPlugin {
  readonly name = 'LimitRanger';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { object } = attributes;
    if (!isLimited(attributes) || attributes.kind.kind !== 'Pod' || object === undefined) return;
    for (const range of await this.#ranges(attributes)) setDefaults(object, range);
    completePodLevel(attributes, object);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { object } = attributes;
    if (!isLimited(attributes) || object === undefined) return;
    for (const range of await this.#ranges(attributes)) {
      const problems = attributes.kind.kind === 'Pod' ? podProblems(object, range) : claimProblems(object, range);
      if (problems.length > 0) throw forbidden(attributes, aggregateMessage(problems));
    }
  }

  async #ranges({ namespace }: AdmissionAttributes): Promise<ParsedLimitRange[]> {
    return (await this.#lookup.list(lookedUp.limitRanges, namespace)).map(parse);
  }
}

function setDefaults(pod: Pod, { defaultLimits, defaultRequests }: ParsedLimitRange): void {
  const notes: string[] = [];
  const setIn = (container: Container, half: 'limits' | 'requests', defaults: Amounted): string[] => {
    const present = container.resources?.[half] ?? {};
    const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(present, name));
    if (missing.length === 0) return missing;
    const amounts = ((container.resources ??= {})[half] ??= {});
    for (const name of missing) amounts[name] = defaults[name] ?? '';
    return missing.toSorted();
  };
  const complete = (container: Container, what: string): void => {
    const limits = setIn(container, 'limits', defaultLimits);
    const requests = setIn(container, 'requests', defaultRequests);
    const name = container.name ?? '';
    if (requests.length > 0) notes.push(`${requests.join(', ')} request for ${what} ${name}`);
    if (limits.length > 0) notes.push(`${limits.join(', ')} limit for ${what} ${name}`);
  };
  const spec = podSpec(pod);
  for (const container of containersOf(spec)) complete(container, 'container');
  for (const container of initContainersOf(spec)) complete(container, 'init container');
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...(pod.metadata.annotations ?? {}),
    [annotation]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

/** The default resources of the pod as a whole depend on its containers, which may just have been given defaults. */
function completePodLevel({ interfaces, kind }: AdmissionAttributes, pod: Pod): void {
  if (interfaces === undefined || !isSet(podSpec(pod).resources)) return;
  podSpec(pod).resources = podSpec(interfaces.decode(pod, kind)).resources;
}

type Amounts = Pick<Constraint, 'requests' | 'limits'>;

function violations({ type, min, max, ratio }: Limit, amounts: Amounts): string[] {
  const checked = (enforced: ResourceList, check: (constraint: Constraint) => string | undefined) =>
    [...enforced].map(([resource, amount]) => check({ type, resource, enforced: amount, ...amounts }));
  return [...checked(min, minimum), ...checked(max, maximum), ...checked(ratio, maximumRatio)].filter(
    (problem) => problem !== undefined,
  );
}

function podProblems(pod: Pod, { limits }: ParsedLimitRange): string[] {
  const spec = podSpec(pod);
  const ofContainer = (container: Container): Amounts => ({
    requests: specifiedAmounts(container, 'requests'),
    limits: specifiedAmounts(container, 'limits'),
  });
  return limits.flatMap((limit) => {
    if (limit.type === 'Container') {
      return [...containersOf(spec), ...initContainersOf(spec)].flatMap((c) => violations(limit, ofContainer(c)));
    }
    if (limit.type !== 'Pod') return [];
    return violations(limit, { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') });
  });
}

function claimProblems(claim: PersistentVolumeClaim, { limits }: ParsedLimitRange): string[] {
  const requests = readResourceList(claim.spec?.resources?.requests);
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap(({ type, min, max }) => {
      const amounts = { type, requests, limits: new Map() };
      return [
        ...[...min].map(([resource, enforced]) => minimum({ ...amounts, resource, enforced })),
        ...[...max].map(([resource, enforced]) => maximumRequest({ ...amounts, resource, enforced })),
      ].filter((problem) => problem !== undefined);
    });
}

/** A bound of a LimitRange and the amounts that are checked against it. Each check returns the refusal, or undefined. */
interface Constraint {
  /** Container, Pod or PersistentVolumeClaim. */
  readonly type: string;
  readonly resource: string;
  readonly enforced: Quantity;
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function minimum({ type, resource, enforced, requests, limits }: Constraint): string | undefined {
  const request = requests.get(resource);
  const limit = limits.get(resource);
  const rule = `minimum ${resource} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (request.compare(enforced) < 0) return `${rule}, but request is ${request.toString()}`;
  if (limit !== undefined && limit.compare(enforced) < 0) return `${rule}, but limit is ${limit.toString()}`;
  return undefined;
}

function maximum({ type, resource, enforced, requests, limits }: Constraint): string | undefined {
  const request = requests.get(resource);
  const limit = limits.get(resource);
  const rule = `maximum ${resource} usage per ${type} is ${enforced.toString()}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limit.compare(enforced) > 0) return `${rule}, but limit is ${limit.toString()}`;
  if (request !== undefined && request.compare(enforced) > 0) return `${rule}, but request is ${request.toString()}`;
  return undefined;
}

/** For objects that have only requests. */
function maximumRequest({ type, resource, enforced, requests }: Constraint): string | undefined {
  const request = requests.get(resource);
  const rule = `maximum ${resource} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return request.compare(enforced) > 0 ? `${rule}, but request is ${request.toString()}` : undefined;
}

function maximumRatio({ type, resource, enforced, requests, limits }: Constraint): string | undefined {
  const request = requests.get(resource);
  const limit = limits.get(resource);
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced.toString()}`;
  if (request === undefined || request.isZero) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero) return `${rule}, but no limit is specified or limit is 0`;
  // limit / request > enforced, computed with integers.
  const nano = -9;
  const allowed = request.scaledValue(nano) * enforced.scaledValue(nano);
  if (limit.scaledValue(nano) * 10n ** 9n <= allowed) return undefined;
  const ratio = Number(limit.scaledValue(nano)) / Number(request.scaledValue(nano));
  return `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
}
