import type { SelectableFields } from '@apichain/apiserver';
import { formatGroupVersion, type GroupVersionKind } from '@apichain/meta';
import { at, integer, record, records, text } from './fields.ts';
import rawSelectors from './generated/fieldselectors.json' with { type: 'json' };

interface RawSelector {
  labels: string[];
  aliases?: Record<string, string>;
  acceptedButNoValue?: string[];
  watchIndex?: string[];
}
const selectors: Readonly<Record<string, RawSelector>> = rawSelectors;

const tableName = ({ group, version, kind }: GroupVersionKind): string =>
  `${group === '' ? 'core' : group}.${version}.${kind}`;

/** Kinds whose stored objects offer more than name and namespace, and where the values come from. */
type FieldSource = (object: Record<string, unknown>) => Record<string, string>;

const flag = (value: unknown): string => (value === true ? 'true' : 'false');
const reference = (prefix: string, value: unknown): Record<string, string> =>
  Object.fromEntries(
    ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((name) => [
      `${prefix}.${name}`,
      text(record(value)[name]),
    ]),
  );

const sources: Readonly<Record<string, FieldSource>> = {
  Pod: (pod) => ({
    'spec.nodeName': text(at(pod, 'spec', 'nodeName')),
    'spec.restartPolicy': text(at(pod, 'spec', 'restartPolicy')),
    'spec.schedulerName': text(at(pod, 'spec', 'schedulerName')),
    'spec.serviceAccountName': text(at(pod, 'spec', 'serviceAccountName')),
    'spec.hostNetwork': flag(at(pod, 'spec', 'hostNetwork')),
    'status.phase': text(at(pod, 'status', 'phase')),
    'status.podIP': text(records(at(pod, 'status', 'podIPs'))[0]?.ip) || text(at(pod, 'status', 'podIP')),
    'status.nominatedNodeName': text(at(pod, 'status', 'nominatedNodeName')),
  }),
  Node: (node) => ({ 'spec.unschedulable': flag(at(node, 'spec', 'unschedulable')) }),
  Namespace: (namespace) => ({ 'status.phase': text(at(namespace, 'status', 'phase')) }),
  Secret: (secret) => ({ type: text(secret.type) }),
  Service: (service) => ({
    'spec.clusterIP': text(at(service, 'spec', 'clusterIP')),
    'spec.type': text(at(service, 'spec', 'type')),
  }),
  ReplicationController: (rc) => ({ 'status.replicas': String(integer(at(rc, 'status', 'replicas'))) }),
  Event: (event) => ({
    ...reference('involvedObject', event.involvedObject),
    reason: text(event.reason),
    reportingComponent: text(event.reportingComponent),
    source: text(at(event, 'source', 'component')) || text(event.reportingComponent),
    type: text(event.type),
  }),
  Job: (job) => ({ 'status.successful': String(integer(at(job, 'status', 'succeeded'))) }),
  CertificateSigningRequest: (csr) => ({ 'spec.signerName': text(at(csr, 'spec', 'signerName')) }),
  ClusterTrustBundle: (bundle) => ({ 'spec.signerName': text(at(bundle, 'spec', 'signerName')) }),
  PodCertificateRequest: (request) => ({
    'spec.signerName': text(at(request, 'spec', 'signerName')),
    'spec.podName': text(at(request, 'spec', 'podName')),
    'spec.nodeName': text(at(request, 'spec', 'nodeName')),
  }),
  ResourceSlice: (slice) => ({
    'spec.nodeName': text(at(slice, 'spec', 'nodeName')),
    'spec.driver': text(at(slice, 'spec', 'driver')),
  }),
};

/** Fields that an index answers, for kinds that are listed and watched by them a lot. */
export const indexedFields = (kind: GroupVersionKind): readonly string[] =>
  selectors[tableName(kind)]?.watchIndex ?? [];

function unsupported({ group, version, kind }: GroupVersionKind, label: string): string {
  if (kind === 'Job') return `field label ${JSON.stringify(label)} not supported for Job`;
  if (kind === 'ResourceSlice') {
    return `field label not supported for ${formatGroupVersion({ group, version })}, Kind=${kind}: ${label}`;
  }
  return `field label not supported: ${label}`;
}

/**
 * What field selectors may name of a kind in one version, and the values its stored objects (in their storage version) offer;
 * undefined for kinds that have but name and namespace.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export function selectableFields(kind: GroupVersionKind): SelectableFields | undefined {
  const row = selectors[tableName(kind)];
  const values = sources[kind.kind];
  if (row === undefined || values === undefined) return undefined;
  return {
    values,
    labels: row.labels,
    ...(row.aliases === undefined ? {} : { aliases: row.aliases }),
    unsupported: (label) => unsupported(kind, label),
  };
}
