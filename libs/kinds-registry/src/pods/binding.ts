import type { RegistryStore, WriteOptions } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { Binding, Pod } from '@apichain/api/core/v1';
import type { KindStore } from '../kind-store.ts';
import {
  currentTimestamp,
  deepClone,
  field,
  newBadRequest,
  newConflict,
  newUnknownError,
  successStatus,
  type Status,
  isSet,
} from '@apichain/meta';

const conflict = (name: string, cause: string): Error =>
  newConflict({ group: '', resource: 'pods/binding' }, name, cause);

function checkTarget(binding: Binding): string {
  const target = binding.target ?? {};
  const kind = target.kind ?? '';
  const name = target.name ?? '';
  const errors = [
    ...(kind === '' || kind === 'Node' ? [] : [field.notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [field.required('target.name')] : []),
  ];
  // kube-apiserver returns only the texts here, not an Invalid Status.
  const lines = errors.map((error) => `${error.field}: ${error.message}`);
  if (lines.length > 0) throw newUnknownError(lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`);
  return name;
}

/** Assigns a pod to a node. Throws Conflict when that is not possible. */
function assignPod(pod: Pod, name: string, node: string, binding: Binding): Pod {
  const spec = (pod.spec ??= {});
  if (isSet(pod.metadata.deletionTimestamp)) {
    throw conflict(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if ((spec.nodeName ?? '') !== '') {
    throw conflict(name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  }
  if ((spec.schedulingGates ?? []).length > 0) throw conflict(name, `pod ${name} has non-empty .spec.schedulingGates`);
  spec.nodeName = node;
  const { annotations, labels } = binding.metadata;
  if (annotations !== undefined) pod.metadata.annotations = { ...(pod.metadata.annotations ?? {}), ...annotations };
  if (labels !== undefined) pod.metadata.labels = { ...(pod.metadata.labels ?? {}), ...labels };
  markScheduled(pod);
  return pod;
}

/** Replaces the condition PodScheduled as a whole: nothing of what a scheduler wrote into it stays, its observedGeneration included. */
function markScheduled(pod: Pod): void {
  const status = (pod.status ??= {});
  delete status.nominatedNodeName;
  const conditions = [...(status.conditions ?? [])];
  const index = conditions.findIndex(({ type }) => type === 'PodScheduled');
  const present = conditions[index];
  const lastTransitionTime = present?.status === 'True' ? present.lastTransitionTime : currentTimestamp();
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime } as const;
  if (present === undefined) conditions.push(scheduled);
  else conditions[index] = scheduled;
  status.conditions = conditions;
}

/**
 * POST pods/{name}/binding. Bypasses the pod's strategy, which does not allow assigning a node, and does not increase the generation.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/binding-v1/
 */
export async function bindPod(
  store: KindStore<'pods'>,
  ctx: RequestContext,
  podName: string,
  binding: Binding,
  options: WriteOptions,
): Promise<Status> {
  const given = binding.metadata.name ?? '';
  if (podName !== '' && given !== podName) throw newBadRequest('name in URL does not match name in Binding object');
  const node = checkTarget(binding);
  await options.validateCreate?.(binding);
  const { uid, resourceVersion } = binding.metadata;
  const name = podName === '' ? given : podName;
  await store.update(
    ctx,
    name,
    (pod) => {
      if (pod === undefined) throw newBadRequest('a binding needs a pod');
      return assignPod(deepClone(pod), name, node, binding);
    },
    {
      dryRun: options.dryRun,
      strategy: passThrough(store),
      ...(uid === undefined || uid === '' ? {} : { uid }),
      ...(resourceVersion === undefined || resourceVersion === '' ? {} : { resourceVersion }),
    },
  );
  return { ...successStatus(), code: 201 };
}

/** A strategy for writes by the server itself, which are not validated. */
export const passThrough = (store: RegistryStore) => ({
  namespaceScoped: store.strategy.namespaceScoped,
  validateName: store.strategy.validateName,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  storesUnchecked: true,
});
