import type { Pod, PodTemplateSpec } from '@apichain/api/core/v1';
import type { EventRecorder, RestClient } from '@apichain/client';
import {
  type KubeObject,
  type OwnerReference,
  errorMessage,
  isDNS1123Subdomain,
  isStatusError,
  isNamespaceTerminating,
} from '@apichain/meta';

import { pods } from '../resources.ts';

/** The pod of a template, which gets its name from the owner's name and a suffix that the server chooses. */
export function podFromTemplate(template: PodTemplateSpec, owner: KubeObject, controller: OwnerReference): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: namePrefix(owner.metadata.name ?? ''),
      ...(owner.metadata.namespace !== undefined && { namespace: owner.metadata.namespace }),
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [controller],
    },
    ...(template.spec && { spec: template.spec }),
  };
}

/** The dash is omitted if the name would be too long with it. */
const namePrefix = (name: string): string => (isDNS1123Subdomain(`${name}-x`) ? `${name}-` : name);

/** Creates a pod, and records events about its owner as ReplicaSets and DaemonSets have them. Throws the error of the creation. */
export async function createPod(
  { client, recorder }: { readonly client: RestClient; readonly recorder: EventRecorder },
  pod: Pod,
  owner: KubeObject,
): Promise<Pod> {
  const { namespace = '' } = owner.metadata;
  try {
    const created = await client.create({ ...pods, namespace }, pod);
    recorder.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (!isNamespaceTerminating(error))
      recorder.event(owner, 'Warning', 'FailedCreate', `Error creating: ${errorMessage(error)}`);
    throw error;
  }
}

/** Deletes a pod, and records events about its owner. Throws the error of the deletion; NotFound is one without an event. */
export async function deletePod(
  { client, recorder }: { readonly client: RestClient; readonly recorder: EventRecorder },
  { metadata: { namespace = '', name = '' } }: Pod,
  owner: KubeObject,
): Promise<void> {
  try {
    await client.delete({ ...pods, namespace }, name);
  } catch (error) {
    if (isStatusError(error, 'NotFound')) throw error;
    recorder.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
    throw new Error(`unable to delete pods: ${errorMessage(error)}`, { cause: error });
  }
  recorder.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
}
