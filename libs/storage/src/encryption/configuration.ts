import {
  formatGroupVersion,
  parseDuration,
  parseGroupVersion,
  parseYamlStrict,
  stringifyJson,
  YamlError,
} from '@apichain/meta';
import { DecodeError, decodeObject, type Field, type Type } from '@apichain/scheme';

/** https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-EncryptionConfiguration */
export interface EncryptionConfiguration {
  readonly resources: readonly ResourceConfiguration[];
}
export interface ResourceConfiguration {
  readonly resources: readonly string[];
  readonly providers: readonly ProviderConfiguration[];
}
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration;
  readonly aescbc?: KeysConfiguration;
  readonly secretbox?: KeysConfiguration;
  readonly identity?: object;
  readonly kms?: KmsConfiguration;
}
export interface KeysConfiguration {
  readonly keys: readonly Key[];
}
export interface Key {
  readonly name: string;
  /** base64. */
  readonly secret: string;
}
export interface KmsConfiguration {
  readonly apiVersion: string;
  readonly name: string;
  readonly cachesize?: number;
  readonly endpoint: string;
  /** Milliseconds. */
  readonly timeout: number;
}

const text: Type = { kind: 'string' };
const listOf = (items: Type): Type => ({ kind: 'array', items });
function struct(name: string, fields: readonly Field[]): Type {
  return { kind: 'object', name: `v1.${name}`, fields, byName: new Map(fields.map((f) => [f.name, f])) };
}
const optional = (name: string, type: Type): Field => ({ name, type, pointer: true, omitempty: true });

const key = struct('Key', [
  { name: 'name', type: text },
  { name: 'secret', type: text },
]);
const keys = (name: string) => struct(name, [{ name: 'keys', type: listOf(key) }]);
const kms = struct('KMSConfiguration', [
  { name: 'apiVersion', type: text },
  { name: 'name', type: text },
  optional('cachesize', { kind: 'integer', format: 'int32' }),
  { name: 'endpoint', type: text },
  optional('timeout', { kind: 'duration' }),
]);
const provider = struct('ProviderConfiguration', [
  optional('aesgcm', keys('AESConfiguration')),
  optional('aescbc', keys('AESConfiguration')),
  optional('secretbox', keys('SecretboxConfiguration')),
  optional('identity', struct('IdentityConfiguration', [])),
  optional('kms', kms),
]);
const resource = struct('ResourceConfiguration', [
  { name: 'resources', type: listOf(text) },
  { name: 'providers', type: listOf(provider) },
]);
const configurationType = struct('EncryptionConfiguration', [
  { name: 'kind', type: text, omitempty: true },
  { name: 'apiVersion', type: text, omitempty: true },
  { name: 'resources', type: listOf(resource) },
]);

const groupVersion = 'apiserver.config.k8s.io/v1';
const kind = 'EncryptionConfiguration';
/** How the original names its scheme. */
const schemeName = 'k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go:142';

const defaultTimeout = 3_000;
const defaultCacheSize = 1000;

type DecodedKeys = { readonly keys: readonly Key[] | null } | undefined;
interface DecodedKms extends Omit<KmsConfiguration, 'timeout'> {
  readonly timeout?: string;
}
interface DecodedProvider {
  readonly aesgcm?: DecodedKeys;
  readonly aescbc?: DecodedKeys;
  readonly secretbox?: DecodedKeys;
  readonly identity?: object;
  readonly kms?: DecodedKms;
}
/** What strict decoding leaves: lists that are not there are null. */
interface Decoded {
  readonly resources?: readonly {
    readonly resources: readonly string[] | null;
    readonly providers: readonly DecodedProvider[] | null;
  }[];
}

function withDefaults(configuration: DecodedKms): KmsConfiguration {
  const { timeout, ...given } = configuration;
  const apiVersion = given.apiVersion === '' ? 'v1' : given.apiVersion;
  return {
    ...(apiVersion === 'v1' ? { cachesize: defaultCacheSize } : {}),
    ...given,
    apiVersion,
    timeout: timeout === undefined ? defaultTimeout : Number(parseDuration(timeout)) / 1e6,
  };
}

function providerOf({ kms: given, identity, ...ciphers }: DecodedProvider): ProviderConfiguration {
  const present = Object.entries(ciphers).filter(([, configuration]) => configuration !== undefined);
  return {
    ...Object.fromEntries(present.map(([name, configuration]) => [name, { keys: configuration?.keys ?? [] }])),
    ...(identity === undefined ? {} : { identity }),
    ...(given === undefined ? {} : { kms: withDefaults(given) }),
  };
}

function checkKind(value: unknown): void {
  const given = (name: 'kind' | 'apiVersion'): string => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    const member = (value as Record<string, unknown>)[name];
    return typeof member === 'string' ? member : '';
  };
  if (given('kind') === '') throw new Error(`Object 'Kind' is missing in '${stringifyJson(value)}'`);
  if (given('apiVersion') === '') throw new Error(`Object 'apiVersion' is missing in '${stringifyJson(value)}'`);
  const version = formatGroupVersion(parseGroupVersion(given('apiVersion')));
  if (version === groupVersion && given('kind') === kind) return;
  throw new Error(
    `no kind ${JSON.stringify(given('kind'))} is registered for version ${JSON.stringify(version)} in scheme ${JSON.stringify(schemeName)}`,
  );
}

function decode(value: unknown, duplicates: readonly string[]): Decoded {
  const { object, unknownFields } = decodeObject(value, configurationType, { keepEmpty: true });
  const problems = [
    ...(duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n${duplicates.map((d) => `  ${d}`).join('\n')}`]),
    ...unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  if (problems.length > 0) throw new Error(`strict decoding error: ${problems.join(', ')}`);
  return object;
}

/**
 * Reads an EncryptionConfiguration from YAML or JSON, strictly, with its defaults. Throws Error in the words of
 * kube-apiserver; what it says about secrets never contains them.
 */
export function parseEncryptionConfiguration(bytes: Buffer): EncryptionConfiguration {
  try {
    const { value, duplicateFields } = parseYamlStrict(bytes);
    checkKind(value);
    const decoded = decode(value, duplicateFields);
    return {
      resources: (decoded.resources ?? []).map(({ resources, providers }) => ({
        resources: resources ?? [],
        providers: (providers ?? []).map(providerOf),
      })),
    };
  } catch (error) {
    if (error instanceof YamlError || error instanceof DecodeError) throw new Error(error.message, { cause: error });
    throw error;
  }
}
