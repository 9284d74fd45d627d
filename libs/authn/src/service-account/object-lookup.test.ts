import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { isStatusError, newNotFound, newServiceUnavailable, type StatusError } from '@apichain/meta';
import { BootstrapTokenAuthenticator } from '../bootstrap-token-authenticator.ts';
import { UnionTokenAuthenticator } from '../token.ts';
import { AuthenticationUnavailableError } from '../unavailable.ts';
import { signToken } from './jwt.ts';
import { parseSigningKey } from './keys.ts';
import { LegacyTokenAuthenticator } from './legacy-token-authenticator.ts';
import { ClientTokenObjects, lookUp } from './object-lookup.ts';
import { ServiceAccountTokenAuthenticator } from './token-authenticator.ts';

const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a', namespace: 'ns' } };

describe('the objects of tokens', () => {
  const readWith = (failure: StatusError) => {
    const asked: unknown[] = [];
    const objects = new ClientTokenObjects();
    objects.start({
      get: (_ref, _name, query) => {
        asked.push(query);
        return query === undefined ? Promise.reject(failure) : Promise.resolve(account);
      },
      patch: () => Promise.resolve(account),
    });
    return { asked, read: objects.get('serviceaccounts', 'ns', 'a') };
  };

  it('come from the watch cache while the store is unavailable', async () => {
    const { read } = readWith(newServiceUnavailable('etcd is away'));
    assert.equal(await read, account);
  });

  it('are undetermined when the cache fails too, without refusal of the token', async () => {
    for (const failure of [newServiceUnavailable('away'), new Error('connect ECONNREFUSED')]) {
      const objects = new ClientTokenObjects();
      objects.start({ get: () => Promise.reject(failure), patch: () => Promise.resolve(account) });
      const key = parseSigningKey(
        generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
      );
      const options = { keys: [key], apiAudiences: ['api'], objects };
      const tokens = new UnionTokenAuthenticator([
        new LegacyTokenAuthenticator({ ...options, lookup: true, onLabelError: assert.ifError }),
        new ServiceAccountTokenAuthenticator({ ...options, issuers: ['https://i'] }),
      ]);
      const issued = await signToken(key, {
        iss: 'https://i',
        aud: 'api',
        'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'a', uid: 'u' }, pod: { name: 'p', uid: 'u' } },
      });
      const legacy = await signToken(key, {
        iss: 'kubernetes/serviceaccount',
        sub: 'system:serviceaccount:ns:a',
        'kubernetes.io/serviceaccount/namespace': 'ns',
        'kubernetes.io/serviceaccount/secret.name': 's',
        'kubernetes.io/serviceaccount/service-account.name': 'a',
        'kubernetes.io/serviceaccount/service-account.uid': 'u',
      });
      for (const token of [issued, legacy])
        await assert.rejects(tokens.authenticateToken(token), AuthenticationUnavailableError);
      const bootstrap = new BootstrapTokenAuthenticator(objects);
      await assert.rejects(bootstrap.authenticateToken('abcdef.0123456789abcdef'), AuthenticationUnavailableError);
    }
  });

  it('do not exist when the store returns NotFound', async () => {
    const { asked, read } = readWith(newNotFound({ group: '', resource: 'serviceaccounts' }, 'a'));
    await assert.rejects(read, (error) => isStatusError(error, 'NotFound'));
    assert.deepEqual(asked, [undefined]);
  });

  it('are undetermined when only the watch cache lacks them, because it may not be filled', async () => {
    const gone = newNotFound({ group: '', resource: 'serviceaccounts' }, 'a');
    const objects = new ClientTokenObjects();
    const away = newServiceUnavailable('etcd is away');
    objects.start({
      get: (_ref, _name, query) => Promise.reject(query === undefined ? away : gone),
      patch: () => Promise.resolve(account),
    });
    await assert.rejects(objects.get('serviceaccounts', 'ns', 'a'), AuthenticationUnavailableError);
  });
});

describe('lookUp', () => {
  it('treats every failure of the store and its cache as undetermined', async () => {
    for (const failure of [newServiceUnavailable('etcd is away'), new Error('connect ECONNREFUSED')])
      await assert.rejects(
        lookUp('secrets', 's', () => Promise.reject(failure)),
        AuthenticationUnavailableError,
      );
  });
});
