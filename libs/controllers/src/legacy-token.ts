import { type KeyObject, createHash, createPublicKey, sign } from 'node:crypto';

interface LegacyTokenSubject {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly serviceAccountUid: string;
  readonly secret: string;
}

const prefix = 'kubernetes.io/serviceaccount';

/**
 * The token in a Secret of type `kubernetes.io/service-account-token`: a JWT without expiry, signed with an RSA or P-256 key. Its key id is
 * the digest of the public key.
 * Throws Error for a key of another type.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens
 */
export function legacyToken(subject: LegacyTokenSubject, key: KeyObject): string {
  const { namespace, serviceAccount, serviceAccountUid, secret } = subject;
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const kid = createHash('sha256').update(publicKey).digest('base64url');
  const claims = {
    iss: prefix.replace('.io', ''),
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secret,
    [`${prefix}/service-account.name`]: serviceAccount,
    [`${prefix}/service-account.uid`]: serviceAccountUid,
    sub: `system:serviceaccount:${namespace}:${serviceAccount}`,
  };
  const content = [{ alg: algorithmOf(key), kid }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  throw new Error('the key that signs service account tokens must be an RSA or a P-256 key');
}
