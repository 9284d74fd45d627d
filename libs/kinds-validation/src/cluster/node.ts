import type { Node, NodeAddress, NodeConfigSource, NodeSpec, NodeStatus, Taint } from '@apichain/api/core/v1';
import {
  byteLength,
  field,
  integer,
  isConfigMapKey,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  parseJson,
  type FieldError,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { at, isSet, type Plain, record, records, text } from '@apichain/kinds';
import { parseCidrLoosely } from '@apichain/go-text';
import { legacyCidrMessages } from '../cidr.ts';
import { goValue } from '../common/go-value.ts';
import { resourceQuantity } from '../common/resources.ts';
import {
  checkEach,
  collect,
  invalidEach,
  type Out,
  requiredChoice,
  requiredName,
  requiredText,
  sortedEntries,
} from '../common/rules.ts';
import { jsonError } from '../pod/annotations.ts';
import { taintEffects } from '../pod/scheduling.ts';

const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints';
const avoidPodsAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

function taintErrors(out: Out, path: string, taints: readonly Taint[]): void {
  const seen = new Set<string>();
  checkEach(out, taints, (out, taint, i) => {
    const where = `${path}[${i}]`;
    const { key = '', value = '', effect = '' } = taint;
    invalidEach(out, `${where}.key`, key, isQualifiedName(key));
    const messages = isValidLabelValue(value);
    if (messages.length > 0) out.push(field.invalid(`${where}.value`, value, messages.join(';')));
    requiredChoice(out, `${where}.effect`, effect, taintEffects);
    const identity = `${effect}/${key}`;
    if (seen.has(identity)) {
      const repeated = field.duplicate(where, goValue('core.v1.Taint', taint));
      const detail = 'taints must be unique by key and effect pair';
      out.push({ ...repeated, message: `${repeated.message}: ${detail}` });
      return;
    }
    seen.add(identity);
  });
}

/** A taint in an annotation: parsed JSON that has not been validated. */
const taintOf = (taint: Plain): Taint => ({
  ...taint,
  key: text(taint.key),
  value: text(taint.value),
  effect: text(taint.effect),
});

/** Clients choose the shape of the JSON in both annotations, so it is read member by member. */
function annotationErrors(out: Out, node: Node): void {
  const path = 'metadata.annotations';
  const taints = node.metadata.annotations?.[taintsAnnotation] ?? '';
  if (taints !== '') {
    const reason = jsonError(taints);
    if (reason !== undefined) out.push(field.invalid(path, taintsAnnotation, reason));
    else taintErrors(out, `${path}.${taintsAnnotation}`, records(parseJson(taints)).map(taintOf));
  }
  const avoid = node.metadata.annotations?.[avoidPodsAnnotation] ?? '';
  if (avoid === '') return;
  const reason = jsonError(avoid);
  if (reason !== undefined) {
    out.push(field.invalid(`${path}.AvoidPods`, avoidPodsAnnotation, reason));
    return;
  }
  checkEach(out, records(record(parseJson(avoid)).preferAvoidPods), (out, entry, i) => {
    const where = `${path}.${avoidPodsAnnotation}[${i}].PodSignature`;
    const controller = at(entry, 'podSignature', 'podController');
    if (!isSet(controller)) out.push(field.required(where));
    else if (record(controller).controller !== true) {
      const value = record(controller).controller ?? null;
      out.push(field.invalid(`${where}.PodController.Controller`, value, 'must point to a controller'));
    }
  });
}

const featureFormat = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function featureErrors(out: Out, features: readonly string[]): void {
  const path = 'status.declaredFeatures';
  checkEach(out, features, (out, feature, i) => {
    const invalid = (why: string) =>
      out.push(field.invalid(`${path}[${i}]`, feature, `invalid feature name ${goQuote(feature)}: ${why}`));
    if (byteLength(feature) > 253) invalid('must be no more than 253 characters');
    else if (!featureFormat.test(feature)) {
      invalid(
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes",
      );
    }
    const next = features[i + 1];
    if (next === undefined) return;
    if (next === feature) out.push(field.duplicate(`${path}[${i + 1}]`, next));
    else if (next < feature) out.push(field.invalid(`${path}[${i + 1}]`, next, 'list must be sorted alphabetically'));
  });
}

function resourceErrors(out: Out, status: NodeStatus): void {
  for (const name of ['capacity', 'allocatable'] as const) {
    checkEach(out, sortedEntries(status[name]), (out, [resource, value]) => {
      resourceQuantity(out, `status.${name}.${resource}`, resource, value);
    });
  }
}

function podCidrErrors(out: Out, cidrs: readonly string[]): void {
  const path = 'spec.podCIDRs';
  checkEach(out, cidrs, (out, cidr, i) => invalidEach(out, `${path}[${i}]`, cidr, legacyCidrMessages(cidr)));
  if (cidrs.length <= 1) return;
  const families = cidrs.map((cidr) => parseCidrLoosely(cidr)?.family);
  const unreadable = families.indexOf(undefined);
  if (unreadable !== -1) {
    const reason = `invalid CIDR[${unreadable}]: <nil> (invalid CIDR address: ${cidrs[unreadable]})`;
    out.push(field.internal(path, `invalid PodCIDRs. failed to check with dual stack with error:${reason}`));
  }
  if (cidrs.length > 2 || unreadable !== -1 || families[0] === families[1]) {
    out.push(field.invalid(path, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
}

function nodeErrors(out: Out, node: Node): void {
  const { spec = {}, status = {} } = node;
  annotationErrors(out, node);
  taintErrors(out, 'metadata.taints', spec.taints ?? []);
  const swap = status.nodeInfo?.swap?.capacity;
  if (isSet(swap) && integer(swap) <= 0) {
    out.push(field.invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero'));
  }
  resourceErrors(out, status);
  featureErrors(out, status.declaredFeatures ?? []);
  podCidrErrors(out, spec.podCIDRs ?? []);
}

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/ */
export const validateNode = (node: Node): FieldError[] => collect((out) => nodeErrors(out, node));

function addressErrors(out: Out, addresses: readonly NodeAddress[]): void {
  const seen = new Set<string>();
  checkEach(out, addresses, (out, address, i) => {
    const identity = `${address.type ?? ''}/${address.address ?? ''}`;
    if (seen.has(identity)) {
      out.push(field.duplicate(`status.addresses[${i}]`, goValue('core.v1.NodeAddress', address)));
    }
    seen.add(identity);
  });
}

/** Checks fields that can be set only once. */
function onceErrors(out: Out, spec: NodeSpec, old: NodeSpec): void {
  const stored = old.podCIDRs ?? [];
  const cidrs = spec.podCIDRs ?? [];
  // One error for each changed range, or one error if the number of ranges changed.
  const changes = stored.length === cidrs.length ? stored.filter((cidr, i) => cidr !== cidrs[i]).length : 1;
  for (let i = 0; stored.length > 0 && i < changes; i++) {
    out.push(field.forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  const providerID = old.providerID ?? '';
  if (providerID !== '' && spec.providerID !== providerID) {
    out.push(field.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
}

function configSourceErrors(out: Out, path: string, source: NodeConfigSource | undefined, inStatus: boolean): void {
  if (!isSet(source)) return;
  const { configMap } = source;
  if (!isSet(configMap)) {
    const shown = goValue('core.v1.NodeConfigSource', source);
    out.push(field.invalid(path, shown, 'exactly one reference subfield must be non-nil'));
    return;
  }
  const where = `${path}.configMap`;
  for (const name of ['uid', 'resourceVersion'] as const) {
    if (inStatus) requiredText(out, `${where}.${name}`, configMap[name]);
    else if ((configMap[name] ?? '') !== '') {
      out.push(field.forbidden(`${where}.${name}`, `${name} must not be set in spec`));
    }
  }
  requiredName(out, `${where}.namespace`, configMap.namespace, isDNS1123Label);
  requiredName(out, `${where}.name`, configMap.name, isDNS1123Subdomain);
  requiredName(out, `${where}.kubeletConfigKey`, configMap.kubeletConfigKey, isConfigMapKey);
}

function changeErrors(out: Out, node: Node, old: Node): void {
  const { spec = {}, status = {} } = node;
  annotationErrors(out, node);
  resourceErrors(out, status);
  featureErrors(out, status.declaredFeatures ?? []);
  addressErrors(out, status.addresses ?? []);
  onceErrors(out, spec, old.spec ?? {});
  configSourceErrors(out, 'spec.configSource', spec.configSource, false);
  for (const name of ['assigned', 'active', 'lastKnownGood'] as const) {
    configSourceErrors(out, `status.config.${name}`, status.config?.[name], true);
  }
  taintErrors(out, 'metadata.taints', spec.taints ?? []);
  if ((spec.externalID ?? '') !== (old.spec?.externalID ?? '')) {
    out.push(field.forbidden('spec.externalID', 'may not be updated'));
  }
}

/** Checks immutable fields and the status, for updates through either endpoint. */
export const validateNodeStatus = (node: Node, old: Node): FieldError[] =>
  collect((out) => changeErrors(out, node, old));
