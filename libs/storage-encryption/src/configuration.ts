import { parseDurationMs } from '@apichain/go-text';
import {
  configurationRoot,
  configurationStruct as struct,
  decodeConfiguration,
  optionalMember as optional,
  type ConfigurationKind,
  type Type,
} from '@apichain/scheme';

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

const key = struct('v1.Key', { name: text, secret: text });
const keys = (name: string) => struct(name, { keys: listOf(key) });
const kms = struct('v1.KMSConfiguration', {
  apiVersion: text,
  name: text,
  cachesize: optional({ kind: 'integer', format: 'int32' }),
  endpoint: text,
  timeout: optional({ kind: 'duration' }),
});
const provider = struct('v1.ProviderConfiguration', {
  aesgcm: optional(keys('v1.AESConfiguration')),
  aescbc: optional(keys('v1.AESConfiguration')),
  secretbox: optional(keys('v1.SecretboxConfiguration')),
  identity: optional(struct('v1.IdentityConfiguration', {})),
  kms: optional(kms),
});
const resource = struct('v1.ResourceConfiguration', { resources: listOf(text), providers: listOf(provider) });
const configuration: ConfigurationKind = {
  kind: 'EncryptionConfiguration',
  versions: new Map([
    ['apiserver.config.k8s.io/v1', configurationRoot('v1.EncryptionConfiguration', { resources: listOf(resource) })],
  ]),
  scheme: 'k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go:142',
};

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
/** The result of strict decoding: missing lists are null. */
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
    timeout: timeout === undefined ? defaultTimeout : parseDurationMs(timeout),
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

/** Parses an EncryptionConfiguration from YAML or JSON, strictly, and applies its defaults. Throws Error with kube-apiserver's message. */
export function parseEncryptionConfiguration(bytes: Buffer): EncryptionConfiguration {
  const decoded: Decoded = decodeConfiguration(bytes, configuration);
  return {
    resources: (decoded.resources ?? []).map(({ resources, providers }) => ({
      resources: resources ?? [],
      providers: (providers ?? []).map(providerOf),
    })),
  };
}
