import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { newNotFound } from '@apichain/meta';
import { OidcProvider } from '../oidc/provider.ts';
import { oidcAlgorithms } from '../oidc/signature.ts';
import { verifyToken } from '../oidc/token-verifier.ts';
import {
  type ClaimCase,
  idTokenClaims,
  jsonValues,
  serviceAccountClaims,
  storedTokenClaims,
  withMember,
} from './claim-cases.fixture.ts';
import { parseToken } from './jwt.ts';
import { parsePublicKeys, parseSigningKey } from './keys.ts';
import { LegacyTokenAuthenticator } from './legacy-token-authenticator.ts';
import { ServiceAccountTokenAuthenticator } from './token-authenticator.ts';

const issuer = 'https://issuer.example.com';
const encode = (text: string) => Buffer.from(text).toString('base64url');
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pairs = { p256, p384, rsa };

/** A validly signed token with exactly this text. */
function signed(header: string, claims: string, key: KeyObject, digest = 'sha256'): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** As `text`, but with a bit set in its last character that belongs to no byte. */
function withLooseBit(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.slice(-1)) | 1] ?? ''}`;
}

interface Kind {
  readonly name: string;
  readonly claims: string;
  readonly cases: readonly ClaimCase[];
  /** Resolves when the token is accepted as a signed token of this kind. */
  readonly accepts: (token: string) => Promise<boolean>;
}

const keys = Object.values(pairs).flatMap(({ publicKey }) => parsePublicKeys(spki(publicKey)));
const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa', uid: 'u' } };
const objects = {
  labelSecret: () => Promise.resolve(),
  get: (resource: string, namespace: string, name: string) =>
    resource === 'serviceaccounts' && namespace === 'ns' && name === 'sa'
      ? Promise.resolve(object)
      : Promise.reject(newNotFound({ group: '', resource }, name)),
};

const common = { iss: issuer, aud: 'api', exp: 4_000_000_000 };
const kinds: Kind[] = [
  {
    name: 'of service accounts',
    claims: JSON.stringify({
      ...common,
      'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'sa', uid: 'u' } },
    }),
    cases: serviceAccountClaims,
    accepts: async (token) => {
      const tokens = new ServiceAccountTokenAuthenticator({ issuers: [issuer], keys, apiAudiences: ['api'], objects });
      return (await tokens.authenticateToken(token)) !== undefined;
    },
  },
  {
    name: 'of Secrets',
    claims: JSON.stringify({
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:ns:sa',
      'kubernetes.io/serviceaccount/secret.name': 's',
      'kubernetes.io/serviceaccount/namespace': 'ns',
      'kubernetes.io/serviceaccount/service-account.name': 'sa',
      'kubernetes.io/serviceaccount/service-account.uid': 'u',
    }),
    cases: storedTokenClaims,
    accepts: async (token) => {
      const tokens = new LegacyTokenAuthenticator({
        keys,
        apiAudiences: ['api'],
        objects,
        lookup: false,
        onLabelError: assert.ifError,
      });
      return (await tokens.authenticateToken(token)) !== undefined;
    },
  },
  {
    name: 'of OpenID providers',
    claims: JSON.stringify(common),
    cases: idTokenClaims,
    accepts: async (token) => {
      const published = Object.values(pairs).map(({ publicKey }) => publicKey.export({ format: 'jwk' }));
      const provider = new OidcProvider({
        issuer,
        fetch: (url) =>
          Promise.resolve(url.includes('well-known') ? { issuer, jwks_uri: issuer } : { keys: published }),
      });
      await provider.tryDiscover();
      const parsed = parseToken(token);
      if (parsed === undefined) return false;
      await verifyToken(parsed, { provider, algorithms: oidcAlgorithms, audiences: ['api'] });
      return true;
    },
  },
];

for (const { name, claims, cases, accepts } of kinds)
  describe(`tokens ${name}`, () => {
    const header = '{"alg":"ES256"}';
    const good = signed(header, claims, p256.privateKey);
    const isRefused = async (token: string) => assert.equal(await accepts(token).catch(() => false), false);

    it('are valid when signed by a key with its own algorithm', async () => {
      assert.equal(await accepts(good), true);
      assert.equal(await accepts(signed('{"alg":"ES384"}', claims, p384.privateKey, 'sha384')), true);
      assert.equal(await accepts(signed('{"alg":"RS256"}', claims, rsa.privateKey)), true);
    });

    it('are refused with extra characters before, after or between their parts', async () => {
      const [head = '', body = '', signature = ''] = good.split('.');
      for (const token of [
        `${good}!`,
        `${good}=`,
        `${good}==`,
        `${good}.`,
        `${good}AAAA`,
        `${good}\n`,
        `${good} garbage`,
        ` ${good}`,
        `${head}=.${body}.${signature}`,
        `${head}.${body}!.${signature}`,
        `${head}.${body}..${signature}`,
        `${head}\n.${body}.${signature}`,
        `${good.replaceAll('-', '+').replaceAll('_', '/')}+`,
        withLooseBit(good),
        `${head}.${body}.`,
        `${head}.${body}`,
      ])
        if (token !== good) await isRefused(token);
    });

    it('are refused with unknown critical headers', async () => {
      for (const more of ['"crit":["exp"],"exp":1', '"crit":["x"],"x":1', '"crit":[]', '"crit":"b64"', '"b64":true'])
        await isRefused(signed(`{"alg":"ES256",${more}}`, claims, p256.privateKey));
      const text = `${encode('{"alg":"ES256","b64":false,"crit":["b64"]}')}.${encode(claims)}`;
      const options = { key: p256.privateKey, dsaEncoding: 'ieee-p1363' as const };
      await isRefused(`${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`);
    });

    it('are refused when key and algorithm do not match', async () => {
      await isRefused(signed(header, claims, p384.privateKey));
      await isRefused(signed('{"alg":"ES384"}', claims, p256.privateKey, 'sha384'));
      await isRefused(signed('{"alg":"ES512"}', claims, p384.privateKey, 'sha512'));
      await isRefused(signed('{"alg":"RS384"}', claims, p256.privateKey, 'sha384'));
      for (const alg of ['none', 'None', '', 'es256', 'constructor', '__proto__'])
        await isRefused(signed(JSON.stringify({ alg }), claims, p256.privateKey));
      await isRefused(`${encode('{"alg":"none"}')}.${encode(claims)}.`);
      await isRefused(signed('{}', claims, p256.privateKey));
      for (const secret of [spki(rsa.publicKey), spki(p256.publicKey)]) {
        const text = `${encode('{"alg":"HS256"}')}.${encode(claims)}`;
        await isRefused(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`);
      }
    });

    it('are refused with a repeated member or malformed UTF-8', async () => {
      await isRefused(signed('{"alg":"none","alg":"ES256"}', claims, p256.privateKey));
      await isRefused(signed('{"alg":"ES256","kid":"a","kid":""}', claims, p256.privateKey));
      await isRefused(signed(header, `{"iss":"https://other",${claims.slice(1)}`, p256.privateKey));
      await isRefused(signed(header, `${claims.slice(0, -1)},"x":{"y":1,"y":2}}`, p256.privateKey));
      for (const text of ['', 'null', '[]', '"x"', '{', `${claims}x`, `\u{feff}${claims}`])
        await isRefused(signed(header, text, p256.privateKey));
      const broken = Buffer.concat([
        Buffer.from(`${claims.slice(0, -1)},"x":"`),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]);
      const text = `${encode(header)}.${broken.toString('base64url')}`;
      const options = { key: p256.privateKey, dsaEncoding: 'ieee-p1363' as const };
      await isRefused(`${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`);
    });

    for (const { path, accepted } of cases)
      it(`are refused unless ${path.join(' / ')} has its type`, async () => {
        const members = JSON.parse(claims) as object;
        for (const value of jsonValues) {
          const changed = withMember({ alg: 'ES256' }, members, path, value);
          const verdict = await accepts(signed(changed.header, changed.claims, p256.privateKey)).catch(() => false);
          assert.equal(verdict, accepted.includes(value), `${path.join('.')}: ${value}`);
        }
      });

    it('have a maximal length', async () => {
      const padded = (length: number) => `${claims.slice(0, -1)},"x":"${'y'.repeat(length)}"}`;
      assert.equal(await accepts(signed(header, padded(500_000), p256.privateKey)), true);
      await isRefused(signed(header, padded(900_000), p256.privateKey));
      await isRefused('.'.repeat(3_000_000));
      await isRefused(`${encode('['.repeat(500_000))}.${encode(claims)}.AAAA`);
    });
  });

describe('keys of tokens', () => {
  it('have 2048 bits or more when they are RSA keys', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    assert.throws(() => parseSigningKey(pem), /an RSA key must have 2048 bits or more, this one has 1024/);
  });
});
