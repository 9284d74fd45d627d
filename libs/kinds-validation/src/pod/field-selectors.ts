import type { ObjectFieldSelector, ResourceFieldSelector } from '@apichain/api/core/v1';
import type { Quantity } from '@apichain/api/scalars';
import { field, isQualifiedName } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { quantityOf } from '../common/resources.ts';
import { invalidEach, type Out } from '../common/rules.ts';

export const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const volumeFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const knownFields = new Set([
  ...envFields,
  ...volumeFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.host',
  'status.phase',
]);

/** `metadata.labels['a']` -> [`metadata.labels`, `a`] */
function splitSubscript(path: string): [string, string] | undefined {
  const match = /^([^[]+)\['(.*)'\]$/s.exec(path);
  return match === null ? undefined : [match[1] ?? '', match[2] ?? ''];
}

function subscriptErrors(out: Out, path: string, base: string, key: string): void {
  if (base === 'metadata.annotations') invalidEach(out, path, key, isQualifiedName(key.toLowerCase()));
  else if (base === 'metadata.labels') invalidEach(out, path, key, isQualifiedName(key));
  else {
    const detail = 'error converting fieldPath: field label does not support subscript: ';
    out.push(field.invalid(path, key, `${detail}${base}`));
  }
}

/** Checks a reference to a field of the pod. */
export function fieldRefErrors(out: Out, path: string, ref: ObjectFieldSelector, allowed: readonly string[]): void {
  const { apiVersion = '', fieldPath: wanted = '' } = ref;
  if (apiVersion === '') {
    out.push(field.required(`${path}.apiVersion`));
    return;
  }
  if (wanted === '') {
    out.push(field.required(`${path}.fieldPath`));
    return;
  }
  const cannot = (reason: string) =>
    out.push(field.invalid(`${path}.fieldPath`, wanted, `error converting fieldPath: ${reason}`));
  if (apiVersion !== 'v1') {
    cannot(`unsupported pod version: ${apiVersion}`);
    return;
  }
  const subscript = splitSubscript(wanted);
  if (subscript !== undefined) {
    const [base, key] = subscript;
    if (base === 'metadata.annotations' || base === 'metadata.labels') subscriptErrors(out, path, base, key);
    else cannot(`field label does not support subscript: ${wanted}`);
  } else if (!knownFields.has(wanted)) cannot(`field label not supported: ${wanted}`);
  else if (!allowed.includes(wanted === 'spec.host' ? 'spec.nodeName' : wanted)) {
    out.push(field.notSupported(`${path}.fieldPath`, wanted, allowed));
  }
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const divisorsOf = (resource: string): [string, readonly string[]] | undefined => {
  if (resource.endsWith('.cpu')) return ['cpu', ['1m', '1']];
  if (resource.endsWith('.memory')) return ['memory', byteDivisors];
  if (resource.endsWith('.ephemeral-storage')) return ['local ephemeral storage', byteDivisors];
  return /^(limits|requests)\.hugepages-/.test(resource) ? ['hugepages', byteDivisors] : undefined;
};

function divisorErrors(out: Out, path: string, resource: string, divisor: Quantity): void {
  const allowed = divisorsOf(resource);
  const amount = quantityOf(divisor);
  if (allowed === undefined || amount.isZero) return;
  const [name, divisors] = allowed;
  // Divisors are compared as written: `1e-3` is not `1m`.
  if (divisors.includes(amount.toString())) return;
  const values = name === 'cpu' ? '1m and 1' : divisors.join(', ');
  const detail = `only divisor's values ${values} are supported with the ${name} resource`;
  out.push(field.invalid(`${path}.divisor`, resource, detail));
}

/** Checks a reference to a limit or request of a container; volumes must name the container. */
export function resourceFieldRefErrors(
  out: Out,
  path: string,
  selector: ResourceFieldSelector,
  inVolume: boolean,
): void {
  const resource = selector.resource ?? '';
  if (inVolume && (selector.containerName ?? '') === '') out.push(field.required(`${path}.containerName`));
  else if (resource === '') out.push(field.required(`${path}.resource`));
  else if (!resources.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    out.push(field.notSupported(`${path}.resource`, resource, resources));
  }
  if (isSet(selector.divisor)) divisorErrors(out, path, resource, selector.divisor);
}
