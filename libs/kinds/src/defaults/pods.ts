import { newQuantity, parseQuantity, Quantity } from '@apichain/meta';
import type { ComputedRule } from '@apichain/scheme';
import { at, isRecord, isSet, record, records, text, textMap, type Plain } from '../fields.ts';
import { defaultPullPolicy } from './image-reference.ts';

type Amounts = Map<string, Quantity>;

const amounts = (resourceList: unknown): Amounts =>
  new Map(Object.entries(textMap(resourceList)).map(([name, value]) => [name, parseQuantity(value)]));

function addAll(total: Amounts, more: Amounts): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? newQuantity(0)).add(amount));
}
function raiseAll(total: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const present = total.get(name);
    if (present === undefined || present.compare(amount) < 0) total.set(name, amount);
  }
}

const isSidecar = (container: Plain): boolean => container.restartPolicy === 'Always';

/**
 * What the containers of a pod need together: the sum of the main ones and the sidecars, or more while an init container runs
 * beside the sidecars started before it. Source: k8s.io/component-helpers/resource AggregateContainerRequests.
 */
export function aggregate(spec: Plain, member: 'requests' | 'limits'): Amounts {
  const total: Amounts = new Map();
  for (const container of records(spec.containers)) addAll(total, amounts(at(container.resources, member)));
  const sidecars: Amounts = new Map();
  const initPeak: Amounts = new Map();
  for (const container of records(spec.initContainers)) {
    const own = amounts(at(container.resources, member));
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

function copyMissing(target: Plain, source: Iterable<readonly [string, unknown]>): void {
  for (const [name, value] of source) if (!isSet(target[name])) target[name] = value;
}

function containerRequests(pod: Plain): void {
  const spec = record(pod.spec);
  for (const container of [...records(spec.containers), ...records(spec.initContainers)]) {
    const resources = record(container.resources);
    if (!isRecord(resources.limits)) continue;
    const requests = { ...record(resources.requests) };
    copyMissing(requests, Object.entries(resources.limits));
    resources.requests = requests;
  }
}

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isEmpty = (map: unknown): boolean => Object.keys(record(map)).length === 0;

function podLimits(pod: Plain): void {
  const spec = record(pod.spec);
  const resources = record(spec.resources);
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return;
  const limits = { ...record(resources.limits) };
  for (const [name, amount] of aggregate(spec, 'limits')) {
    if (!isHugePages(name) || isSet(at(resources.requests, name)) || isSet(limits[name])) continue;
    limits[name] = amount.toString();
  }
  if (!isEmpty(limits)) resources.limits = limits;
}

function podRequests(pod: Plain): void {
  const spec = record(pod.spec);
  const resources = record(spec.resources);
  if (isEmpty(resources.limits)) return;
  const requests = { ...record(resources.requests) };
  for (const [name, amount] of aggregate(spec, 'requests')) {
    if ((name === 'cpu' || name === 'memory') && !isSet(requests[name])) requests[name] = amount.toString();
  }
  const supported = Object.entries(record(resources.limits)).filter(
    ([name]) => name === 'cpu' || name === 'memory' || isHugePages(name),
  );
  copyMissing(requests, supported);
  if (!isEmpty(requests)) resources.requests = requests;
}

function hostPorts(pod: Plain): void {
  const spec = record(pod.spec);
  if (spec.hostNetwork !== true) return;
  for (const container of [...records(spec.containers), ...records(spec.initContainers)]) {
    for (const port of records(container.ports)) {
      if (!isSet(port.hostPort) || port.hostPort === 0) port.hostPort = port.containerPort;
    }
  }
}

function pullPolicy(holder: Plain, image: unknown, member: string): void {
  if (text(holder[member]) === '') holder[member] = defaultPullPolicy(text(image));
}

/** A volume that names no source is an empty directory. */
function volumeSource(volume: Plain): void {
  const hasSource = Object.keys(volume).some((name) => name !== 'name' && isSet(volume[name]));
  if (!hasSource) volume.emptyDir = {};
  if (isRecord(volume.image)) pullPolicy(volume.image, volume.image.reference, 'pullPolicy');
}

/** Amounts finer than a thousandth are rounded up; anything coarser keeps its text. */
function roundResourceList(resourceList: Plain): void {
  const milli = -3;
  for (const name of Object.keys(resourceList)) {
    const value = resourceList[name];
    if (typeof value !== 'string') continue;
    const amount = parseQuantity(value);
    if (amount.exponent >= milli) continue;
    resourceList[name] = new Quantity(amount.scaledValue(milli), milli, amount.format).toString();
  }
}

const containerPullPolicy: ComputedRule = {
  compute: (container) => pullPolicy(container, container['image'], 'imagePullPolicy'),
};

export const podRules: Readonly<Record<string, readonly ComputedRule[]>> = {
  'core.v1.Pod': [
    { compute: containerRequests, order: 1 },
    { compute: podLimits, order: 2 },
    { compute: podRequests, order: 3 },
    { compute: hostPorts, order: 5 },
  ],
  'core.v1.Volume': [{ compute: volumeSource }],
  'core.v1.Container': [containerPullPolicy],
  'core.v1.EphemeralContainer': [containerPullPolicy],
  'core.v1.ResourceList': [{ compute: roundResourceList }],
};
