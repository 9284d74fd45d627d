import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCA, issueServing } from '@apichain/serving/certificates';

/** Starts an OpenID provider on this host that issues tokens. */
export async function startTokenProvider() {
  const ca = await createCA('provider-ca');
  const { certificate: cert, key } = await issueServing(ca, 'provider', ['localhost']);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let issuer = '';
  const server = createServer({ cert, key }, (request, response) => {
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig' };
    const document = request.url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
    response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenOf = (claims: Readonly<Record<string, unknown>>): string => {
    const text = `${encode({ alg: 'ES256', kid: 'k' })}.${encode({ iss: issuer, aud: 'apichain', ...claims })}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  return { server, issuer, ca: ca.certificate, tokenOf };
}
