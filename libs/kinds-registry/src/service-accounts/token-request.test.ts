import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/request';
import type { ServiceAccountTokenIssuer } from '@apichain/authn';
import { isStatusError, type KubeObject } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';
import { requestToken } from './token-request.ts';

const account: KubeObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'x', namespace: 'n', uid: 'its-own' },
};
const accounts = { get: () => Promise.resolve({ json: Buffer.from(JSON.stringify(account)) } as StoredObject) };
const ctx = { requestInfo: { namespace: 'n' } } as RequestContext;

describe('requestToken', () => {
  let admitted: KubeObject | undefined;
  const request = (uid: string | undefined, expirationSeconds: number, boundObjectRef?: object) =>
    requestToken(
      { accounts, store: () => accounts },
      boundObjectRef === undefined ? undefined : ({} as ServiceAccountTokenIssuer),
      ctx,
      'x',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { ...(uid === undefined ? {} : { uid }) },
        spec: { audiences: ['a'], expirationSeconds, boundObjectRef },
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

  it('checks the uid of the account before the rest of the request', async () => {
    await assert.rejects(request('other', 5), refusedWith('Conflict'));
    await assert.rejects(request('its-own', 5), refusedWith('Invalid'));
    assert.equal(admitted, undefined);
  });

  it('treats an invalid version as absent', async () => {
    const bound = (kind: string) => request(undefined, 600, { apiVersion: 'a/b/c', kind, name: 'x', uid: 'other' });
    await assert.rejects(bound('Foo'), refusedWith('BadRequest'));
    await assert.rejects(bound('Secret'), refusedWith('Conflict'));
  });

  it('passes the account to admission', async () => {
    await assert.rejects(request(undefined, 600), /no key to sign/);
    assert.equal(admitted?.metadata.uid, 'its-own');
    assert.equal(admitted.metadata.name, 'x');
  });
});
