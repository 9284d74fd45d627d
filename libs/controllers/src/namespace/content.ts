import type { Pod } from '@apichain/api/core/v1';
import { errorText, type RestClient } from '@apichain/client';
import { currentTime, type KubeObject, isStatusError, integer } from '@apichain/meta';
import type { DiscoveredMapping } from '@apichain/rest-mapper';
import { forEachLimited } from '../context.ts';
import type { Discovery } from '../discovery.ts';
import type { DeletionFindings } from './conditions.ts';

/** The estimate for an object whose finalizers another client has to remove. */
const finalizerEstimateSeconds = 15;
const resourcesAtOnce = 4;
const pageSize = 500;

interface ContentPass {
  readonly findings: DeletionFindings;
  /** Estimated seconds until the remaining objects are gone. 0 when nothing is left, or when there is no known reason why objects remain. */
  readonly estimateSeconds: number;
}

/**
 * Deletes the content of a terminating namespace in one pass. Pods are deleted first; other objects only when no pod is left. Failures are
 * added to the findings; nothing is thrown.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/ and KEP-5080 (ordered deletion)
 */
export async function deleteContent(
  client: RestClient,
  discovery: Discovery,
  namespace: string,
  deletedAt: number,
): Promise<ContentPass> {
  const findings: DeletionFindings = { discoveryErrors: [], contentErrors: [], remaining: [], finalizers: new Map() };
  let resources: readonly DiscoveredMapping[] = [];
  try {
    const { preferred, stale } = await discovery.fresh();
    resources = preferred.filter(({ scope, verbs }) => scope === 'Namespaced' && verbs.includes('delete'));
    if (stale.length > 0) findings.discoveryErrors.push(staleMessage(stale));
  } catch (error) {
    findings.discoveryErrors.push(errorText(error));
  }
  let estimateSeconds = 0;
  const clear = async (resource: DiscoveredMapping) => {
    const estimate = await clearResource(client, { resource, namespace, deletedAt }, findings);
    estimateSeconds = Math.max(estimateSeconds, estimate);
  };
  const isPods = ({ group, resource }: DiscoveredMapping) => group === '' && resource === 'pods';
  for (const pods of resources.filter(isPods)) await clear(pods);
  if (findings.remaining.length === 0)
    await forEachLimited(
      resources.filter((resource) => !isPods(resource)),
      resourcesAtOnce,
      clear,
    );
  return { findings, estimateSeconds };
}

interface Target {
  readonly resource: DiscoveredMapping;
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
}

/** Deletes the objects of one resource. Returns the estimate for the remaining objects, in seconds. */
async function clearResource(client: RestClient, target: Target, findings: DeletionFindings): Promise<number> {
  const { group, version, resource } = target.resource;
  try {
    const before = await list(client, target);
    if (before.length === 0) return 0;
    const grace = group === '' && resource === 'pods' ? graceSeconds(before, target.deletedAt) : 0;
    await deleteAll(client, target, before);
    const left = await list(client, target);
    if (left.length === 0) return 0;
    findings.remaining.push({ resource: { group, version, resource }, count: left.length });
    const held = left.flatMap(({ metadata }) => metadata.finalizers ?? []);
    for (const finalizer of held) findings.finalizers.set(finalizer, (findings.finalizers.get(finalizer) ?? 0) + 1);
    if (grace !== 0) return grace;
    if (held.length > 0) return finalizerEstimateSeconds;
    throw new Error(
      `unexpected items still remain in namespace: ${target.namespace} for gvr: ${group}/${version}, Resource=${resource}`,
    );
  } catch (error) {
    findings.contentErrors.push(errorText(error));
    return 0;
  }
}

async function deleteAll(client: RestClient, target: Target, items: readonly KubeObject[]): Promise<void> {
  const { resource, namespace } = target;
  const ref = { ...resource, namespace };
  const options = { propagationPolicy: 'Background' };
  if (resource.verbs.includes('deletecollection')) {
    await client.deleteCollection(ref, undefined, options);
    return;
  }
  for (const { metadata } of items)
    await client.delete(ref, metadata.name ?? '', options).catch((error: unknown) => {
      if (!isStatusError(error) || error.code !== 404) throw error;
    });
}

/** Lists complete pods, or only the metadata of other objects. A resource that is no longer served has no objects. */
async function list(client: RestClient, { resource, namespace }: Target): Promise<KubeObject[]> {
  if (!resource.verbs.includes('list')) return [];
  const metadataOnly = resource.group !== '' || resource.resource !== 'pods';
  const items: KubeObject[] = [];
  let next: string | undefined;
  try {
    do {
      const query = { limit: pageSize, continue: next };
      const page = await client.list({ ...resource, namespace }, query, { metadataOnly });
      for (const item of page.items) items.push(item);
      next = page.metadata.continue;
    } while (next !== undefined && next !== '');
  } catch (error) {
    if (isStatusError(error) && (error.code === 404 || error.code === 405)) return [];
    throw error;
  }
  return items;
}

/** The longest termination grace period of the pods that are still running within their grace period, in seconds. */
function graceSeconds(pods: readonly Pod[], deletedAt: number): number {
  const elapsed = (currentTime() - deletedAt) / 1000;
  const graces = pods.map((pod) => {
    const { phase } = pod.status ?? {};
    const terminationGracePeriodSeconds = integer(pod.spec?.terminationGracePeriodSeconds);
    const isOver = phase === 'Succeeded' || phase === 'Failed' || elapsed > terminationGracePeriodSeconds;
    return isOver ? 0 : terminationGracePeriodSeconds;
  });
  return graces.reduce((longest, grace) => Math.max(longest, grace), 0);
}

function staleMessage(stale: readonly string[]): string {
  const each = [...stale]
    .sort()
    .map((groupVersion) => `${groupVersion}: stale GroupVersion discovery: ${groupVersion}`);
  return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${each.join(', ')}`;
}
