import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributes } from './attributes.fixture.ts';
import { forbidden } from './forbidden.ts';

describe('forbidden', () => {
  const message = (name: string, object: KubeObject | undefined) =>
    forbidden({ ...testAttributes(), ...(object && { object }), name }, 'no').message;
  const pod = (metadata: KubeObject['metadata']): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata });

  it('names the object by the request, its name, its generateName, or not at all', () => {
    assert.match(message('a', pod({ name: 'b' })), /^pods "a" is forbidden: no/);
    assert.match(message('', pod({ name: 'b', generateName: 'c' })), /^pods "b" is/);
    assert.match(message('', pod({ generateName: 'c-' })), /^pods "c-" is/);
    assert.match(message('', pod({})), /^pods "Unknown" is/);
    assert.match(message('', undefined), /^pods "Unknown" is/);
  });

  it('needs no metadata of the options of a request that connects', () => {
    assert.match(message('a', JSON.parse('{"kind":"PodExecOptions","apiVersion":"v1"}') as KubeObject), /^pods "a" is/);
  });
});
