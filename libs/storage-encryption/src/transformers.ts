import { errorMessage, field, type GroupResource } from '@apichain/meta';
import { identityTransformer, type ValueTransformer } from '@apichain/storage';
import { aesCbcTransformer } from './ciphers/aes-cbc.ts';
import { aesGcmTransformer } from './ciphers/aes-gcm.ts';
import { secretboxTransformer } from './ciphers/secretbox.ts';
import type {
  EncryptionConfiguration,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './configuration.ts';
import { envelopeTransformer } from './kms/envelope.ts';
import { KmsProbe, type ProbeOptions } from './kms/probe.ts';
import { connectKms } from './kms/service.ts';
import { prefixTransformers, type PrefixTransformer } from './prefix-transformer.ts';
import { decodeSecret, parseGroupResource, validateEncryptionConfiguration } from './validation.ts';

/** The transformers of one configuration. */
export interface TransformerSet {
  transformerFor(resource: GroupResource): ValueTransformer;
  /** The KMS plugins that it uses. */
  readonly probes: readonly KmsProbe[];
  /** How long calls of plugins may continue after the set was replaced, in milliseconds. */
  readonly closeGracePeriodMs: number;
  close(): void;
}

export interface BuildOptions {
  readonly reload: boolean;
  /** For tests: other intervals and another clock. */
  readonly probe?: Pick<ProbeOptions, 'now' | 'healthyIntervalMs' | 'unhealthyIntervalMs'>;
}

const kmsV1Refused =
  'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.';

const anyResource = '*';
const keyOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;
const shown = ({ group, resource }: GroupResource): string =>
  group === '' && resource !== '*' ? resource : keyOf({ group, resource });

function keyed(
  provider: string,
  prefix: string,
  configuration: KeysConfiguration,
  make: (key: Buffer) => ValueTransformer,
): PrefixTransformer {
  const transformers = configuration.keys.map(({ name, secret }) => ({
    prefix: `${name}:`,
    transformer: make(decodeSecret(secret) ?? Buffer.alloc(0)),
  }));
  return {
    prefix,
    transformer: prefixTransformers(`no matching key was found for the provided ${provider} transformer`, transformers),
  };
}

class Builder {
  readonly probes: KmsProbe[] = [];
  closeGracePeriodMs = 0;
  readonly #options: BuildOptions;

  constructor(options: BuildOptions) {
    this.#options = options;
  }

  async providersOf(providers: readonly ProviderConfiguration[]): Promise<PrefixTransformer[]> {
    const transformers: PrefixTransformer[] = [];
    for (const provider of providers) transformers.push(await this.#transformerOf(provider));
    return transformers;
  }

  async #transformerOf({ aesgcm, aescbc, secretbox, kms }: ProviderConfiguration): Promise<PrefixTransformer> {
    if (aesgcm !== undefined) return keyed('AES', 'k8s:enc:aesgcm:v1:', aesgcm, aesGcmTransformer);
    if (aescbc !== undefined) return keyed('AES', 'k8s:enc:aescbc:v1:', aescbc, aesCbcTransformer);
    if (secretbox !== undefined) {
      return keyed('Secretbox', 'k8s:enc:secretbox:v1:', secretbox, secretboxTransformer);
    }
    if (kms !== undefined) return this.#kmsTransformer(kms);
    return { prefix: '', transformer: identityTransformer };
  }

  async #kmsTransformer({ apiVersion, name, endpoint, timeout }: KmsConfiguration): Promise<PrefixTransformer> {
    if (apiVersion === 'v1') throw new Error(kmsV1Refused);
    const service = connectKms(endpoint, timeout);
    const probe = new KmsProbe({ name, service, ...this.#options.probe });
    this.probes.push(probe);
    this.closeGracePeriodMs += 2 * timeout;
    await probe.start();
    const now = this.#options.probe?.now;
    return {
      prefix: `k8s:enc:kms:v2:${name}:`,
      transformer: envelopeTransformer({
        service,
        state: () => probe.currentState(),
        now,
      }),
    };
  }
}

type Rules = ReadonlyMap<string, ValueTransformer>;

/** The providers of all entries that name a resource, in order. An entry that an earlier wildcard covers is an error. */
async function buildRules(configuration: EncryptionConfiguration, builder: Builder): Promise<Rules> {
  const providers = new Map<string, PrefixTransformer[]>();
  for (const entry of configuration.resources) {
    const transformers = await builder.providersOf(entry.providers);
    for (const name of entry.resources) {
      const resource = parseGroupResource(name);
      const wildcards = [
        { group: resource.group, resource: anyResource },
        { group: '*', resource: anyResource },
      ];
      const mask = wildcards.find((wildcard) => providers.has(keyOf(wildcard)));
      if (mask !== undefined) {
        throw new Error(
          `resource ${JSON.stringify(shown(resource))} is masked by earlier rule ${JSON.stringify(shown(mask))}`,
        );
      }
      const before = providers.get(keyOf(resource)) ?? [];
      providers.set(keyOf(resource), [...before, ...transformers]);
    }
  }
  return new Map([...providers].map(([key, list]) => [key, prefixTransformers('no matching prefix found', list)]));
}

/**
 * Validates a configuration and creates its transformers. Resolves after one check of each KMS plugin, healthy or not. Throws Error with
 * kube-apiserver's message. Source: k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go.
 */
export async function buildTransformers(
  configuration: EncryptionConfiguration,
  options: BuildOptions,
): Promise<TransformerSet> {
  const problems = validateEncryptionConfiguration(configuration, options.reload);
  if (problems.length > 0) throw new Error(`error while parsing file: ${field.aggregateFieldErrors(problems)}`);
  const builder = new Builder(options);
  const close = () => {
    for (const probe of builder.probes) probe.close();
  };
  let rules: Rules;
  try {
    rules = await buildRules(configuration, builder);
  } catch (error) {
    close();
    const why = errorMessage(error);
    throw new Error(`error while building transformers: ${why}`, { cause: error });
  }
  return {
    transformerFor: (resource) =>
      rules.get(keyOf(resource)) ??
      rules.get(keyOf({ group: resource.group, resource: anyResource })) ??
      rules.get(keyOf({ group: '*', resource: anyResource })) ??
      identityTransformer,
    probes: builder.probes,
    closeGracePeriodMs: builder.closeGracePeriodMs,
    close,
  };
}
