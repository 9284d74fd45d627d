import {
  byteLength,
  field,
  isConfigMapKey,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  parseJson,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { at, integer, isSet, type Plain, record, records, text, texts } from '@apichain/kinds';
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

function taintErrors(out: Out, path: string, taints: readonly Plain[]): void {
  const seen = new Set<string>();
  checkEach(out, taints, (out, taint, i) => {
    const where = `${path}[${i}]`;
    const key = text(taint.key);
    invalidEach(out, `${where}.key`, key, isQualifiedName(key));
    const messages = isValidLabelValue(text(taint.value));
    if (messages.length > 0) out.push(field.invalid(`${where}.value`, text(taint.value), messages.join(';')));
    requiredChoice(out, `${where}.effect`, taint.effect, taintEffects);
    const identity = `${text(taint.effect)}/${key}`;
    if (seen.has(identity)) {
      const repeated = field.duplicate(where, goValue('core.v1.Taint', taint));
      const detail = 'taints must be unique by key and effect pair';
      out.push({ ...repeated, message: `${repeated.message}: ${detail}` });
      return;
    }
    seen.add(identity);
  });
}

function annotationErrors(out: Out, node: KubeObject): void {
  const path = 'metadata.annotations';
  const taints = node.metadata.annotations?.[taintsAnnotation] ?? '';
  if (taints !== '') {
    const reason = jsonError(taints);
    if (reason !== undefined) out.push(field.invalid(path, taintsAnnotation, reason));
    else taintErrors(out, `${path}.${taintsAnnotation}`, records(parseJson(taints)));
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

function resourceErrors(out: Out, status: Plain): void {
  for (const name of ['capacity', 'allocatable']) {
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

function nodeErrors(out: Out, node: KubeObject): void {
  const spec = record(node.spec);
  annotationErrors(out, node);
  taintErrors(out, 'metadata.taints', records(spec.taints));
  const swap = at(node.status, 'nodeInfo', 'swap', 'capacity');
  if (isSet(swap) && integer(swap) <= 0) {
    out.push(field.invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero'));
  }
  resourceErrors(out, record(node.status));
  featureErrors(out, texts(record(node.status).declaredFeatures));
  podCidrErrors(out, texts(spec.podCIDRs));
}

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/ */
export const validateNode = (node: KubeObject): FieldError[] => collect((out) => nodeErrors(out, node));

function addressErrors(out: Out, addresses: unknown): void {
  const seen = new Set<string>();
  checkEach(out, records(addresses), (out, address, i) => {
    const identity = `${text(address.type)}/${text(address.address)}`;
    if (seen.has(identity)) {
      out.push(field.duplicate(`status.addresses[${i}]`, goValue('core.v1.NodeAddress', address)));
    }
    seen.add(identity);
  });
}

/** Fields that are set once. */
function onceErrors(out: Out, spec: Plain, old: Plain): void {
  const stored = texts(old.podCIDRs);
  const cidrs = texts(spec.podCIDRs);
  // One error for each range that changed, or one for all where ranges came or went.
  const changes = stored.length === cidrs.length ? stored.filter((cidr, i) => cidr !== cidrs[i]).length : 1;
  for (let i = 0; stored.length > 0 && i < changes; i++) {
    out.push(field.forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if (text(old.providerID) !== '' && text(spec.providerID) !== text(old.providerID)) {
    out.push(field.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
}

function configSourceErrors(out: Out, path: string, value: unknown, inStatus: boolean): void {
  if (!isSet(value)) return;
  const { configMap } = record(value);
  if (!isSet(configMap)) {
    const shown = goValue('core.v1.NodeConfigSource', value);
    out.push(field.invalid(path, shown, 'exactly one reference subfield must be non-nil'));
    return;
  }
  const where = `${path}.configMap`;
  const source = record(configMap);
  for (const name of ['uid', 'resourceVersion']) {
    if (inStatus) requiredText(out, `${where}.${name}`, source[name]);
    else if (text(source[name]) !== '') {
      out.push(field.forbidden(`${where}.${name}`, `${name} must not be set in spec`));
    }
  }
  requiredName(out, `${where}.namespace`, source.namespace, isDNS1123Label);
  requiredName(out, `${where}.name`, source.name, isDNS1123Subdomain);
  requiredName(out, `${where}.kubeletConfigKey`, source.kubeletConfigKey, isConfigMapKey);
}

function changeErrors(out: Out, node: KubeObject, old: KubeObject): void {
  const spec = record(node.spec);
  const status = record(node.status);
  annotationErrors(out, node);
  resourceErrors(out, status);
  featureErrors(out, texts(status.declaredFeatures));
  addressErrors(out, status.addresses);
  onceErrors(out, spec, record(old.spec));
  configSourceErrors(out, 'spec.configSource', spec.configSource, false);
  for (const name of ['assigned', 'active', 'lastKnownGood']) {
    configSourceErrors(out, `status.config.${name}`, at(status.config, name), true);
  }
  taintErrors(out, 'metadata.taints', records(spec.taints));
  if (text(spec.externalID) !== text(record(old.spec).externalID)) {
    out.push(field.forbidden('spec.externalID', 'may not be updated'));
  }
}

/** What may not change, and what a status may say: of updates through either endpoint. */
export const validateNodeStatus = (node: KubeObject, old: KubeObject): FieldError[] =>
  collect((out) => changeErrors(out, node, old));
