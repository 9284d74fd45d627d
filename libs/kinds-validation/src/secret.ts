import type { Secret } from '@apichain/api/core/v1';
import { errorMessage, field, isStatusError, lookupTable, parseJson, type FieldError } from '@apichain/meta';
import { entriesOf, isRecord } from '@apichain/kinds';
import { decodedLength, immutableErrors, keyErrors, maxDataBytes } from './data-maps.ts';

const redacted = '<secret contents redacted>';
const serviceAccountName = 'kubernetes.io/service-account.name';

type Data = Readonly<Record<string, string>>;
const missing = (data: Data, name: string): boolean => !Object.hasOwn(data, name);
const requiredKey = (name: string): FieldError => field.required(`data[${name}]`);

/** Go's name for a JSON value that is neither an object nor null. */
function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'number';
}

/** Why the bytes are not a JSON object; undefined when they are. */
function jsonObjectError(value: string | undefined): string | undefined {
  try {
    const parsed = parseJson(Buffer.from(value ?? '', 'base64'));
    if (isRecord(parsed) || parsed === null) return undefined;
    return `json: cannot unmarshal ${jsonKind(parsed)} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (isStatusError(error)) return error.message;
    return errorMessage(error);
  }
}

function dockerErrors(data: Data, name: string): FieldError[] {
  if (missing(data, name)) return [requiredKey(name)];
  const reason = jsonObjectError(data[name]);
  return reason === undefined ? [] : [field.invalid(`data[${name}]`, redacted, reason)];
}

const contentRules: Readonly<Record<string, (data: Data, secret: Secret) => FieldError[]>> = lookupTable({
  'kubernetes.io/service-account-token': (_data, secret) =>
    (secret.metadata.annotations?.[serviceAccountName] ?? '') === ''
      ? [field.required(`metadata.annotations[${serviceAccountName}]`)]
      : [],
  'kubernetes.io/dockercfg': (data) => dockerErrors(data, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (data) => dockerErrors(data, '.dockerconfigjson'),
  'kubernetes.io/basic-auth': (data) =>
    missing(data, 'username') && missing(data, 'password') ? [requiredKey('username'), requiredKey('password')] : [],
  'kubernetes.io/ssh-auth': (data) =>
    decodedLength(data['ssh-privatekey']) === 0 ? [requiredKey('ssh-privatekey')] : [],
  'kubernetes.io/tls': (data) => ['tls.crt', 'tls.key'].filter((name) => missing(data, name)).map(requiredKey),
});

/** https://kubernetes.io/docs/concepts/configuration/secret/#secret-types */
export function validateSecret(secret: Secret): FieldError[] {
  const data = secret.data ?? {};
  const size = entriesOf(data).reduce((sum, [, value]) => sum + decodedLength(value), 0);
  return [
    ...keyErrors('data', data),
    ...(size > maxDataBytes ? [field.tooLong('data', maxDataBytes)] : []),
    ...(contentRules[secret.type ?? '']?.(data, secret) ?? []),
  ];
}

export const validateSecretUpdate = (secret: Secret, old: Secret): FieldError[] => [
  ...(secret.type === old.type ? [] : [field.invalid('type', secret.type, 'field is immutable')]),
  ...immutableErrors(secret, old, ['data']),
];
