import {
  apiAudiencesOf,
  FlagError,
  type ParsedFlags,
  readFlagFile,
  serviceAccountKeys,
} from '@apichain/apiserver-options';
import { errorMessage } from '@apichain/meta';
import { checkRoute } from '@apichain/request';
import { type GenericApiServer } from '@apichain/apiserver';
import { openIdDocuments, parseSigningKey, ServiceAccountTokenIssuer, type VerificationKey } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';

/** How tokens of service accounts are issued and published. */
export interface ServiceAccountOptions {
  /** Undefined = no signing key, so no tokens are issued. */
  readonly issuer?: ServiceAccountTokenIssuer;
  readonly issuerUrl: string;
  readonly keys: readonly VerificationKey[];
  readonly audiences: readonly string[];
  /** `--service-account-jwks-uri`; empty = the URL at which this server serves the keys. */
  readonly jwksUri: string;
}

const shortestLimit = 3600;
const longestLimit = 2 ** 32;

/** Throws FlagError. */
export function serviceAccountOptions(flags: ParsedFlags): ServiceAccountOptions {
  const issuers = flags.strings('service-account-issuer');
  checkIssuers(issuers);
  const jwksUri = flags.string('service-account-jwks-uri');
  if (jwksUri !== '') checkJwksUri(jwksUri);
  const [issuerUrl = ''] = issuers;
  const audiences = apiAudiencesOf(flags);
  const base = {
    issuerUrl,
    audiences,
    keys: serviceAccountKeys(flags),
    jwksUri,
  };
  const pem = readFlagFile(flags, 'service-account-signing-key-file');
  if (pem === undefined) return base;
  const maxExpirationSeconds = Math.round(flags.duration('service-account-max-token-expiration') / 1000);
  if (maxExpirationSeconds !== 0 && (maxExpirationSeconds < shortestLimit || maxExpirationSeconds > longestLimit)) {
    throw new FlagError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
  }
  const issuer = new ServiceAccountTokenIssuer({
    issuer: issuerUrl,
    key: signingKey(pem),
    apiAudiences: audiences,
    maxExpirationSeconds,
    extendExpiration: flags.bool('service-account-extend-token-expiration'),
  });
  return { ...base, issuer };
}

/** Source, also of the next function: pkg/kubeapiserver/options/authentication.go of kubernetes 1.36. */
function checkIssuers(issuers: readonly string[]): void {
  if (issuers.length === 0 || issuers.includes(''))
    throw new FlagError('service-account-issuer should not be an empty string');
  const twice = issuers.find((issuer, index) => issuers.indexOf(issuer) < index);
  if (twice !== undefined) throw new FlagError(`service-account-issuer ${goQuote(twice)} is already specified`);
}

function checkJwksUri(uri: string): void {
  if (!URL.canParse(uri)) throw new FlagError(`service-account-jwks-uri must be a valid URL: parse ${goQuote(uri)}`);
  if (!/^https:/i.test(uri)) throw new FlagError(`service-account-jwks-uri requires https scheme, parsed as: ${uri}`);
}

function signingKey(pem: string) {
  try {
    return parseSigningKey(pem);
  } catch (error) {
    const reason = errorMessage(error);
    throw new FlagError(`--service-account-signing-key-file: ${reason}`);
  }
}

const cacheControl = 'public, max-age=3600';

/** Serves the documents with which relying parties verify tokens. `address` = host and port at which clients reach the API. */
export function installOpenId(server: GenericApiServer, options: ServiceAccountOptions, address: string): void {
  const { issuerUrl, jwksUri, keys } = options;
  if (keys.length === 0) return;
  const documents = openIdDocuments(issuerUrl, jwksUri === '' ? `https://${address}/openid/v1/jwks` : jwksUri, keys);
  if (documents === undefined) return;
  const serve = (path: string, type: string, document: object) => {
    const body = JSON.stringify(document);
    server.paths.handleRoute(path, (_context, request, response) => {
      checkRoute(request, [type]);
      response.setHeader('Content-Type', type);
      response.setHeader('Cache-Control', cacheControl);
      response.end(body);
    });
  };
  serve('/.well-known/openid-configuration', 'application/json', documents.configuration);
  serve('/openid/v1/jwks', 'application/jwk-set+json', documents.keys);
}
