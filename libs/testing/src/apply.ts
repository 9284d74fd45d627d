import { discoverGroupVersion, type RestClient } from '@apichain/client';
import { isDefinition, referenceOf, waitUntilServed } from '@apichain/client/manifests';
import { errorMessage, isStatusError, StatusError, type KubeObject } from '@apichain/meta';
import { DeferredRestMapper } from '@apichain/rest-mapper';
import { isDeciding } from './in-force.ts';
import type { SourcedObject } from './manifests.ts';

const fieldManager = 'apichain-testing';

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
    const crds = batch.filter(({ object }) => isDefinition(object));
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
    if (last !== undefined && last.every(({ object }) => isDefinition(object)) && isDefinition(each.object))
      last.push(each);
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
