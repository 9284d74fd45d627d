import assert from 'node:assert/strict';
import type { ManagedFieldsEntry } from '@apichain/meta';
import { ScaleHandler } from './scale-handler.ts';

const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  fields: string[],
  more: Partial<ManagedFieldsEntry> = {},
) => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) },
  ...more,
});
const scale = { apiVersion: 'autoscaling/v1' } as const;
const replicasPaths = { 'apps/v1': 'spec.replicas', 'apps/v1beta1': null };

describe('ScaleHandler', () => {
  it('shows the owner of the replicas', () => {
    const handler = new ScaleHandler({
      parentEntries: [
        entry('both', 'Update', ['replicas', 'selector']),
        entry('neither', 'Apply', ['selector']),
        entry('gone', 'Update', ['replicas'], { apiVersion: 'apps/v0' }),
      ],
      apiVersion: 'apps/v1',
      replicasPaths,
    });
    assert.deepEqual(handler.toSubresource(), [entry('both', 'Update', ['replicas'], scale)]);
  });

  it('assigns the replicas to the manager that scaled, and keeps the rest', () => {
    const handler = new ScaleHandler({
      parentEntries: [entry('owner', 'Apply', ['replicas', 'selector'])],
      apiVersion: 'apps/v1',
      replicasPaths,
    });
    const after = handler.toParent([entry('scaler', 'Update', ['replicas'], { ...scale, subresource: 'scale' })]);
    const { time: _, ...scaler } = entry('scaler', 'Update', ['replicas'], { subresource: 'scale' });
    assert.deepEqual(after, [entry('owner', 'Apply', ['selector']), scaler]);
  });

  it('keeps an applier that still owns them', () => {
    const parentEntries = [entry('owner', 'Apply', ['replicas', 'selector'])];
    const handler = new ScaleHandler({ parentEntries, apiVersion: 'apps/v1', replicasPaths });
    assert.deepEqual(handler.toParent(handler.toSubresource()), parentEntries);
  });
});
