import assert from 'node:assert/strict';
import { optionsObject } from './admission.ts';

describe('the options of a request in admission', () => {
  it('have the fieldValidation of the request', () => {
    const options = { dryRun: false, fieldManager: 'f', fieldValidation: 'Warn', forceAllowCreate: false } as const;
    const shown = { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'f' };
    assert.deepEqual(optionsObject('UpdateOptions', { ...options, statedFieldValidation: '' }), shown);
    assert.deepEqual(optionsObject('UpdateOptions', { ...options, statedFieldValidation: 'Warn' }), {
      ...shown,
      fieldValidation: 'Warn',
    });
  });
});
