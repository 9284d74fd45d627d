import assert from 'node:assert/strict';
import { mappingsOfGroupDiscovery } from './discovered.ts';

describe('mappingsOfGroupDiscovery', () => {
  const responseKind = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const document = {
    items: [
      { kind: '', apiVersion: '', metadata: {}, versions: [{ version: 'v1', freshness: 'Current' }] },
      {
        kind: '',
        apiVersion: '',
        metadata: { name: 'example.com' },
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              {
                resource: 'widgets',
                responseKind,
                scope: 'Namespaced',
                singularResource: 'widget',
                verbs: ['get', 'list'],
                shortNames: ['wi'],
                categories: ['all'],
                subresources: [{ subresource: 'scale', verbs: ['get'] }],
              },
            ],
          },
          { version: 'v1alpha1', freshness: 'Stale' },
        ],
      },
    ],
  };

  it('reads the resources of every version, without subresources', () => {
    assert.deepEqual(mappingsOfGroupDiscovery(document).mappings, [
      {
        group: 'example.com',
        version: 'v1',
        resource: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        scope: 'Namespaced',
        shortNames: ['wi'],
        verbs: ['get', 'list'],
      },
    ]);
  });

  it('names the versions of unreachable servers', () => {
    assert.deepEqual(mappingsOfGroupDiscovery(document).stale, ['example.com/v1alpha1']);
    assert.deepEqual(mappingsOfGroupDiscovery({ items: null }), { mappings: [], stale: [] });
  });
});
