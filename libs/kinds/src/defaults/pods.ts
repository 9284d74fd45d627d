import type { Container, Pod, PodSpec, ResourceList, Volume } from '@apichain/api/core/v1';
import { newQuantity, parseQuantity, Quantity, isSet } from '@apichain/meta';
import type { ComputedRules } from './rules.ts';

type Amounts = Map<string, Quantity>;

const amounts = (resourceList: ResourceList | undefined): Amounts =>
  new Map(Object.entries(resourceList ?? {}).map(([name, value]) => [name, parseQuantity(value)]));

function addAll(total: Amounts, more: Amounts): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? newQuantity(0)).add(amount));
}
function raiseAll(total: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const present = total.get(name);
    if (present === undefined || present.compare(amount) < 0) total.set(name, amount);
  }
}

const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/**
 * The total requests or limits of a pod's containers: the sum over main containers and sidecars, or more where an init container
 * and the sidecars started before it need more. Source: k8s.io/component-helpers/resource AggregateContainerRequests.
 */
export function aggregate(spec: PodSpec, member: 'requests' | 'limits'): Amounts {
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) addAll(total, amounts(container.resources?.[member]));
  const sidecars: Amounts = new Map();
  const initPeak: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amounts(container.resources?.[member]);
    if (isSidecar(container)) {
      addAll(total, own);
      addAll(sidecars, own);
      raiseAll(initPeak, sidecars);
    } else {
      addAll(own, sidecars);
      raiseAll(initPeak, own);
    }
  }
  raiseAll(total, initPeak);
  return total;
}

function copyMissing(target: ResourceList, source: Iterable<readonly [string, string]>): void {
  for (const [name, value] of source) if (!isSet(target[name])) target[name] = value;
}

function containerRequests(pod: Pod): void {
  const spec = pod.spec ?? {};
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const resources = container.resources ?? {};
    if (!isSet(resources.limits)) continue;
    const requests = { ...(resources.requests ?? {}) };
    copyMissing(requests, Object.entries(resources.limits));
    resources.requests = requests;
  }
}

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isEmpty = (map: ResourceList | undefined): boolean => Object.keys(map ?? {}).length === 0;

function podLimits(pod: Pod): void {
  const spec = pod.spec ?? {};
  const resources = spec.resources ?? {};
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return;
  const limits = { ...(resources.limits ?? {}) };
  for (const [name, amount] of aggregate(spec, 'limits')) {
    if (!isHugePages(name) || isSet(resources.requests?.[name]) || isSet(limits[name])) continue;
    limits[name] = amount.toString();
  }
  if (!isEmpty(limits)) resources.limits = limits;
}

function podRequests(pod: Pod): void {
  const spec = pod.spec ?? {};
  const resources = spec.resources ?? {};
  if (isEmpty(resources.limits)) return;
  const requests = { ...(resources.requests ?? {}) };
  for (const [name, amount] of aggregate(spec, 'requests')) {
    if ((name === 'cpu' || name === 'memory') && !isSet(requests[name])) requests[name] = amount.toString();
  }
  const supported = Object.entries(resources.limits ?? {}).filter(
    ([name]) => name === 'cpu' || name === 'memory' || isHugePages(name),
  );
  copyMissing(requests, supported);
  if (!isEmpty(requests)) resources.requests = requests;
}

function hostPorts(pod: Pod): void {
  const spec = pod.spec ?? {};
  if (spec.hostNetwork !== true) return;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of container.ports ?? []) {
      if (!isSet(port.hostPort) || port.hostPort === 0) port.hostPort = port.containerPort;
    }
  }
}

function imagePullPolicy(container: Container): void {
  if ((container.imagePullPolicy ?? '') === '') container.imagePullPolicy = defaultPullPolicy(container.image ?? '');
}

/** A volume without a source is an emptyDir. */
function volumeSource(volume: Volume): void {
  const hasSource = Object.entries(volume).some(([name, source]) => name !== 'name' && isSet(source));
  if (!hasSource) volume.emptyDir = {};
  const { image } = volume;
  if (isSet(image) && (image.pullPolicy ?? '') === '') image.pullPolicy = defaultPullPolicy(image.reference ?? '');
}

/** Rounds amounts up to thousandths; amounts that need no rounding keep their text. */
function roundResourceList(resourceList: ResourceList): void {
  const milli = -3;
  for (const name of Object.keys(resourceList)) {
    const value = resourceList[name];
    if (value === undefined) continue;
    const amount = parseQuantity(value);
    if (amount.exponent >= milli) continue;
    resourceList[name] = new Quantity(amount.scaledValue(milli), milli, amount.format).toString();
  }
}

export const podRules: ComputedRules = {
  'core.v1.Pod': [
    { compute: containerRequests, order: 1 },
    { compute: podLimits, order: 2 },
    { compute: podRequests, order: 3 },
    { compute: hostPorts, order: 5 },
  ],
  'core.v1.Volume': [{ compute: volumeSource }],
  'core.v1.Container': [{ compute: imagePullPolicy }],
  'core.v1.EphemeralContainer': [{ compute: imagePullPolicy }],
  'core.v1.ResourceList': [{ compute: roundResourceList }],
};

const alphanumeric = '[a-z0-9]+';
const pathComponent = `${alphanumeric}(?:(?:[._]|__|-+)${alphanumeric})*`;
const domainComponent = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainComponent}(?:\\.${domainComponent})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}';
const reference = new RegExp(
  `^((?:${domain}/)?${pathComponent}(?:/${pathComponent})*)(?::([\\w][\\w.-]{0,127}))?(@${digest})?$`,
);
const identifier = /^[a-f0-9]{64}$/;
const maxNameLength = 255;

/** A first component without a dot, a colon or a capital letter is part of the path; the registry is Docker Hub then. */
function withRegistry(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  if (isDomain) return image;
  return `docker.io/${slash < 0 ? `library/${image}` : image}`;
}

/**
 * The tag of an image reference: `latest` when it has neither tag nor digest, '' when it has only a digest; undefined for a
 * text that is not a reference. Grammar: https://pkg.go.dev/github.com/distribution/reference
 */
export function imageTag(image: string): string | undefined {
  if (identifier.test(image)) return undefined;
  const match = reference.exec(withRegistry(image));
  if (match === null || (match[1]?.length ?? 0) > maxNameLength) return undefined;
  return match[2] ?? (match[3] === undefined ? 'latest' : '');
}

/** The default pull policy of a container. */
const defaultPullPolicy = (image: string): 'Always' | 'IfNotPresent' =>
  imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
