import type { ApiServer } from './api-server.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Groups {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

/** The path of every collection that a server lists, over all namespaces and in every version. */
export async function collections(server: ApiServer): Promise<string[]> {
  const paths: string[] = [];
  for (const root of ['/api', '/apis']) {
    const { items } = await server.json<Groups>('GET', root, { accept: aggregated });
    for (const { metadata, versions = [] } of items)
      for (const { version, resources = [] } of versions)
        for (const { resource, verbs } of resources)
          if (verbs.includes('list')) paths.push([root, metadata.name, version, resource].filter(Boolean).join('/'));
  }
  return paths;
}
