import assert from 'node:assert/strict';
import type { InformerHandlers } from '@apichain/client';
import { CrdRegistration } from './crd-registration.ts';

describe('CrdRegistration', () => {
  const crd = (plural: string, versions: Readonly<Record<string, boolean>>) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      versions: Object.entries(versions).map(([name, served]) => ({ name, served })),
    },
  });

  it('registers what any definition serves, established or not, until none serves it', () => {
    let handlers: InformerHandlers = {};
    const informer = { addHandlers: (given: InformerHandlers) => void (handlers = given) };
    const calls: string[] = [];
    new CrdRegistration(informer, {
      add: ({ group, version }) => void calls.push(`add ${version}.${group}`),
      remove: (group, version) => void calls.push(`remove ${version}.${group}`),
    });
    const things = crd('things', { v1: true, v2: false });
    handlers.onAdd?.(things);
    handlers.onAdd?.(crd('others', { v1: true }));
    const later = crd('things', { v1: true, v2: true });
    handlers.onUpdate?.(later, things);
    handlers.onDelete?.(later);
    assert.equal(calls.at(-1), 'remove v2.example.com');
    handlers.onUpdate?.(crd('others', { v1: false }), crd('others', { v1: true }));
    assert.deepEqual(calls, [
      'add v1.example.com',
      'add v2.example.com',
      'remove v2.example.com',
      'remove v1.example.com',
    ]);
  });
});
