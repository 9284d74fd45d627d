import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { StatusError } from '@apichain/meta';
import { parseQuery } from '@apichain/request';
import { deleteOptionsOf } from './delete-options-body.ts';

const read = (body: string, query = '') =>
  deleteOptionsOf(Buffer.from(body), new IncomingMessage(new Socket()), parseQuery(query), undefined);

async function refuses(body: string, message: string): Promise<void> {
  await assert.rejects(
    () => read(body),
    (error: unknown) => error instanceof StatusError && error.status.code === 400 && error.status.message === message,
  );
}

describe('DeleteOptions of a request', () => {
  it('are those of the body, in the version of any group', async () => {
    const options = { gracePeriodSeconds: 5, preconditions: { uid: 'u' }, dryRun: ['All'] };
    for (const apiVersion of ['v1', 'apps/v1', 'meta.k8s.io/v1', 'batch/v9']) {
      assert.deepEqual(await read(JSON.stringify({ kind: 'DeleteOptions', apiVersion, ...options })), options);
    }
    assert.deepEqual(await read('{"unknown":1,"preconditions":null}', '?gracePeriodSeconds=3'), {});
    assert.deepEqual(await read('null'), {});
  });

  it('come with preconditions from the query of a request without a body', async () => {
    assert.deepEqual(await read('', '?uid=u&resourceVersion=7'), { preconditions: { uid: 'u', resourceVersion: '7' } });
    assert.deepEqual(await read('', '?uid=&resourceVersion='), {});
  });

  it('are refused with the decoder error of the first invalid value', async () => {
    const scheme = 'in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"';
    await refuses('{"kind":"Pod","apiVersion":"v1"}', `no kind "Pod" is registered for version "v1" ${scheme}`);
    const unknown = 'to (v1.DeleteOptions): unknown conversion';
    await refuses('{"kind":"Status","apiVersion":"x/v2"}', `converting (v1.Status) ${unknown}`);
    await refuses('{"kind":"ListOptions"}', `converting (v1.ListOptions) ${unknown}`);
    await refuses(
      '{"kind":"ListOptions","apiVersion":"v1"}',
      `no kind "ListOptions" is registered for version "v1" ${scheme}`,
    );
    const list = 'PartialObjectMetadataList';
    await refuses(`{"kind":"${list}","apiVersion":"meta.k8s.io/v1beta1"}`, `converting (v1beta1.${list}) ${unknown}`);
    await refuses('{"kind":"Pod"}', `no kind "Pod" is registered for version "meta.k8s.io/v1" ${scheme}`);
    await refuses('{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c');
    await refuses(
      '{"kind":5}',
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    );
    await refuses(
      '[]',
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    );
    const field = (value: string, place: string, type: string) =>
      `json: cannot unmarshal ${value} into Go struct field ${place} of type ${type}`;
    await refuses('{"dryRun":["x",5]}', field('number', 'DeleteOptions.dryRun', 'string'));
    await refuses('{"gracePeriodSeconds":1.5}', field('number 1.5', 'DeleteOptions.gracePeriodSeconds', 'int64'));
    await refuses('{"preconditions":"x"}', field('string', 'DeleteOptions.preconditions', 'v1.Preconditions'));
    await refuses('{"preconditions":{"uid":5}}', field('number', 'Preconditions.preconditions.uid', 'types.UID'));
  });
});
