import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { OidcTokenAuthenticator, type OidcOptions } from './oidc-token-authenticator.ts';
import { OidcProvider } from './provider.ts';

const issuer = 'https://issuer.example.com';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Signer {
  readonly id: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}
const elliptic = (id: string): Signer => ({ id, alg: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });
const rsa = (id: string, alg: string): Signer => ({ id, alg, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) });

function tokenOf(claims: Readonly<Record<string, unknown>>, { id, alg, privateKey }: Signer): string {
  const text = `${encode({ alg, kid: id })}.${encode(claims)}`;
  const padding = alg.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  const key = alg.startsWith('ES')
    ? { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
    : { key: privateKey, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return `${text}.${sign(`sha${alg.slice(2)}`, Buffer.from(text), key).toString('base64url')}`;
}

describe('ID tokens of an OpenID provider', () => {
  const first = elliptic('first');
  const later = elliptic('later');
  const good = { iss: issuer, sub: 'jane', aud: 'client', exp: 4_000_000_000 };
  let published: Signer[];
  let reads: number;
  beforeEach(() => {
    published = [first];
    reads = 0;
  });

  const provider = () =>
    new OidcProvider(issuer, (url) => {
      if (url === `${issuer}/.well-known/openid-configuration`)
        return Promise.resolve({ issuer, jwks_uri: 'https://keys.example.com/' });
      reads++;
      const keys = published.map(({ id, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid: id,
        use: 'sig',
      }));
      return Promise.resolve({ keys: [{ kty: 'odd', kid: 'odd' }, ...keys] });
    });
  async function authenticator(more: Partial<OidcOptions> = {}): Promise<OidcTokenAuthenticator> {
    const found = provider();
    await found.discover(new AbortController().signal, (error) => assert.ifError(error));
    return new OidcTokenAuthenticator({
      issuer,
      clientId: 'client',
      usernameClaim: 'sub',
      usernamePrefix: '',
      groupsClaim: '',
      groupsPrefix: '',
      requiredClaims: new Map(),
      algorithms: ['ES256', 'RS256', 'PS384'],
      provider: found,
      apiAudiences: ['api'],
      ...more,
    });
  }
  const refused = async (claims: Readonly<Record<string, unknown>>, why: string, more: Partial<OidcOptions> = {}) =>
    assert.rejects((await authenticator(more)).authenticateToken(tokenOf(claims, first)), { message: why });

  it('stand for the user that their claims name', async () => {
    const names = await authenticator({ usernamePrefix: `${issuer}#`, groupsClaim: 'roles', groupsPrefix: 'oidc:' });
    const token = tokenOf({ ...good, roles: ['a', 'b'], jti: 'x' }, first);
    assert.deepEqual(await names.authenticateToken(token), {
      user: {
        name: `${issuer}#jane`,
        uid: '',
        groups: ['oidc:a', 'oidc:b'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=x'] },
      },
      audiences: ['api'],
    });
    const role = tokenOf({ ...good, aud: ['other', 'client'], roles: 'a' }, first);
    assert.deepEqual((await names.authenticateToken(role))?.user.groups, ['oidc:a']);
  });

  it('are of no interest when others have issued them, or somebody else is asked about', async () => {
    const asked = await authenticator();
    assert.equal(await asked.authenticateToken('opaque'), undefined);
    assert.equal(await asked.authenticateToken(tokenOf({ ...good, iss: 'https://other' }, first)), undefined);
    assert.equal(await asked.authenticateToken(tokenOf(good, first), ['vault']), undefined);
  });

  it('are refused for what is wrong with them', async () => {
    await refused({ ...good, aud: 'x' }, 'oidc: verify token: oidc: expected audience in ["client"] got ["x"]');
    await refused(
      { ...good, exp: 0 },
      'oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:00:00 +0000 UTC)',
    );
    await refused(
      { ...good, sub: 1 },
      'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
    );
    await refused(good, 'oidc: parse username claims "email": claim not present', { usernameClaim: 'email' });
    const email = { ...good, email: 'a@b', email_verified: false };
    await refused(email, 'oidc: email not verified', { usernameClaim: 'email' });
    const requiredClaims = new Map([['hd', 'example.com']]);
    await refused(good, 'oidc: required claim hd not present in ID token', { requiredClaims });
    await refused({ ...good, hd: 'x' }, 'oidc: required claim hd value does not match. Got = x, want = example.com', {
      requiredClaims,
    });
    await refused(
      good,
      'oidc: verify token: oidc: malformed jwt: unexpected signature algorithm "ES256"; expected ["RS256"]',
      { algorithms: ['RS256'] },
    );
    await refused(good, 'oidc: authenticator not initialized', { provider: provider() });
  });

  it('may be signed with new keys, and with keys of other kinds', async () => {
    const asked = await authenticator();
    await asked.authenticateToken(tokenOf(good, first));
    await asked.authenticateToken(tokenOf(good, first));
    assert.equal(reads, 1);
    const invalid = /failed to verify signature: failed to verify id token signature/;
    await assert.rejects(asked.authenticateToken(tokenOf(good, later)), invalid);
    await assert.rejects(asked.authenticateToken(tokenOf(good, { ...later, id: 'first' })), invalid);
    const others = [rsa('r', 'RS256'), rsa('p', 'PS384')];
    published = [later, ...others];
    for (const signer of published) assert.ok(await asked.authenticateToken(tokenOf(good, signer)));
    assert.equal(reads, 4);
  });
});
