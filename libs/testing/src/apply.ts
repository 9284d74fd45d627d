import { discoverGroupVersion, type ResourceReference, type RestClient } from '@apichain/client';
import { errorMessage, isStatusError, parseGroupVersion, StatusError, type KubeObject } from '@apichain/meta';
import { DeferredRestMapper } from '@apichain/rest-mapper';
import { isDeciding } from './in-force.ts';
import type { SourcedObject } from './manifests.ts';
import { poll } from './poll.ts';

const fieldManager = 'apichain-testing';

const isCrd = (object: KubeObject): boolean =>
  object.kind === 'CustomResourceDefinition' && object.apiVersion.startsWith('apiextensions.k8s.io/');

/** What `applyObjects` works with. */
interface ApplyTarget {
  readonly client: RestClient;
  /** Resolves when rights and policies that were written are in force. Undefined where this cannot be known. */
  readonly upToDate?: () => Promise<void>;
}

/**
 * Creates or updates the objects with server-side apply, in order. Waits until every CustomResourceDefinition is established and listed by
 * discovery, and until rights and policies are in force. Objects without a namespace go to `default`. Throws StatusError when the server refuses an
 * object, Error for an unknown kind. Their messages begin with the file of the manifest.
 */
export async function applyObjects(target: ApplyTarget, objects: readonly SourcedObject[]): Promise<void> {
  const { client, upToDate = () => Promise.resolve() } = target;
  const mapper = new DeferredRestMapper({ discover: (groupVersion) => discoverGroupVersion(client, groupVersion) });
  let isPending = false;
  for (const batch of batches(objects)) {
    const decides = batch.some(({ object }) => isDeciding(object));
    // An object after rights or policies is written by them.
    if (isPending && !decides) await upToDate();
    isPending = decides;
    await Promise.all(batch.map((each) => named(each, () => applyObject(client, each.object, mapper))));
    const crds = batch.filter(({ object }) => isCrd(object));
    await Promise.all(crds.map((each) => named(each, () => waitUntilServed(client, each.object))));
    if (crds.length > 0) mapper.reset();
  }
  if (isPending) await upToDate();
}

/** Groups the objects: consecutive CustomResourceDefinitions are applied concurrently, everything else in order. */
function batches(objects: readonly SourcedObject[]): SourcedObject[][] {
  const result: SourcedObject[][] = [];
  for (const each of objects) {
    const last = result.at(-1);
    if (last !== undefined && last.every(({ object }) => isCrd(object)) && isCrd(each.object)) last.push(each);
    else result.push([each]);
  }
  return result;
}

/** Runs `action`. The messages of its errors then begin with the file of the object. */
async function named({ file }: SourcedObject, action: () => Promise<void>): Promise<void> {
  if (file === undefined) return action();
  try {
    await action();
  } catch (error) {
    const message = `${file}: ${errorMessage(error)}`;
    if (isStatusError(error)) throw new StatusError({ ...error.status, message });
    throw new Error(message, { cause: error });
  }
}

async function applyObject(client: RestClient, object: KubeObject, mapper: DeferredRestMapper): Promise<void> {
  const ref = await referenceOf(object, mapper);
  const query = { fieldManager, force: true };
  await client.patch(ref, object.metadata.name ?? '', 'apply', object, { query });
}

async function referenceOf({ apiVersion, kind, metadata }: KubeObject, mapper: DeferredRestMapper) {
  const mapping = await mapper.mappingOf({ ...parseGroupVersion(apiVersion), kind });
  if (mapping === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  const { group, version, resource, scope } = mapping;
  const reference: ResourceReference = { group, version, resource };
  return scope === 'Namespaced' ? { ...reference, namespace: metadata.namespace ?? 'default' } : reference;
}

interface Crd extends KubeObject {
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** Waits until discovery lists the resources of an established CRD. Throws Error with the conditions of the CRD after 10 s. */
async function waitUntilServed(client: RestClient, object: KubeObject): Promise<void> {
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

/** Waits until discovery lists the resources of the CRDs, or no longer lists them. */
async function waitForDiscovery(client: RestClient, list: readonly Crd[], served: boolean): Promise<void> {
  for (const { spec } of list) {
    const version = spec.versions.find((candidate) => candidate.served);
    if (version === undefined) continue;
    const isServed = async () => {
      const resources = await discoverGroupVersion(client, { group: spec.group, version: version.name });
      return resources.some(({ resource }) => resource === spec.names.plural) && (await listsGroup(client, spec.group));
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
