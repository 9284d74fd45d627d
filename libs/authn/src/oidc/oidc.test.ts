import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { JwtAuthenticator } from './authentication-configuration.ts';
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
    new OidcProvider({
      issuer,
      fetch: (url) => {
        if (url === `${issuer}/.well-known/openid-configuration`)
          return Promise.resolve({ issuer, jwks_uri: 'https://keys.example.com/' });
        reads++;
        const keys = published.map(({ id, publicKey }) => ({
          ...publicKey.export({ format: 'jwk' }),
          kid: id,
          use: 'sig',
        }));
        return Promise.resolve({ keys: [{ kty: 'odd', kid: 'odd' }, ...keys] });
      },
    });
  type Change = (configuration: JwtAuthenticator) => JwtAuthenticator;
  const plain: JwtAuthenticator = {
    issuer: {
      url: issuer,
      audiences: ['client'],
      audienceMatchPolicy: '',
      certificateAuthority: '',
      egressSelectorType: '',
    },
    claimMappings: {
      username: { claim: 'sub', prefix: '', expression: '' },
      groups: { claim: '', expression: '' },
      uid: { claim: '', expression: '' },
      extra: [],
    },
    claimValidationRules: [],
    userValidationRules: [],
  };
  async function authenticator(change: Change = (same) => same, more: Partial<OidcOptions> = {}) {
    const found = provider();
    await found.discover(new AbortController().signal, (error) => assert.ifError(error));
    return new OidcTokenAuthenticator({
      configuration: change(plain),
      algorithms: ['ES256', 'RS256', 'PS384'],
      provider: found,
      apiAudiences: ['api'],
      ...more,
    });
  }
  type Wanted = Readonly<Record<string, unknown>>;
  const refused = async (claims: Wanted, why: string, change?: Change, more?: Partial<OidcOptions>) =>
    assert.rejects((await authenticator(change, more)).authenticateToken(tokenOf(claims, first)), { message: why });
  const mapped =
    (mappings: Partial<JwtAuthenticator['claimMappings']>): Change =>
    (configuration) => ({ ...configuration, claimMappings: { ...configuration.claimMappings, ...mappings } });
  const named = (claim: string, prefix = ''): Change => mapped({ username: { claim, prefix, expression: '' } });

  it('authenticate the user that their claims name', async () => {
    const names = await authenticator(
      mapped({
        username: { claim: 'sub', prefix: `${issuer}#`, expression: '' },
        groups: { claim: 'roles', prefix: 'oidc:', expression: '' },
      }),
    );
    const token = tokenOf({ ...good, roles: ['a', 'b'], jti: 'x' }, first);
    assert.deepEqual(await names.authenticateToken(token), {
      user: {
        name: `${issuer}#jane`,
        uid: '',
        groups: ['oidc:a', 'oidc:b'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=x'] },
      },
      audiences: ['api'],
      expiresAt: good.exp * 1000,
    });
    const role = tokenOf({ ...good, aud: ['other', 'client'], roles: 'a' }, first);
    assert.deepEqual((await names.authenticateToken(role))?.user.groups, ['oidc:a']);
  });

  it('are ignored with another issuer or audience', async () => {
    const asked = await authenticator();
    assert.equal(await asked.authenticateToken('opaque'), undefined);
    assert.equal(await asked.authenticateToken(tokenOf({ ...good, iss: 'https://other' }, first)), undefined);
    assert.equal(await asked.authenticateToken(tokenOf(good, first), ['vault']), undefined);
  });

  it('are refused when they are invalid', async () => {
    await refused({ ...good, aud: 'x' }, 'oidc: verify token: oidc: expected audience "client" got ["x"]');
    const audiences = ['b', 'a'];
    const both: Change = (same) => ({ ...same, issuer: { ...same.issuer, audiences } });
    await refused({ ...good, aud: 'x' }, 'oidc: verify token: oidc: expected audience in ["a" "b"] got ["x"]', both);
    await refused(
      { ...good, exp: 0 },
      'oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:00:00 +0000 UTC)',
    );
    await refused(
      { ...good, sub: 1 },
      'oidc: verify token: oidc: failed to unmarshal claims: json: cannot unmarshal number into Go struct field idToken.sub of type string',
    );
    await refused({ ...good, _claim_names: { groups: 's' } }, 'oidc: verify token: oidc: source does not exist');
    await refused(good, 'oidc: parse username claims "email": claim not present', named('email'));
    const email = { ...good, email: 'a@b', email_verified: false };
    await refused(email, 'oidc: email not verified', named('email'));
    const claimValidationRules = [{ claim: 'hd', requiredValue: 'example.com', expression: '', message: '' }];
    const required: Change = (same) => ({ ...same, claimValidationRules });
    await refused(good, 'oidc: required claim hd not present in ID token', required);
    await refused(
      { ...good, hd: 'x' },
      'oidc: required claim hd value does not match. Got = x, want = example.com',
      required,
    );
    await refused(
      good,
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "ES256"',
      undefined,
      { algorithms: ['RS256'] },
    );
    await refused(good, 'oidc: authenticator not initialized', undefined, { provider: provider() });
  });

  it('are mapped by expressions', async () => {
    const extra = [
      { key: 'example.com/roles', valueExpression: 'claims.?roles.orValue([])' },
      {
        key: 'example.com/pod',
        valueExpression: "has(claims.k8s__dot__io) ? claims.k8s__dot__io.pod__dash__name : ''",
      },
    ];
    const change = mapped({
      username: { claim: '', expression: "'jwt:' + claims.sub" },
      groups: { claim: '', expression: 'claims.?groups.orValue(null)' },
      uid: { claim: '', expression: 'string(claims.exp / 2.0)' },
      extra,
    });
    const asked = await authenticator(change);
    const token = tokenOf(
      { ...good, roles: ['a', '', 'b'], groups: 'g', 'k8s.io': { 'pod-name': 'p' }, jti: 'J' },
      first,
    );
    assert.deepEqual((await asked.authenticateToken(token))?.user, {
      name: 'jwt:jane',
      uid: '2e+09',
      groups: ['g'],
      extra: {
        'authentication.kubernetes.io/credential-id': ['JTI=J'],
        'example.com/pod': ['p'],
        'example.com/roles': ['a', 'b'],
      },
    });
    assert.deepEqual((await asked.authenticateToken(tokenOf(good, first)))?.user.extra, {});
    await refused(
      { ...good, roles: [1] },
      'oidc: error evaluating extra claim expression: claims.?roles.orValue([]): expression must return a string or a list of strings',
      change,
    );
    await refused(
      { ...good, groups: 1 },
      'oidc: error evaluating group claim expression: expression must return a string or a list of strings',
      change,
    );
    const bad = mapped({ username: { claim: '', expression: 'claims.exp' } });
    await refused(
      good,
      'oidc: error evaluating username claim expression: username claim expression must return a string',
      bad,
    );
  });

  it('are refused by validation rules for claims and users', async () => {
    const rules: Change = (same) => ({
      ...same,
      claimValidationRules: [
        { claim: '', requiredValue: '', expression: 'claims.exp - claims.nbf <= 10.0', message: 'too long' },
      ],
      userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'no system users' }],
    });
    await refused(
      { ...good, nbf: 0 },
      "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.nbf <= 10.0' failed: too long",
      rules,
    );
    await refused(
      good,
      "oidc: error evaluating claim validation expression: expression 'claims.exp - claims.nbf <= 10.0' resulted in error: no such key: nbf",
      rules,
    );
    const users: Change = (same) => ({ ...rules(same), claimValidationRules: [] });
    await refused(
      { ...good, sub: 'system:x' },
      "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('system:')' failed: no system users",
      users,
    );
  });

  it('may have their groups in a distributed claim', async () => {
    const asked: string[] = [];
    const sources = {
      fetchText: (url: string, token?: string) => {
        asked.push(`${url} ${token ?? ''}`);
        return Promise.resolve(tokenOf({ ...good, groups: ['far'] }, first));
      },
      fetchJson: () => Promise.resolve({ issuer, jwks_uri: 'https://keys.example.com/', keys: [] }),
    };
    const groups = mapped({ groups: { claim: 'groups', prefix: '', expression: '' } });
    const elsewhere = {
      ...good,
      _claim_names: { groups: 's' },
      _claim_sources: { s: { endpoint: 'https://groups/', access_token: 't' } },
    };
    const why = /could not expand distributed claims: verify distributed claim token: failed to verify signature/;
    const refusing = await authenticator(groups, { sources });
    await assert.rejects(refusing.authenticateToken(tokenOf(elsewhere, first)), why);
    const { publicKey } = first;
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' }];
    const good2 = { ...sources, fetchJson: () => Promise.resolve({ issuer, jwks_uri: 'https://keys/', keys }) };
    const found = await authenticator(groups, { sources: good2 });
    assert.deepEqual((await found.authenticateToken(tokenOf(elsewhere, first)))?.user.groups, ['far']);
    assert.deepEqual(asked, ['https://groups/ t', 'https://groups/ t']);
  });

  it('may be signed with new keys, and with keys of other types', async () => {
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
