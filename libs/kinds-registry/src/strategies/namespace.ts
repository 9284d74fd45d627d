import type { GracefulDeleteOptions } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import { currentTimestamp, type KubeObject, assign, isSet } from '@apichain/meta';
import type { Namespace } from '@apichain/api/core/v1';
import type { KindBehaviour } from './behaviour.ts';

const nameLabel = 'kubernetes.io/metadata.name';

/** The label with the name is always set, even if the client omits or changes it. */
function canonicalize(namespace: Namespace): void {
  if (!isSet(namespace.metadata.labels)) namespace.metadata.labels = {};
  namespace.metadata.labels[nameLabel] = namespace.metadata.name ?? '';
}

function takeFinalizers(namespace: Namespace, old: Namespace): void {
  assign((namespace.spec ??= {}), 'finalizers', old.spec?.finalizers);
}

const noFinalizersLeft = (namespace: Namespace): boolean => (namespace.spec?.finalizers ?? []).length === 0;

/** The first delete adds the finalizers that its options request to the existing ones. */
function setGarbageFinalizers({ metadata }: KubeObject, options: GracefulDeleteOptions): void {
  const { orphanDependents, propagationPolicy } = options;
  if (orphanDependents === undefined && propagationPolicy === undefined) return;
  const wanted = [
    ...((orphanDependents ?? propagationPolicy === 'Orphan') ? ['orphan'] : []),
    ...((orphanDependents === undefined ? propagationPolicy === 'Foreground' : !orphanDependents)
      ? ['foregroundDeletion']
      : []),
  ];
  const others = (metadata.finalizers ?? []).filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  const finalizers = [...others, ...wanted];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

/** The first delete only marks the namespace as terminating; it is removed when its content and its finalizers are gone. */
function beginDelete(
  _ctx: RequestContext,
  namespace: Namespace,
  options: GracefulDeleteOptions,
): 'mark' | 'wait' | 'continue' {
  if (!isSet(namespace.metadata.deletionTimestamp)) {
    setGarbageFinalizers(namespace, options);
    namespace.metadata.deletionTimestamp = currentTimestamp();
    (namespace.status ??= {}).phase = 'Terminating';
    return 'mark';
  }
  return noFinalizersLeft(namespace) ? 'continue' : 'wait';
}

export const namespaceBehaviour: KindBehaviour<Namespace> = {
  name: 'label',
  status: 'reset',
  initialStatus: () => ({ phase: 'Active' }),
  returnDeletedObject: true,
  prepareForCreate: (namespace) => {
    canonicalize(namespace);
    const spec = (namespace.spec ??= {});
    const finalizers = spec.finalizers ?? [];
    if (!finalizers.includes('kubernetes')) spec.finalizers = [...finalizers, 'kubernetes'];
  },
  prepareForUpdate: (namespace, old) => {
    canonicalize(namespace);
    takeFinalizers(namespace, old);
  },
  hooks: { beginDelete, canonicalize, shouldDeleteDuringUpdate: noFinalizersLeft },
  withoutMethods: ['deleteCollection'],
  subresources: {
    status: { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'] },
    finalize: {
      fromOld: ['status'],
      metadata: 'request',
      resetFields: ['status'],
      shouldDeleteDuringUpdate: noFinalizersLeft,
      withoutMethods: ['get'],
    },
  },
};
