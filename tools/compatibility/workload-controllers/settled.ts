import type { ResourceReference, RestClient } from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import { waitFor } from '@apichain/testing';

/** All objects, when nothing has changed for a second. */
export async function settled(client: RestClient, compared: readonly ResourceReference[]): Promise<KubeObject[]> {
  let before = '';
  let since = performance.now();
  return waitFor(
    async () => {
      const lists = await Promise.all(compared.map((resource) => client.list(resource)));
      const objects = lists.flatMap(({ kind, items }) => items.map((item) => ({ ...item, kind: kind.slice(0, -4) })));
      const versions = objects.map(({ metadata }) => metadata.resourceVersion).join();
      if (versions !== before) since = performance.now();
      before = versions;
      return performance.now() - since > 1_000 && objects;
    },
    { timeoutMs: 30_000, intervalMs: 100 },
  );
}
