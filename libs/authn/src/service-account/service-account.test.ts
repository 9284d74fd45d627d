import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { type KubeObject, newNotFound } from '@apichain/meta';
import { parsePublicKeys, parseSigningKey, type SigningKey } from './keys.ts';
import { LegacyTokenAuthenticator } from './legacy-token-authenticator.ts';
import { parseToken, signToken } from './jwt.ts';
import { openIdDocuments } from './openid.ts';
import { ServiceAccountTokenAuthenticator } from './token-authenticator.ts';
import { ServiceAccountTokenCounts } from './signed-tokens.ts';
import { ServiceAccountTokenIssuer } from './token-issuer.ts';

const issuer = 'https://kubernetes.default.svc';
const now = () => Math.floor(Date.now() / 1000);

function newKey(type: 'ec' | 'rsa' = 'ec'): SigningKey {
  const { privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return parseSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

const object = (name: string, uid: string, more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Object',
  metadata: { name, uid, ...more },
});

/** Objects by `resource/namespace/name`. `labelled` records the Secrets that were used, and when. */
function objects(known: Record<string, KubeObject>, labelled: string[] = []) {
  return {
    labelSecret: async ({ metadata }: KubeObject, labels: Readonly<Record<string, string>>) => {
      labelled.push(`${metadata.name ?? ''} ${labels['kubernetes.io/legacy-token-last-used'] ?? ''}`);
    },
    get: async (resource: string, namespace: string, name: string) => {
      const found = known[`${resource}/${namespace}/${name}`];
      if (found === undefined) throw newNotFound({ group: '', resource }, name);
      return found;
    },
  };
}

const issuerOf = (key: SigningKey) =>
  new ServiceAccountTokenIssuer({
    issuer,
    key,
    apiAudiences: [issuer],
    maxExpirationSeconds: 0,
    extendExpiration: true,
  });
const account = { namespace: 'ns', serviceaccount: { name: 'sa', uid: 'u1' } };

describe('service account tokens', () => {
  const key = newKey();
  const known: Record<string, KubeObject> = {
    'serviceaccounts/ns/sa': object('sa', 'u1'),
    'pods/ns/p': object('p', 'u2'),
  };
  const projected = new ServiceAccountTokenCounts();
  const authenticator = new ServiceAccountTokenAuthenticator({
    issuers: [issuer],
    keys: [key],
    apiAudiences: [issuer],
    objects: objects(known),
    counts: projected,
  });
  const issue = (more: object = {}, options: { issuedAt?: number; audiences?: string[] } = {}) =>
    issuerOf(key).issue({
      account: { ...account, ...more },
      audiences: options.audiences ?? [issuer],
      issuedAt: options.issuedAt ?? now(),
      lifetime: 600,
    });

  it('authenticate the account, and name their bound objects', async () => {
    const token = await issue({ pod: { name: 'p', uid: 'u2' }, node: { name: 'n', uid: 'u3' } });
    const { user, audiences } = (await authenticator.authenticateToken(token)) ?? {};
    assert.deepEqual(audiences, [issuer]);
    assert.equal(user?.name, 'system:serviceaccount:ns:sa');
    assert.equal(user.uid, 'u1');
    assert.deepEqual(user.groups, ['system:serviceaccounts', 'system:serviceaccounts:ns']);
    const id = parseToken(token)?.claims['jti'];
    assert.deepEqual(user.extra, {
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['u2'],
      'authentication.kubernetes.io/credential-id': [`JTI=${String(id)}`],
      'authentication.kubernetes.io/node-name': ['n'],
      'authentication.kubernetes.io/node-uid': ['u3'],
    });
  });

  it('have a warning after an extended expiry, and are counted', async () => {
    const before = { ...projected };
    const told = async (warnafter: number) =>
      (await authenticator.authenticateToken(await issue({ warnafter })))?.user.auditAnnotations;
    assert.equal(await told(now() + 100), undefined);
    assert.match(
      (await told(now() - 100))?.['authentication.k8s.io/stale-token'] ?? '',
      /^subject: system:serviceaccount:ns:sa, seconds after warning threshold: 10\d$/,
    );
    await authenticator.authenticateToken(await issue());
    assert.deepEqual({ ...projected }, { ...before, valid: before.valid + 1, stale: before.stale + 1 });
  });

  it('are refused when they are forged, expired, for other audiences, or their objects are deleted', async () => {
    const refused = async (token: string | Promise<string>, message: RegExp) =>
      assert.rejects(async () => authenticator.authenticateToken(await token), { message });
    const twice = await issue({}, { audiences: ['b', 'a', 'b', issuer] });
    assert.deepEqual((await authenticator.authenticateToken(twice, ['a', 'b', 'c']))?.audiences, ['a', 'b']);
    const forged = issuerOf(newKey()).issue({ account, audiences: [issuer], issuedAt: now(), lifetime: 600 });
    await refused(forged, /no keys found/);
    await refused(`${(await issue()).slice(0, -8)}AAAAAAAA`, /error in cryptographic primitive/);
    await refused(issue({}, { issuedAt: now() - 700 }), /token has expired/);
    await refused(issue({}, { issuedAt: now() + 700 }), /not valid yet/);
    await refused(issue({}, { audiences: ['a', 'b'] }), /\["a" "b"\] is invalid for the target audiences \["https:/);
    await refused(issue({ serviceaccount: { name: 'sa', uid: 'x' } }), /UID \(u1\) does not match claim \(x\)/);
    await refused(issue({ serviceaccount: { name: 'none', uid: 'x' } }), /serviceaccounts "none" not found/);
    await refused(issue({ pod: { name: 'gone', uid: 'u2' } }), /has been invalidated/);
    await refused(issue({ pod: { name: 'p', uid: 'u9' } }), /pod UID \(u2\) does not match/);
    known['secrets/ns/old'] = object('old', 'u4', { deletionTimestamp: '2001-02-03T04:05:06Z' });
    await refused(issue({ secret: { name: 'old', uid: 'u4' } }), /has been invalidated/);
  });

  it('ignore tokens of other issuers', async () => {
    assert.equal(await authenticator.authenticateToken('garbage'), undefined);
    assert.equal(await authenticator.authenticateToken('a.b.c'), undefined);
    assert.equal(await authenticator.authenticateToken(await signToken(key, { iss: 'https://other' })), undefined);
  });

  it('are read from Secrets when they are legacy tokens', async () => {
    const rsa = newKey('rsa');
    const claims = {
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:ns:sa',
      'kubernetes.io/serviceaccount/namespace': 'ns',
      'kubernetes.io/serviceaccount/secret.name': 's',
      'kubernetes.io/serviceaccount/service-account.name': 'sa',
      'kubernetes.io/serviceaccount/service-account.uid': 'u1',
    };
    const token = await signToken(rsa, claims);
    const data = { token: Buffer.from(token).toString('base64') };
    const secrets = { 'serviceaccounts/ns/sa': object('sa', 'u1'), 'secrets/ns/s': { ...object('s', 'u5'), data } };
    const failures: unknown[] = [];
    const onLabelError = (error: unknown) => void failures.push(error);
    const options = { keys: [rsa], apiAudiences: [issuer], lookup: true, onLabelError };
    const labelled: string[] = [];
    const counts = new ServiceAccountTokenCounts();
    const legacy = new LegacyTokenAuthenticator({ ...options, objects: objects(secrets, labelled), counts });
    await assert.rejects(legacy.authenticateToken(token, ['a']), {
      message: /is invalid for the target audiences \["a"\]$/,
    });
    const { user } = (await legacy.authenticateToken(token)) ?? {};
    assert.equal(user?.name, 'system:serviceaccount:ns:sa');
    assert.deepEqual(user.auditAnnotations, {
      'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:sa',
      'authentication.k8s.io/legacy-token-manual-secret': 's',
    });
    Object.assign(secrets['serviceaccounts/ns/sa'], { secrets: [{ name: 's' }] });
    const generated = await legacy.authenticateToken(token);
    assert.equal(generated?.user.auditAnnotations?.['authentication.k8s.io/legacy-token-autogenerated-secret'], 's');
    assert.deepEqual(generated?.user.warnings, [
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    ]);
    const today = new Date().toISOString().slice(0, 10);
    assert.deepEqual(labelled, [`s ${today}`, `s ${today}`]);
    const failure = new Error('etcd is away');
    const labelSecret = () => Promise.reject(failure);
    const unlabelled = new LegacyTokenAuthenticator({ ...options, objects: { ...objects(secrets), labelSecret } });
    assert.equal((await unlabelled.authenticateToken(token))?.user.name, 'system:serviceaccount:ns:sa');
    assert.deepEqual(failures, [failure]);
    const { metadata } = secrets['secrets/ns/s'];
    metadata.labels = { 'kubernetes.io/legacy-token-last-used': today };
    await legacy.authenticateToken(token);
    assert.equal(labelled.length, 2);
    metadata.labels['kubernetes.io/legacy-token-invalid-since'] = today;
    await assert.rejects(
      async () => legacy.authenticateToken(token),
      /^Error: the token in secret ns\/s for service account ns\/sa has been marked invalid\. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes\.io\/legacy-token-invalid-since' label from the secret to temporarily allow use of this token$/,
    );
    assert.deepEqual({ ...counts }, { legacy: 5, manual: 1, generated: 2, invalidated: 1, stale: 0, valid: 0 });
    data.token = 'eA==';
    await assert.rejects(async () => legacy.authenticateToken(token), /Token does not match server's copy/);
    const without = new LegacyTokenAuthenticator({ ...options, objects: objects({}) });
    await assert.rejects(async () => without.authenticateToken(token), /Token has been invalidated/);
  });

  it('publish their keys', () => {
    const { privateKey: _, ...publicKey } = key;
    assert.deepEqual(parsePublicKeys(key.key.export({ type: 'spki', format: 'pem' }).toString())[0]?.id, publicKey.id);
    const documents = openIdDocuments(issuer, 'https://a/openid/v1/jwks', [key]);
    assert.deepEqual(Object.keys(documents?.configuration ?? {}).slice(0, 2), ['issuer', 'jwks_uri']);
    assert.match(JSON.stringify(documents?.keys), /"kty":"EC"/);
    assert.equal(openIdDocuments('kubernetes', '', [key]), undefined);
  });
});
