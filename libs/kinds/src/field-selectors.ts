import type { Event, ObjectReference } from '@apichain/api/core/v1';
import type { ShownKinds } from '@apichain/api/stored-kinds';
import type { SelectableFields } from '@apichain/apiserver';
import { formatGroupVersion, type KubeObject, type GroupVersionKind } from '@apichain/meta';
import { resourceKey } from './families.ts';
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

/** The values of the selectable fields of an object, by field label. */
type FieldSource<T> = (object: T) => Record<string, string>;

const flag = (value: boolean | undefined): string => (value === true ? 'true' : 'false');
const reference = (prefix: string, value: ObjectReference | undefined): Record<string, string> =>
  Object.fromEntries(
    (['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const).map((name) => [
      `${prefix}.${name}`,
      value?.[name] ?? '',
    ]),
  );

const eventFields: FieldSource<Event> = (event) => ({
  ...reference('involvedObject', event.involvedObject),
  reason: event.reason ?? '',
  reportingComponent: event.reportingComponent ?? '',
  source: event.source?.component || (event.reportingComponent ?? ''),
  type: event.type ?? '',
});

/** Kinds (`Kind` or `Kind.group`) with more selectable fields than name and namespace, and how their values are read from stored objects. */
const sources: { readonly [Kind in keyof ShownKinds]?: FieldSource<ShownKinds[Kind]> } = {
  Pod: (pod) => ({
    'spec.nodeName': pod.spec?.nodeName ?? '',
    'spec.restartPolicy': pod.spec?.restartPolicy ?? '',
    'spec.schedulerName': pod.spec?.schedulerName ?? '',
    'spec.serviceAccountName': pod.spec?.serviceAccountName ?? '',
    'spec.hostNetwork': flag(pod.spec?.hostNetwork),
    'status.phase': pod.status?.phase ?? '',
    'status.podIP': pod.status?.podIPs?.[0]?.ip || (pod.status?.podIP ?? ''),
    'status.nominatedNodeName': pod.status?.nominatedNodeName ?? '',
  }),
  Node: (node) => ({ 'spec.unschedulable': flag(node.spec?.unschedulable) }),
  Namespace: (namespace) => ({ 'status.phase': namespace.status?.phase ?? '' }),
  Secret: (secret) => ({ type: secret.type ?? '' }),
  Service: (service) => ({
    'spec.clusterIP': service.spec?.clusterIP ?? '',
    'spec.type': service.spec?.type ?? '',
  }),
  ReplicationController: (rc) => ({ 'status.replicas': String(rc.status?.replicas ?? 0) }),
  Event: eventFields,
  'Event.events.k8s.io': eventFields,
  'Job.batch': (job) => ({ 'status.successful': String(job.status?.succeeded ?? 0) }),
  'CertificateSigningRequest.certificates.k8s.io': (csr) => ({ 'spec.signerName': csr.spec?.signerName ?? '' }),
  'ClusterTrustBundle.certificates.k8s.io': (bundle) => ({ 'spec.signerName': bundle.spec?.signerName ?? '' }),
  'PodCertificateRequest.certificates.k8s.io': (request) => ({
    'spec.signerName': request.spec?.signerName ?? '',
    'spec.podName': request.spec?.podName ?? '',
    'spec.nodeName': request.spec?.nodeName ?? '',
  }),
  'ResourceSlice.resource.k8s.io': (slice) => ({
    'spec.nodeName': slice.spec?.nodeName ?? '',
    'spec.driver': slice.spec?.driver ?? '',
  }),
};

/** Fields that have an index, because many lists and watches of the kind select by them. */
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
 * The selectable fields of a kind in one version, and their values for a stored object (in its storage version);
 * undefined for kinds that have only name and namespace.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export function selectableFields(kind: GroupVersionKind): SelectableFields | undefined {
  const row = selectors[tableName(kind)];
  const values = (sources as Readonly<Record<string, FieldSource<KubeObject> | undefined>>)[
    resourceKey(kind.group, kind.kind)
  ];
  if (row === undefined || values === undefined) return undefined;
  return {
    values,
    labels: row.labels,
    aliases: row.aliases,
    unsupported: (label) => unsupported(kind, label),
  };
}
