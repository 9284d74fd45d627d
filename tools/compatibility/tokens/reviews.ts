import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { httpTransport, type Transport } from '@apichain/client';
import {
  type ClaimCase,
  idTokenClaims,
  jsonValues,
  serviceAccountClaims,
  storedTokenClaims,
  withMember,
} from '@apichain/authn/claim-cases.fixture';
import { issueClient } from '@apichain/serving/certificates';
import type { CorePlatform } from '../extension-server/platform.ts';
import { waitFor } from '../../servers/process.ts';
import type { TokenProvider } from './provider.ts';

const account = 'subject';
const issuer = 'https://kubernetes.default.svc';
const stored = 'kubernetes.io/serviceaccount/';
const readyTimeoutMs = 60_000;

interface Kind {
  readonly name: string;
  readonly key: KeyObject;
  readonly claims: object;
  readonly cases: readonly ClaimCase[];
}

/** The status of the review of each token, as JSON, by the name of the token. What differs between servers is replaced. */
export async function reviewTokens(platform: CorePlatform, provider: TokenProvider): Promise<Map<string, string>> {
  const { certificate: cert, key } = await issueClient(platform.ca, 'admin', ['system:masters']);
  const transport = httpTransport({ url: platform.url, ca: platform.pem('ca.crt'), cert, key });
  try {
    const uid = await createAccount(transport);
    const reviews = new Map<string, string>();
    for (const kind of kindsOf(createPrivateKey(platform.pem('sa.key')), uid, provider)) {
      const good = tokenOf(kind, ['header', 'typ'], '"JWT"');
      let last = '';
      await waitFor(
        async () => (last = await review(transport, good)).includes('"authenticated":true'),
        readyTimeoutMs,
        () => `a good token ${kind.name} is refused: ${last}`,
      );
      for (const { path } of kind.cases)
        for (const value of jsonValues) {
          const status = await review(transport, tokenOf(kind, path, value));
          reviews.set(`${kind.name}: ${path.join(' / ')} = ${value}`, status.replaceAll(uid, 'UID'));
        }
    }
    return reviews;
  } finally {
    await transport.close();
  }
}

function kindsOf(key: KeyObject, uid: string, provider: TokenProvider): Kind[] {
  const subject = `system:serviceaccount:default:${account}`;
  return [
    {
      name: 'of a service account',
      key,
      claims: {
        ...{ iss: issuer, sub: subject, aud: ['api'], exp: 4_000_000_000 },
        'kubernetes.io': { namespace: 'default', serviceaccount: { name: account, uid } },
      },
      cases: serviceAccountClaims,
    },
    {
      name: 'of a Secret',
      key,
      claims: {
        ...{ iss: 'kubernetes/serviceaccount', sub: subject },
        [`${stored}namespace`]: 'default',
        [`${stored}secret.name`]: 's',
        [`${stored}service-account.name`]: account,
        [`${stored}service-account.uid`]: uid,
      },
      cases: storedTokenClaims,
    },
    {
      name: 'of an OpenID provider',
      key: provider.key,
      claims: { iss: provider.issuer, sub: 'jane', name: 'jane', aud: 'api', exp: 4_000_000_000 },
      cases: [...idTokenClaims, { path: ['iss'], accepted: [] }],
    },
  ];
}

function tokenOf({ key, claims }: Kind, path: readonly string[], value: string): string {
  const alg = key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
  const changed = withMember({ alg }, claims, path, value);
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const content = `${encode(changed.header)}.${encode(changed.claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** The UID of a new ServiceAccount. */
async function createAccount(transport: Transport): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts';
  const created = await post(transport, path, { metadata: { name: account } });
  return String((created['metadata'] as { uid?: unknown }).uid);
}

async function review(transport: Transport, token: string): Promise<string> {
  const { status } = await post(transport, '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  return JSON.stringify(status);
}

async function post(transport: Transport, path: string, object: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await transport.send({ method: 'POST', path, headers, body: JSON.stringify(object) });
  const body = await text(response.body);
  if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${body}`);
  return JSON.parse(body) as Record<string, unknown>;
}
