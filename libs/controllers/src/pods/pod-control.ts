import type { Pod, PodTemplateSpec } from '@apichain/api/core/v1';
import type { EventRecorder, RestClient } from '@apichain/client';
import { type KubeObject, deepClone, errorMessage, isDNS1123Subdomain, isStatusError } from '@apichain/meta';
import { controllerReference } from '../owners.ts';

/** The resource of Pods. */
export const podsResource = { group: '', version: 'v1', resource: 'pods' } as const;

/** Who creates and deletes pods, and who records it. */
export interface PodControl {
  readonly client: RestClient;
  readonly events: EventRecorder;
}

/** The pod that `owner` makes of a template. */
export function podFromTemplate(owner: KubeObject, template: PodTemplateSpec, generateName?: string): Pod {
  const { name = '', namespace } = owner.metadata;
  const { metadata: { labels, annotations, finalizers } = {}, spec } = deepClone(template);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: generateName ?? (isDNS1123Subdomain(`${name}-a`) ? `${name}-` : name),
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(finalizers !== undefined && { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    ...(spec !== undefined && { spec }),
  };
}

/** Creates a pod, and records that about its owner. */
export async function createPod({ client, events }: PodControl, owner: KubeObject, pod: Pod): Promise<Pod> {
  const { namespace = '' } = pod.metadata;
  try {
    const created = await client.create<Pod>({ ...podsResource, namespace }, pod);
    events.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name ?? ''}`);
    return created;
  } catch (error) {
    if (!isNamespaceTerminating(error))
      events.event(owner, 'Warning', 'FailedCreate', `Error creating: ${errorMessage(error)}`);
    throw error;
  }
}

/** Deletes a pod, and records that about its owner. Returns false if it was gone already. */
export async function deletePod({ client, events }: PodControl, owner: KubeObject, pod: Pod): Promise<boolean> {
  const { namespace = '', name = '' } = pod.metadata;
  try {
    await client.delete({ ...podsResource, namespace }, name);
    events.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    return true;
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return false;
    events.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
    throw error;
  }
}

/** Whether a write failed because its namespace is being deleted. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  isStatusError(error) && (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
