import { isRecord, record, records, text, type KubeObject, type Plain } from '@apichain/meta';

/** A reference by which an object allows a kubelet to read another one: kind, namespace and name. */
export interface ObjectReference {
  readonly kind: ReferencedKind;
  readonly namespace: string;
  readonly name: string;
}
export type ReferencedKind =
  | 'secret'
  | 'configmap'
  | 'persistentvolumeclaim'
  | 'resourceclaim'
  | 'serviceaccount'
  | 'persistentvolume'
  | 'pod'
  | 'volumeattachment'
  | 'resourceslice';

export const nodeNameOf = (object: KubeObject): string => text(record(object['spec']).nodeName);
const isMirror = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;

/**
 * The objects that the node of a pod may read because of the pod. None for a mirror pod, which the node creates itself.
 * Source: AddPod of plugin/pkg/auth/authorizer/node/graph.go.
 */
export function referencesOfPod(pod: KubeObject): ObjectReference[] {
  const { namespace = '', name: podName = '' } = pod.metadata;
  const found: ObjectReference[] = [{ kind: 'pod', namespace, name: podName }];
  if (isMirror(pod)) return found;
  const spec = record(pod['spec']);
  const add = (kind: ReferencedKind, name: unknown) => {
    if (text(name) !== '') found.push({ kind, namespace, name: text(name) });
  };
  add('serviceaccount', spec.serviceAccountName);
  for (const { name } of records(spec.imagePullSecrets)) add('secret', name);
  for (const list of [spec.initContainers, spec.containers, spec.ephemeralContainers])
    for (const container of records(list)) addOfContainer(container, add);
  for (const volume of records(spec.volumes)) addOfVolume(volume, podName, add);
  addClaims(pod, add);
  return found;
}

type Add = (kind: ReferencedKind, name: unknown) => void;

function addOfContainer(container: Plain, add: Add): void {
  for (const { configMapRef, secretRef } of records(container.envFrom)) {
    add('configmap', record(configMapRef).name);
    add('secret', record(secretRef).name);
  }
  for (const { valueFrom } of records(container.env)) {
    const { configMapKeyRef, secretKeyRef } = record(valueFrom);
    add('configmap', record(configMapKeyRef).name);
    add('secret', record(secretKeyRef).name);
  }
}

/** The volumes that refer to a secret under secretRef. */
const withSecretRef = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'];

function addOfVolume(volume: Plain, podName: string, add: Add): void {
  add('secret', record(volume.secret).secretName);
  add('secret', record(volume.azureFile).secretName);
  add('secret', record(record(volume.csi).nodePublishSecretRef).name);
  for (const type of withSecretRef) add('secret', record(record(volume[type]).secretRef).name);
  add('configmap', record(volume.configMap).name);
  for (const { secret, configMap } of records(record(volume.projected).sources)) {
    add('secret', record(secret).name);
    add('configmap', record(configMap).name);
  }
  add('persistentvolumeclaim', record(volume.persistentVolumeClaim).claimName);
  if (isRecord(volume.ephemeral)) add('persistentvolumeclaim', `${podName}-${text(volume.name)}`);
}

/** ResourceClaims by name, or those that were created for the pod from a template. */
function addClaims(pod: KubeObject, add: Add): void {
  const status = record(pod['status']);
  const made = new Map(
    records(status.resourceClaimStatuses).map(({ name, resourceClaimName }) => [text(name), resourceClaimName]),
  );
  for (const claim of records(record(pod['spec']).resourceClaims)) {
    add('resourceclaim', text(claim.resourceClaimName) === '' ? made.get(text(claim.name)) : claim.resourceClaimName);
  }
  add('resourceclaim', record(status.extendedResourceClaimStatus).resourceClaimName);
}

/** The secrets of a CSI volume that kubelets use. */
const csiSecrets = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'];

/** The claim that a PersistentVolume is bound to, and the secrets that the node of its pod needs; undefined = it is not bound. */
export function referencesOfVolume(
  volume: KubeObject,
): { readonly claim: ObjectReference; readonly secrets: readonly ObjectReference[] } | undefined {
  const spec = record(volume['spec']);
  if (!isRecord(spec.claimRef)) return undefined;
  const bound = text(spec.claimRef.namespace);
  const claim = { kind: 'persistentvolumeclaim', namespace: bound, name: text(spec.claimRef.name) } as const;
  const secrets: ObjectReference[] = [];
  const add = (name: unknown, namespace: unknown) => {
    if (text(name) === '') return;
    secrets.push({ kind: 'secret', namespace: text(namespace) === '' ? bound : text(namespace), name: text(name) });
  };
  const azure = record(spec.azureFile);
  add(azure.secretName, azure.secretNamespace);
  for (const type of withSecretRef) {
    const { name, namespace } = record(record(spec[type]).secretRef);
    add(name, namespace);
  }
  for (const member of csiSecrets) {
    const { name, namespace } = record(record(spec.csi)[member]);
    add(name, namespace);
  }
  return { claim, secrets };
}
