import { goQuote } from '@apichain/go-text';
import { field, type FieldError, type GroupResource } from '@apichain/meta';
import type {
  EncryptionConfiguration,
  Key,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './configuration.ts';

/*
 * Validation of an EncryptionConfiguration. Source: k8s.io/apiserver/pkg/apis/apiserver/validation/validation_encryption.go.
 */

const aesKeySizes = [16, 24, 32];
const secretboxKeySizes = [32];
const noProvider = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
const manyProviders = 'more than one provider specified in a single element, should split into different list elements';
const withoutRest: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

/** `pods` or `deployments.apps` as group and resource. `*.` = all resources of the core group, `*.*` = all resources of all groups. */
export function parseGroupResource(name: string): GroupResource {
  const dot = name.indexOf('.');
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

/** Validates a configuration. With `reload`, KMS names must be unique across versions. */
export function validateEncryptionConfiguration(configuration: EncryptionConfiguration, reload: boolean): FieldError[] {
  const root = 'resources';
  if (configuration.resources.length === 0) return [field.required(root, atLeastOne(root))];
  const kmsNames = new Set<string>();
  return configuration.resources.flatMap(({ resources, providers }, i) => {
    const at = field.index(root, i);
    const resourcesPath = field.child(at, 'resources');
    const providersPath = field.child(at, 'providers');
    return [
      ...(resources.length === 0 ? [field.required(resourcesPath, atLeastOne(resourcesPath))] : []),
      ...validateOverlap(resources, resourcesPath),
      ...resources.flatMap((name, j) => validateResourceName(name, field.index(resourcesPath, j))),
      ...(providers.length === 0 ? [field.required(providersPath, atLeastOne(providersPath))] : []),
      ...providers.flatMap((provider, j) =>
        validateProvider(provider, field.index(providersPath, j), kmsNames, reload),
      ),
    ];
  });
}

const atLeastOne = (what: string) => `at least one ${what} is required`;
const mandatory = (what: string, owner: string) => `${what} is a mandatory field for a ${owner}`;

const same = (a: GroupResource, b: GroupResource) => a.group === b.group && a.resource === b.resource;
const isEverything = ({ group, resource }: GroupResource) => group === '*' && resource === '*';

function validateOverlap(names: readonly string[], path: string): FieldError[] {
  const parsed = names.map(parseGroupResource);
  const pairs = parsed.flatMap((a, i) => parsed.filter((_, j) => i !== j).map((b) => [a, b] as const));
  const duplicates = pairs.filter(([a, b]) => same(a, b));
  // The first pair of equal names is reported as a duplicate, not as an overlap.
  const others = pairs.filter((pair) => pair !== duplicates[0]);
  const overlaps = others.some(
    ([a, b]) => isEverything(a) || (a.group === b.group && (a.resource === '*' || b.resource === '*')),
  );
  return [
    ...(duplicates.length > 0
      ? [field.invalid(path, names, 'the same resource cannot be specified multiple times')]
      : []),
    ...(overlaps
      ? [
          field.invalid(
            path,
            names,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ];
}

function resourceNameProblem(name: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === '*') {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  }
  if (withoutRest.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseGroupResource(name);
  if (group === 'events.k8s.io') {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  }
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function validateResourceName(name: string, path: string): FieldError[] {
  const problem = resourceNameProblem(name);
  return problem === undefined ? [] : [field.invalid(path, name, problem)];
}

/** A provider as shown in an error message, without secrets. */
function redacted(provider: ProviderConfiguration): Record<string, unknown> {
  const hide = (configuration: KeysConfiguration | undefined) =>
    configuration === undefined
      ? null
      : { Keys: configuration.keys.map(({ name }) => ({ Name: name, Secret: 'REDACTED' })) };
  const { kms, identity } = provider;
  return {
    AESGCM: hide(provider.aesgcm),
    AESCBC: hide(provider.aescbc),
    Secretbox: hide(provider.secretbox),
    Identity: identity ?? null,
    KMS: kms === undefined ? null : { APIVersion: kms.apiVersion, Name: kms.name, Endpoint: kms.endpoint },
  };
}

function validateProvider(
  provider: ProviderConfiguration,
  path: string,
  kmsNames: Set<string>,
  reload: boolean,
): FieldError[] {
  const { kms, aesgcm, aescbc, secretbox, identity } = provider;
  const found = [kms, aesgcm, aescbc, secretbox, identity].filter((one) => one !== undefined).length;
  const count = found === 1 ? [] : [field.invalid(path, redacted(provider), found === 0 ? noProvider : manyProviders)];
  const keysOf = (name: string, configuration: KeysConfiguration, sizes: readonly number[]) =>
    validateKeys(configuration.keys, field.child(path, name, 'keys'), sizes);
  if (kms !== undefined) {
    const problems = validateKms(kms, field.child(path, 'kms'), kmsNames, reload);
    kmsNames.add(kms.name);
    return [...count, ...problems];
  }
  if (aesgcm !== undefined) return [...count, ...keysOf('aesgcm', aesgcm, aesKeySizes)];
  if (aescbc !== undefined) return [...count, ...keysOf('aescbc', aescbc, aesKeySizes)];
  if (secretbox !== undefined) return [...count, ...keysOf('secretbox', secretbox, secretboxKeySizes)];
  return count;
}

function validateKeys(keys: readonly Key[], path: string, sizes: readonly number[]): FieldError[] {
  if (keys.length === 0) return [field.required(path, atLeastOne('keys'))];
  return keys.flatMap((key, i) => {
    const at = field.index(path, i);
    const name = key.name === '' ? [field.required(field.child(at, 'name'), mandatory('name', 'key'))] : [];
    return [...name, ...validateSecret(key.secret, field.child(at, 'secret'), sizes)];
  });
}

const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes standard base64 text, ignoring line ends as Go does; undefined when the text is not base64. */
export function decodeSecret(secret: string): Buffer | undefined {
  const joined = secret.replace(/[\r\n]/g, '');
  return base64Text.test(joined) ? Buffer.from(joined, 'base64') : undefined;
}

function validateSecret(secret: string, path: string, sizes: readonly number[]): FieldError[] {
  if (secret === '') return [field.required(path, mandatory('secret', 'key'))];
  const bytes = decodeSecret(secret);
  if (bytes === undefined) return [field.invalid(path, 'REDACTED', 'secrets must be base64 encoded')];
  if (sizes.includes(bytes.length)) return [];
  const problem = `secret is not of the expected length, got ${bytes.length}, expected one of [${sizes.join(' ')}]`;
  return [field.invalid(path, 'REDACTED', problem)];
}

function validateKms(
  kms: KmsConfiguration,
  path: string,
  kmsNames: ReadonlySet<string>,
  reload: boolean,
): FieldError[] {
  const at = (name: string) => field.child(path, name);
  const v1 = kms.apiVersion === 'v1';
  const errors: FieldError[] = [];
  if (kms.name === '') errors.push(field.required(at('name'), mandatory('name', 'provider')));
  if (!v1 && kms.name.includes(':')) {
    const problem = `invalid KMS provider name ${kms.name}, must not contain ':'`;
    errors.push(field.invalid(at('name'), kms.name, problem));
  }
  if ((reload || !v1) && kmsNames.has(kms.name)) {
    const problem = `duplicate KMS provider name ${kms.name}, names must be unique`;
    errors.push(field.invalid(at('name'), kms.name, problem));
  }
  if (kms.timeout <= 0) {
    errors.push(field.invalid(at('timeout'), `${kms.timeout / 1000}s`, 'timeout should be a positive value'));
  }
  errors.push(...validateEndpoint(kms.endpoint, at('endpoint')));
  if (!v1 && kms.cachesize !== undefined) {
    errors.push(field.invalid(at('cachesize'), kms.cachesize, 'cachesize is not supported in v2'));
  }
  if (v1 && kms.cachesize === 0) {
    errors.push(field.invalid(at('cachesize'), 0, 'cachesize should be a positive value, or negative to disable'));
  }
  if (!v1 && kms.apiVersion !== 'v2') {
    const problem = 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported';
    errors.push(field.invalid(at('apiVersion'), kms.apiVersion, problem));
  }
  return errors;
}

function validateEndpoint(endpoint: string, path: string): FieldError[] {
  if (endpoint === '') return [field.invalid(path, '', mandatory('endpoint', 'kms'))];
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? '';
  if (endpoint.startsWith(':')) {
    const problem = `invalid endpoint for kms provider, error: parse ${goQuote(endpoint)}: missing protocol scheme`;
    return [field.invalid(path, endpoint, problem)];
  }
  if (scheme === 'unix') return [];
  const problem = `unsupported scheme ${goQuote(scheme)} for KMS provider, only unix is supported`;
  return [field.invalid(path, endpoint, problem)];
}
