import type { ConfigMap, Secret } from '@apichain/api/core/v1';
import type { Bytes } from '@apichain/api/scalars';
import { entriesOf, isRecord } from '@apichain/kinds';
import {
  field,
  errorMessage,
  isStatusError,
  lookupTable,
  parseJson,
  isConfigMapKey,
  isSet,
  semanticEqual,
  type FieldError,
} from '@apichain/meta';
import { isGivenEmpty } from './common/rules.ts';

/** https://kubernetes.io/docs/concepts/configuration/configmap/ */
export function validateConfigMap(configMap: ConfigMap): FieldError[] {
  const data = configMap.data ?? {};
  const binaryData = configMap.binaryData ?? {};
  const errors = [
    ...keyErrors('data', data, (name) =>
      Object.hasOwn(binaryData, name) ? ['duplicate of key present in binaryData'] : [],
    ),
    ...keyErrors('binaryData', binaryData),
  ];
  const size =
    entriesOf(data).reduce((sum, [, value]) => sum + Buffer.byteLength(value ?? ''), 0) +
    entriesOf(binaryData).reduce((sum, [, value]) => sum + decodedLength(value), 0);
  if (size > maxDataBytes) errors.push(field.tooLong('[]', maxDataBytes));
  return errors;
}

export const validateConfigMapUpdate = (configMap: ConfigMap, old: ConfigMap): FieldError[] =>
  immutableErrors(configMap, old, ['data', 'binaryData']);

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

/** The maximum total size of the values of a ConfigMap or Secret, in bytes. */
export const maxDataBytes = 1024 * 1024;

/** The errors of a map's keys, including the messages of `further`, ordered by key. Only invalid keys are sorted. */
export function keyErrors(
  path: string,
  map: Readonly<Record<string, string>>,
  further: (name: string) => readonly string[] = () => [],
): FieldError[] {
  const wrong = new Map<string, readonly string[]>();
  for (const name of Object.keys(map)) {
    const messages = isConfigMapKey(name);
    const others = further(name);
    if (messages.length + others.length > 0) wrong.set(name, [...messages, ...others]);
  }
  return field.collect((out) => {
    for (const name of [...wrong.keys()].sort()) {
      for (const message of wrong.get(name) ?? []) out.push(field.invalid(field.key(path, name), name, message));
    }
  });
}

/** The number of bytes that a base64 text encodes. */
export const decodedLength = (value: Bytes | undefined): number => Buffer.byteLength(value ?? '', 'base64');

/** The errors of changes to an object that is marked immutable. */
export function immutableErrors<T extends ConfigMap | Secret>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const unmarked = object.immutable === true ? [] : [field.forbidden('immutable', detail)];
  // Go compares deeply here, so an empty map differs from an absent one.
  const isEmptied = (name: keyof T & string) => isGivenEmpty(object, name) && !isSet(old[name]);
  const changed = fields.filter((name) => isEmptied(name) || !semanticEqual(object[name], old[name]));
  return [...unmarked, ...changed.map((name) => field.forbidden(name, detail))];
}
