import type { ResourceList, ResourceRequirements } from '@apichain/api/core/v1';
import type { Quantity as QuantityText } from '@apichain/api/scalars';
import { field, isQualifiedName, isSet, parseQuantity, type Quantity } from '@apichain/meta';
import { quantity } from '@apichain/kinds';
import { checkEach, invalidEach, nonNegativeDetail, type Out, sortedEntries } from './rules.ts';

const hugePages = 'hugepages-';
const requestsHugePages = 'requests.hugepages-';
const objectCounts = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const quotaNames = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...objectCounts,
]);
const standardNames = new Set([...quotaNames, 'storage']);
const containerNames = new Set(['cpu', 'memory', 'ephemeral-storage']);
const integerNames = new Set(objectCounts);

const zero = parseQuantity('0');

/** The quantity in a decoded member; zero when it is absent. */
export const quantityOf = (value: QuantityText | null | undefined): Quantity => quantity(value ?? '') ?? zero;

export const isHugePages = (name: string): boolean => name.startsWith(hugePages);
/** Whether the resource is native to Kubernetes. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
/** Whether the resource is an extended resource: `domain/name`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0;
const isStandard = (name: string): boolean =>
  standardNames.has(name) || isHugePages(name) || name.startsWith(requestsHugePages);
const isIntegerResource = (name: string): boolean => integerNames.has(name) || isExtendedResource(name);
/** Whether requests may be lower than limits. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name);

/** Checks the name of any resource. */
export function resourceName(out: Out, path: string, name: string): void {
  const messages = isQualifiedName(name);
  invalidEach(out, path, name, messages);
  if (messages.length === 0 && !name.includes('/') && !isStandard(name)) {
    out.push(field.invalid(path, name, 'must be a standard resource type or fully qualified'));
  }
}

/** Checks the name of a resource that a container may request. */
export function containerResourceName(out: Out, path: string, name: string): void {
  resourceName(out, path, name);
  if (!name.includes('/')) {
    if (!containerNames.has(name) && !isHugePages(name)) {
      out.push(field.invalid(path, name, 'must be a standard resource for containers'));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    out.push(field.invalid(path, name, "doesn't follow extended resource name standard"));
  }
}

/** Checks the name of a resource that a quota may limit. */
export function quotaResourceName(out: Out, path: string, name: string): void {
  resourceName(out, path, name);
  if (!name.includes('/') && !quotaNames.has(name) && !isHugePages(name) && !name.startsWith(requestsHugePages)) {
    out.push(field.invalid(path, name, 'must be a standard resource for quota'));
  }
}

const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

/** Checks the name of a resource that a pod as a whole may request. */
export function podResourceName(out: Out, path: string, name: string): void {
  const before = out.length;
  resourceName(out, path, name);
  if (out.length === before && !isPodLevel(name)) {
    out.push(field.notSupported(path, name, ['cpu', hugePages, 'memory']));
  }
}

/** Checks that an amount is not negative, and an integer where the resource is not divisible. */
export function resourceQuantity(out: Out, path: string, name: string, value: QuantityText | undefined): void {
  const amount = quantityOf(value);
  if (amount.sign < 0) out.push(field.invalid(path, amount.toString(), nonNegativeDetail));
  if (isIntegerResource(name) && amount.milliValue() % 1000n !== 0n) {
    out.push(field.invalid(path, amount.toString(), 'must be an integer'));
  }
}

function hugePagesDivisible(out: Out, path: string, name: string, value: QuantityText): void {
  const page = quantity(name.slice(hugePages.length));
  const amount = quantityOf(value);
  const whole = page !== undefined && page.sign > 0 && page.milliValue() % 1000n === 0n;
  if (whole && amount.value() % page.value() === 0n) return;
  out.push(field.invalid(path, amount.toString(), `${amount.toString()} is not positive integer multiple of ${name}`));
}

type NameRule = (out: Out, path: string, name: string) => void;

function listErrors(out: Out, path: string, resources: ResourceList | undefined, nameRule: NameRule): void {
  checkEach(out, sortedEntries(resources), (out, [name, value]) => {
    const at = `${path}[${name}]`;
    nameRule(out, at, name);
    resourceQuantity(out, at, name, value);
    if (isHugePages(name)) hugePagesDivisible(out, at, name, value);
  });
}

/** Checks a request against the limit of the same name. */
function requestErrors(
  out: Out,
  path: string,
  name: string,
  request: QuantityText,
  limit: QuantityText | undefined,
): void {
  const overcommit = isOvercommitAllowed(name);
  if (!isSet(limit)) {
    if (!overcommit) out.push(field.required(`${path}.limits`, 'Limit must be set for non overcommitable resources'));
    return;
  }
  const asked = quantityOf(request);
  const most = quantityOf(limit);
  const order = asked.compare(most);
  if (order === 0 || (overcommit && order < 0)) return;
  const relation = overcommit ? 'less than or equal to' : 'equal to';
  out.push(
    field.invalid(`${path}.requests`, asked.toString(), `must be ${relation} ${name} limit of ${most.toString()}`),
  );
}

/**
 * Checks limits and requests of a container, a pod or a pod's overhead. The rules for requests run after the names and amounts of each list,
 * because the API server checks limits first.
 */
export function resourceListErrors(
  out: Out,
  path: string,
  resources: Pick<ResourceRequirements, 'limits' | 'requests'> | undefined,
  nameRule: NameRule,
): void {
  const { limits, requests } = resources ?? {};
  if (!isSet(limits) && !isSet(requests)) return;
  listErrors(out, `${path}.limits`, limits, nameRule);
  const limitMap = limits ?? {};
  const requestMap = requests ?? {};
  checkEach(out, sortedEntries(requestMap), (out, [name, value]) => {
    const at = `${path}.requests[${name}]`;
    nameRule(out, at, name);
    resourceQuantity(out, at, name, value);
    requestErrors(out, path, name, value, limitMap[name]);
    if (isHugePages(name)) hugePagesDivisible(out, at, name, value);
  });
  const names = [...Object.keys(limitMap), ...Object.keys(requestMap)];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    out.push(field.forbidden(path, 'HugePages require cpu or memory'));
  }
}
