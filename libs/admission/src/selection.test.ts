import assert from 'node:assert/strict';
import { maxMembers, type KubeObject } from '@apichain/meta';
import type { AdmissionAttributes } from './plugin.ts';
import { replaceObject } from './selection.ts';

describe('replaceObject', () => {
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const wide = (members: number): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {},
    items: Array(members - 4).fill(0),
  });
  const replaced = async (members: number, by: number) => {
    const object = wide(members);
    const attributes: Pick<AdmissionAttributes, 'object' | 'interfaces' | 'kind'> = {
      object,
      interfaces: undefined,
      kind,
    };
    await replaceObject(attributes, wide(by), kind);
    return (object['items'] as unknown[]).length + 4;
  };

  it('refuses an object that a plugin made too large, and lets a large one shrink', async () => {
    assert.equal(await replaced(10, maxMembers), maxMembers);
    await assert.rejects(replaced(10, maxMembers + 1), /Request entity too large: a document may have at most/);
    assert.equal(await replaced(maxMembers + 9, maxMembers + 8), maxMembers + 8);
    await assert.rejects(replaced(maxMembers + 9, maxMembers + 10), /too large/);
  });
});
