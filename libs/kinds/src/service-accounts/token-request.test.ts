import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/apiserver';
import { isStatusError, type KubeObject } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';
import { requestToken } from './token-request.ts';

const account: KubeObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'x', namespace: 'n', uid: 'its-own' },
};
const accounts = { get: () => Promise.resolve({ parse: () => structuredClone(account) } as StoredObject) };
const ctx = { requestInfo: { namespace: 'n' } } as RequestContext;

describe('requestToken', () => {
  let admitted: KubeObject | undefined;
  const request = (uid: string | undefined, expirationSeconds: number) =>
    requestToken(
      { accounts, store: () => accounts },
      undefined,
      ctx,
      'x',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { ...(uid === undefined ? {} : { uid }) },
        spec: { audiences: ['a'], expirationSeconds },
      },
      {
        dryRun: false,
        fieldManager: 't',
        fieldValidation: 'Ignore',
        validateCreate: (object) => {
          admitted = structuredClone(object);
          return Promise.resolve();
        },
      },
    );
  const refusedWith = (reason: string) => (error: unknown) => isStatusError(error) && error.status.reason === reason;

  beforeEach(() => {
    admitted = undefined;
  });

  it('minds the uid of the account before the rest of the request', async () => {
    await assert.rejects(request('other', 5), refusedWith('Conflict'));
    await assert.rejects(request('its-own', 5), refusedWith('Invalid'));
    assert.equal(admitted, undefined);
  });

  it('shows admission whose token it will be', async () => {
    await assert.rejects(request(undefined, 600), /no key to sign/);
    assert.equal(admitted?.metadata.uid, 'its-own');
    assert.equal(admitted.metadata.name, 'x');
  });
});
