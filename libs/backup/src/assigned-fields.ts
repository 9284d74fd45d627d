import { isRecord, record, records, text, type KubeObject } from '@apichain/meta';

type Members = Record<string, unknown>;

/** Annotations that clients and controllers keep for objects of one cluster. */
const annotationsOfCluster: readonly string[] = [
  'control-plane.alpha.kubernetes.io/leader',
  'deployment.kubernetes.io/revision',
  'kubectl.kubernetes.io/last-applied-configuration',
  'kubernetes.io/service-account.uid',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/selected-node',
  'volume.kubernetes.io/storage-provisioner',
];

/** Labels with which a Job marks its pods. They hold its uid, and a Job is refused that brings them along. */
const jobLabels: readonly string[] = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
];

/** Finalizers that a server adds: of a deletion that has begun, and of volumes in use. */
const addedFinalizers: ReadonlySet<string> = new Set([
  'foregroundDeletion',
  'kubernetes.io/pv-protection',
  'kubernetes.io/pvc-protection',
  'kubernetes.io/vac-protection',
  'orphan',
]);

function without(members: Members, names: readonly string[]): void {
  for (const name of names) delete members[name];
}

/** Removes a member that has become empty. */
function dropEmpty(members: Members, name: string): void {
  const value = members[name];
  if (isRecord(value) && Object.keys(value).length === 0) delete members[name];
}

function cleanPod(spec: Members): void {
  // The admission of priorities sets both from the class, and refuses other values.
  without(spec, ['nodeName', 'ephemeralContainers', 'priority', 'serviceAccount']);
  if (spec.priorityClassName !== undefined) delete spec.preemptionPolicy;
}

function cleanService(spec: Members): void {
  // A headless service stays one.
  if (spec.clusterIP !== 'None') without(spec, ['clusterIP', 'clusterIPs']);
  delete spec.healthCheckNodePort;
}

function cleanJob(spec: Members, { metadata }: KubeObject): void {
  if (spec.manualSelector === true) return;
  delete spec.selector;
  // A Job without labels gets those of its template.
  for (const labelled of [metadata as Members, record(record(spec.template).metadata)]) {
    if (isRecord(labelled.labels)) without(labelled.labels, jobLabels);
    dropEmpty(labelled, 'labels');
  }
}

/** What a cluster assigns to objects of a kind, beside the metadata and the status. */
const cleaners: Readonly<Record<string, (spec: Members, object: KubeObject) => void>> = {
  ' Namespace': (spec) => delete spec.finalizers,
  ' Node': (spec) => without(spec, ['podCIDR', 'podCIDRs']),
  ' PersistentVolume': (spec) => {
    if (isRecord(spec.claimRef)) without(spec.claimRef, ['uid', 'resourceVersion']);
  },
  ' PersistentVolumeClaim': (spec) => delete spec.volumeName,
  ' Pod': cleanPod,
  ' Secret': (_spec, object) => {
    // The controller of tokens fills it in again.
    if (object.type === 'kubernetes.io/service-account-token') delete object.data;
  },
  ' Service': cleanService,
  ' ServiceAccount': (_spec, object) => {
    const tokens = ['token', 'dockercfg'].map((what) => `${object.metadata.name ?? ''}-${what}-`);
    const isToken = (name: string) => tokens.some((start) => name.startsWith(start));
    const kept = records(object.secrets).filter(({ name }) => !isToken(text(name)));
    if (kept.length === 0) delete object.secrets;
    else object.secrets = kept;
  },
  'batch Job': cleanJob,
};

/**
 * An object as a manifest that another cluster accepts: without the identity, the status and the bookkeeping that it has in its cluster, and without
 * what a cluster assigns. Node ports stay: they are often chosen. Changes its argument.
 */
export function asManifest(object: KubeObject, group: string): KubeObject {
  const { metadata } = object;
  without(metadata as Members, [
    ...['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'],
    // An owner of another cluster counts as deleted, and the object would be collected as garbage.
    ...['managedFields', 'selfLink', 'ownerReferences'],
  ]);
  if (metadata.annotations !== undefined) without(metadata.annotations, annotationsOfCluster);
  const finalizers = metadata.finalizers?.filter((name) => !addedFinalizers.has(name)) ?? [];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  delete object.status;
  const spec = isRecord(object.spec) ? object.spec : {};
  cleaners[`${group} ${object.kind}`]?.(spec, object);
  dropEmpty(metadata as Members, 'annotations');
  dropEmpty(object, 'spec');
  return object;
}
