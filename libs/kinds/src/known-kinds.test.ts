import assert from 'node:assert/strict';
import { builtinKinds } from './known-kinds.ts';

describe('kinds that the decoder knows', () => {
  it('are those of the table, and every version that ever had a Scale', () => {
    const knows = (group: string, version: string, kind: string) => builtinKinds.recognizes({ group, version, kind });
    assert.ok(knows('', 'v1', 'Pod'));
    assert.ok(knows('autoscaling', 'v1', 'Scale'));
    assert.ok(knows('extensions', 'v1beta1', 'Scale'));
    assert.ok(knows('apps', 'v1beta2', 'Scale'));
    assert.equal(knows('apps', 'v1', 'Scale'), false);
    assert.equal(knows('', 'v1', 'Nope'), false);
  });
});
