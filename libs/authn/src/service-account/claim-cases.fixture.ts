/** Values of every JSON type, as text, because not all of them survive JSON.stringify. */
export const jsonValues = [
  ...['null', 'true', 'false', '0', '-1', '4000000000', '4000000000.9', '1e30', '-1e30', '1e999'],
  ...['""', '"x"', '"api"', '"4000000000"', '"true"'],
  ...['[]', '["api"]', '["x","api"]', '["x"]', '[null]', '["api",null]', '["api",1]', '[1]', '[{}]'],
  ...['{}', '{"api":"api"}', '{"name":1}', '{"name":"p"}'],
] as const;

/** One of these values. */
export type JsonValue = (typeof jsonValues)[number];

/** Which values a member of a token's header or claims may have; with all others the token is refused. */
export interface ClaimCase {
  /** Path of the member in the claims, or in the header after `header`. */
  readonly path: readonly string[];
  readonly accepted: readonly JsonValue[];
}

const texts = ['null', '""', '"x"', '"api"', '"4000000000"', '"true"'] as const;
const nonEmpty = texts.filter((text) => text !== 'null' && text !== '""');
const numbers = ['0', '-1', '4000000000', '4000000000.9', '1e30', '-1e30'] as const;
/** Go converts a number that its time cannot hold to a time before all others. */
const past = ['0', '-1', '1e30', '-1e30'] as const;
const future = ['4000000000', '4000000000.9'] as const;
const audiences = ['"api"', '["api"]', '["x","api"]'] as const;

const headers: readonly ClaimCase[] = [
  { path: ['header', 'alg'], accepted: [] },
  { path: ['header', 'kid'], accepted: ['null', '""'] },
  { path: ['header', 'nonce'], accepted: texts },
  { path: ['header', 'jwk'], accepted: ['null'] },
  { path: ['header', 'x5c'], accepted: ['null', '[]'] },
  { path: ['header', 'typ'], accepted: jsonValues.filter((value) => value !== '1e999') },
];

const registered: readonly ClaimCase[] = [
  ...headers,
  { path: ['iss'], accepted: [] },
  { path: ['aud'], accepted: [...audiences, '[]'] },
  { path: ['jti'], accepted: texts },
  { path: ['other'], accepted: [...jsonValues] },
];

/** Tokens of `serviceaccounts/token`, of the audience `api`: https://pkg.go.dev/gopkg.in/go-jose/go-jose.v2/jwt#Claims */
export const serviceAccountClaims: readonly ClaimCase[] = [
  ...registered,
  { path: ['sub'], accepted: texts },
  { path: ['exp'], accepted: ['null', ...future] },
  { path: ['nbf'], accepted: ['null', ...past] },
  { path: ['iat'], accepted: ['null', ...past] },
  { path: ['kubernetes.io'], accepted: [] },
  { path: ['kubernetes.io', 'namespace'], accepted: [] },
  { path: ['kubernetes.io', 'serviceaccount'], accepted: [] },
  { path: ['kubernetes.io', 'serviceaccount', 'name'], accepted: [] },
  { path: ['kubernetes.io', 'serviceaccount', 'uid'], accepted: [] },
  { path: ['kubernetes.io', 'pod'], accepted: ['null'] },
  { path: ['kubernetes.io', 'secret'], accepted: ['null'] },
  { path: ['kubernetes.io', 'node'], accepted: ['null'] },
  { path: ['kubernetes.io', 'warnafter'], accepted: ['null', ...numbers] },
  { path: ['kubernetes.io', 'other'], accepted: [...jsonValues] },
];

const stored = 'kubernetes.io/serviceaccount/';

/** Tokens in Secrets, which have no limits in time, with `--service-account-lookup=false`. */
export const storedTokenClaims: readonly ClaimCase[] = [
  ...registered,
  { path: ['sub'], accepted: [] },
  { path: ['exp'], accepted: ['null', ...numbers] },
  { path: ['nbf'], accepted: ['null', ...numbers] },
  { path: ['iat'], accepted: ['null', ...numbers] },
  { path: [`${stored}namespace`], accepted: [] },
  { path: [`${stored}secret.name`], accepted: nonEmpty },
  { path: [`${stored}service-account.name`], accepted: [] },
  { path: [`${stored}service-account.uid`], accepted: nonEmpty },
];

/** ID tokens for the client `api`, whose decoder also reads numbers from texts: https://pkg.go.dev/github.com/coreos/go-oidc */
export const idTokenClaims: readonly ClaimCase[] = [
  ...headers,
  { path: ['sub'], accepted: texts },
  { path: ['aud'], accepted: [...audiences, '["api",null]'] },
  { path: ['exp'], accepted: [...future, '"4000000000"'] },
  { path: ['nbf'], accepted: ['null', ...past] },
  { path: ['iat'], accepted: [...numbers, '"4000000000"'] },
  { path: ['nonce'], accepted: texts },
  { path: ['at_hash'], accepted: texts },
  { path: ['_claim_names'], accepted: ['null', '{}'] },
  { path: ['_claim_sources'], accepted: ['null', '{}'] },
  { path: ['jti'], accepted: [...jsonValues] },
  { path: ['other'], accepted: [...jsonValues] },
];

/** Header and claims as JSON, with the value in the place of a member. */
export function withMember(
  header: object,
  claims: object,
  path: readonly string[],
  value: string,
): { readonly header: string; readonly claims: string } {
  const marker = 'the value stands here';
  const [first, ...rest] = path;
  const changed = first === 'header' ? replaced(header, rest, marker) : replaced(claims, path, marker);
  const text = JSON.stringify(changed).replace(JSON.stringify(marker), () => value);
  return first === 'header'
    ? { header: text, claims: JSON.stringify(claims) }
    : { header: JSON.stringify(header), claims: text };
}

function replaced(object: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const members: Record<string, unknown> = { ...object };
  const inner = members[name];
  members[name] =
    rest.length === 0 ? value : replaced(typeof inner === 'object' && inner !== null ? inner : {}, rest, value);
  return members;
}
