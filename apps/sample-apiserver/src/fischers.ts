import { defineResource, forbidden, Type, type AdmissionPlugin, type RestClient } from '@apichain/extension-server';

/** `wardle.example.com` Fischers: a Fischer names Flunders that may not be created. */
export const fischers = defineResource({
  group: 'wardle.example.com',
  version: 'v1alpha1',
  kind: 'Fischer',
  plural: 'fischers',
  scope: 'Cluster',
  schema: Type.Object({
    disallowedFlunders: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names of Flunders that may not be created.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
  }),
});

/** Refuses new Flunders whose name a Fischer disallows. */
export const banFlunder = (client: RestClient): AdmissionPlugin => ({
  name: 'BanFlunder',
  handles: new Set(['CREATE']),
  async validate({ resource, subresource, name }) {
    if (resource.resource !== 'flunders' || subresource !== '') return;
    const { items } = await client.list({ group: resource.group, version: 'v1alpha1', resource: 'fischers' });
    const isBanned = items.some(
      ({ disallowedFlunders }) => Array.isArray(disallowedFlunders) && disallowedFlunders.includes(name),
    );
    if (isBanned) throw forbidden(resource, name, 'this name may not be used, please change the resource name');
  },
});
