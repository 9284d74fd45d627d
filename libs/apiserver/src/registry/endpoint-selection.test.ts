import assert from 'node:assert/strict';
import { parseFieldSelector, parseLabelSelector, type KubeObject } from '@apichain/meta';
import { readStored } from '@apichain/storage';
import { defaultListOptions } from '../negotiation/request-options.ts';
import { EndpointSelection } from './endpoint-selection.ts';
import { storedThing } from './stored-thing.fixture.ts';

describe('the selection of objects after their conversion', () => {
  for (const [size, bytes] of [
    ['small', 10],
    ['large', 1024 * 1024],
  ] as const)
    it(`finds ${size} objects by labels that only the other version has`, async () => {
      const version = {
        apiVersion: 'v2',
        shape: 'v2',
        convert: async (objects: readonly KubeObject[]) =>
          objects.map((object) => {
            const isEven = Number(object.metadata.name?.slice(1)) % 2 === 0;
            const metadata = { ...object.metadata, labels: { even: String(isEven) } };
            return { ...object, apiVersion: 'v2', metadata };
          }),
        attributesOf: ({ metadata: { name = '', labels = {} } }: KubeObject) => ({
          name,
          namespace: '',
          labels,
          fields: {},
        }),
      };
      const selectors = { labels: parseLabelSelector('even=true'), fields: parseFieldSelector('') };
      const items = Array.from({ length: 12 }, (_, i) => storedThing(`a${i}`, bytes));
      const list = await new EndpointSelection(version, selectors).list(defaultListOptions, '/things/', () =>
        Promise.resolve({ items, revision: 1 }),
      );
      const found: unknown[] = [];
      for (const item of list.items) {
        const { apiVersion, metadata } = await readStored(item);
        found.push([apiVersion, metadata.name]);
      }
      assert.deepEqual(
        found,
        ['a0', 'a2', 'a4', 'a6', 'a8', 'a10'].map((name) => ['v2', name]),
      );
    });
});
