import assert from 'node:assert/strict';
import { metadataRules } from './metadata-rules.ts';

describe('the metadata of custom resources', () => {
  it('is read in the order of its names: the first of several faults is told', () => {
    assert.throws(() => metadataRules.decode({ name: 1, labels: { z: 1, b: {} } }), {
      message: 'json: cannot unmarshal object into Go struct field ObjectMeta.labels of type string',
    });
  });
});
