import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import type { RequestContext } from '@apichain/apiserver';
import { defaulterFor } from '../defaults/index.ts';
import { jobBehaviour } from './job.ts';

const ctx = {} as unknown as RequestContext;

function created(labels: Record<string, string> | undefined): Record<string, string> | undefined {
  const job: KubeObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'x', uid: 'u', ...(labels === undefined ? {} : { labels }) },
    spec: { template: { metadata: { labels: { app: 'a' } }, spec: { containers: [] } } },
  };
  defaulterFor({ group: 'batch', version: 'v1', kind: 'Job' })?.(job);
  jobBehaviour.prepareForCreate?.(job, ctx);
  return job.metadata.labels;
}

describe('labels of jobs', () => {
  it('are those of the template, generated ones included, where the job has none', () => {
    assert.deepEqual(created(undefined), {
      app: 'a',
      'batch.kubernetes.io/job-name': 'x',
      'job-name': 'x',
      'batch.kubernetes.io/controller-uid': 'u',
      'controller-uid': 'u',
    });
  });

  it('stay what they are where the job has some, the same as its template too', () => {
    assert.deepEqual(created({ app: 'a' }), { app: 'a' });
  });
});
