import assert from 'node:assert/strict';
import { generatedTypes, staleTypes } from './typescript.ts';

describe('types of the built-in kinds', () => {
  it('equal those generated from the table of types', () => {
    assert.deepEqual(staleTypes(generatedTypes()), [], 'run node tools/kinds/typescript.ts');
  });
});
