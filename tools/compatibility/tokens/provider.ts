import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { secureServer } from '../../servers/stand-ins.ts';

export interface TokenProvider {
  readonly issuer: string;
  readonly key: KeyObject;
  /** With these an API server accepts the tokens of the provider. */
  readonly flags: readonly string[];
  close(): Promise<void>;
}

/** Starts an OpenID provider for the client `api`, whose certificate is signed by an authority in the directory. */
export async function startProvider(directory: string): Promise<TokenProvider> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ca = await createCA('provider-ca');
  const serving = await issueServing(ca, 'provider', ['127.0.0.1']);
  const caFile = join(directory, 'provider-ca.crt');
  writeFileSync(caFile, ca.certificate);
  const keys = [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }];
  const tls = { cert: serving.certificate, key: serving.key };
  const server = await secureServer(tls, ({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url === '/keys' ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }));
  });
  const issuer = `https://127.0.0.1:${server.port}`;
  return {
    issuer,
    key: privateKey,
    flags: [
      ...[`--oidc-issuer-url=${issuer}`, '--oidc-client-id=api', `--oidc-ca-file=${caFile}`],
      ...['--oidc-username-prefix=-', '--oidc-username-claim=name', '--oidc-signing-algs=ES256'],
    ],
    close: () => server.close(),
  };
}
