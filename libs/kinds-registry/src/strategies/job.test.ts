import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import { defaulterFor } from '@apichain/kinds';
import { jobBehaviour } from './job.ts';

const ctx = {} as RequestContext;

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
  it('are those of the template, including generated ones, when the job has none', () => {
    assert.deepEqual(created(undefined), {
      app: 'a',
      'batch.kubernetes.io/job-name': 'x',
      'job-name': 'x',
      'batch.kubernetes.io/controller-uid': 'u',
      'controller-uid': 'u',
    });
  });

  it('are added on read when the labels of the template were generated', () => {
    const { mayLack, complete } = jobBehaviour.hooks?.readDefaults ?? assert.fail('nothing is added');
    const spec = { template: { metadata: { labels: { 'job-name': 'x' } }, spec: {} } };
    const job = (metadata: object): KubeObject => ({ kind: 'Job', apiVersion: 'batch/v1', metadata, spec });
    const annotations = { a: '{"labels":{"b":"c"}}' };
    const bytes = (object: KubeObject) => Buffer.from(JSON.stringify(object));
    const bare = job({ name: 'x', annotations });
    assert.equal(mayLack(bytes(bare)), true);
    assert.deepEqual(complete(bare).metadata, { name: 'x', annotations, labels: { 'job-name': 'x' } });
    const labelled = job({ name: 'x', labels: { own: 'a' } });
    assert.equal(mayLack(bytes(labelled)), false);
    assert.equal(complete(labelled), labelled);
  });

  it('are kept when the job has labels, also those of its template', () => {
    assert.deepEqual(created({ app: 'a' }), { app: 'a' });
  });
});
