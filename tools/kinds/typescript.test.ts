import assert from 'node:assert/strict';
import { generatedTypes, staleTypes } from './typescript.ts';

describe('types of the built-in kinds', () => {
  it('are what the table of types makes', () => {
    assert.deepEqual(staleTypes(generatedTypes()), [], 'run node tools/kinds/typescript.ts');
  });
});
