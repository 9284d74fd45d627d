import { parseGroupVersion, poll, type KubeObject } from '@apichain/meta';
import type { DeferredRestMapper } from '@apichain/rest-mapper';
import { discoverGroupVersion } from '../discover-group-version.ts';
import type { ResourceReference, RestClient } from '../rest-client.ts';

/** Whether an object is a CustomResourceDefinition. */
export const isDefinition = ({ kind, apiVersion }: KubeObject): boolean =>
  kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');

/**
 * The resource of an object, and its namespace, `default` where the object names none. Throws Error for a kind that is not served, and the errors of
 * discovery.
 */
export async function referenceOf(
  { apiVersion, kind, metadata }: KubeObject,
  mapper: DeferredRestMapper,
): Promise<ResourceReference> {
  const mapping = await mapper.mappingOf({ ...parseGroupVersion(apiVersion), kind });
  if (mapping === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  const { group, version, resource, scope } = mapping;
  const reference = { group, version, resource };
  return scope === 'Namespaced' ? { ...reference, namespace: metadata.namespace ?? 'default' } : reference;
}

/** The part of a CustomResourceDefinition that tells what is served. */
interface Crd extends KubeObject {
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** Waits until discovery lists the resources of an established CRD. Throws Error with the conditions of the CRD after 10 s. */
export async function waitUntilServed(client: RestClient, object: KubeObject): Promise<void> {
  const name = object.metadata.name ?? '';
  let crd = await client.get<Crd>(crds, name);
  const isTrue = (type: string) =>
    (crd.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
  const established = async () => {
    crd = await client.get<Crd>(crds, name);
    return isTrue('Established');
  };
  const messages = () =>
    (crd.status?.conditions ?? []).map(({ type, message = '' }) => `${type}: ${message}`).join('; ');
  if (!isTrue('Established'))
    await poll(() => `CustomResourceDefinition ${name} is not established (${messages()})`, established);
  await waitForDiscovery(client, [crd], true);
}

/** Waits until discovery lists the resources of the CRDs in every version that they serve, or no longer lists them. */
async function waitForDiscovery(client: RestClient, list: readonly Crd[], served: boolean): Promise<void> {
  for (const { spec } of list)
    for (const version of spec.versions.filter((candidate) => candidate.served)) {
      const isServed = async () => {
        const resources = await discoverGroupVersion(client, { group: spec.group, version: version.name });
        const isListed = resources.some(({ resource }) => resource === spec.names.plural);
        return isListed && (await listsGroup(client, spec.group));
      };
      const what = `${spec.names.plural}.${spec.group} is ${served ? 'not yet' : 'still'} served`;
      await poll(what, async () => (await isServed()) === served);
    }
}

async function listsGroup(client: RestClient, group: string): Promise<boolean> {
  const { groups } = (await client.request('GET', '/apis')) as { groups: { name: string }[] };
  return groups.some(({ name }) => name === group);
}

/** All CRDs of the chain. */
export async function listCrds(client: RestClient): Promise<Crd[]> {
  return (await client.list(crds)).items as Crd[];
}

/** Waits until discovery reflects the CRDs of a restored store. `before` holds the CRDs before the restore. */
export async function followCrds(client: RestClient, before: readonly Crd[]): Promise<void> {
  const after = await listCrds(client);
  const revision = (list: readonly Crd[], name: string | undefined) =>
    list.find(({ metadata }) => metadata.name === name)?.metadata.uid;
  const gone = before.filter(({ metadata }) => revision(after, metadata.name) === undefined);
  const come = after.filter(({ metadata }) => revision(before, metadata.name) !== metadata.uid);
  await waitForDiscovery(client, gone, false);
  await waitForDiscovery(client, come, true);
}
