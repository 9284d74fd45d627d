import {
  imagePolicyFrom,
  InitializationError,
  isEnabled,
  parsePodSecurityDefaults,
  podSecurityDefaultProblems,
  type EventLimit,
  type PluginDependencies,
} from '@apichain/admission';
import type { AdmissionOptions } from '@apichain/apiserver-options';
import { tolerationListErrors } from '@apichain/kinds-validation';
import {
  field,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  parseYaml,
  record,
  records,
  texts,
  type FieldError,
  type Plain,
} from '@apichain/meta';
import {
  configurationRoot,
  configurationStruct,
  decodeConfiguration,
  optionalMember,
  type ConfigurationKind,
  type Type,
} from '@apichain/scheme';

/** The configuration of plugins for the built-in kinds. */
export type PluginConfiguration = Pick<
  PluginDependencies,
  'podSecurity' | 'podNodeSelector' | 'podTolerations' | 'eventLimits' | 'imagePolicy'
>;

/**
 * The configuration of the enabled plugins, from the file of `--admission-control-config-file` or by default. Throws Error with the text of
 * kube-apiserver.
 */
export function pluginConfiguration({ configurations, selection }: AdmissionOptions): PluginConfiguration {
  const read = readers.filter(([plugin]) => isEnabled(plugin, selection));
  return Object.assign({}, ...read.map(([plugin, reader]) => configurations.of(plugin, reader))) as PluginConfiguration;
}

const string: Type = { kind: 'string' };
const integer: Type = { kind: 'integer', format: 'int32' };
const strings: Type = { kind: 'array', items: string };
const kindOf = (group: string, versions: readonly string[], kind: string, scheme: string, type: Type) =>
  ({ kind, versions: new Map(versions.map((version) => [`${group}/${version}`, type])), scheme }) as const;

const modes = ['enforce', 'enforce-version', 'audit', 'audit-version', 'warn', 'warn-version'];
const podSecurityKind: ConfigurationKind = kindOf(
  'pod-security.admission.config.k8s.io',
  ['v1', 'v1beta1', 'v1alpha1'],
  'PodSecurityConfiguration',
  'k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31',
  configurationRoot('v1.PodSecurityConfiguration', {
    defaults: configurationStruct('PodSecurityDefaults', Object.fromEntries(modes.map((mode) => [mode, string]))),
    exemptions: configurationStruct('PodSecurityExemptions', {
      usernames: strings,
      namespaces: strings,
      runtimeClasses: strings,
    }),
  }),
);

function readPodSecurity(source: string | undefined): PluginConfiguration {
  if (source === undefined) return {};
  const configuration = decodeConfiguration(source, podSecurityKind);
  const given = Object.fromEntries(
    Object.entries(record(configuration['defaults'])).filter(([, value]) => value !== ''),
  );
  const problems = podSecurityDefaultProblems(given);
  const all = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  if (problems.length > 0) throw new InitializationError(`PodSecurity configuration error: ${all}`);
  const exemptions = record(configuration['exemptions']);
  const [usernames, runtimeClasses, namespaces] = ['usernames', 'runtimeClasses', 'namespaces'].map((name) =>
    texts(exemptions[name]),
  );
  const named = { usernames: usernames ?? [], runtimeClasses: runtimeClasses ?? [], namespaces: namespaces ?? [] };
  const errors = [
    ...exemptionErrors('namespaces', named.namespaces, (name) => nameIsDNSLabel(name, false)),
    ...exemptionErrors('runtimeClasses', named.runtimeClasses, (name) => nameIsDNSSubdomain(name, false)),
    ...exemptionErrors('usernames', named.usernames, (name) => (name === '' ? ['username must not be empty'] : [])),
  ];
  if (errors.length > 0) throw new InitializationError(`PodSecurity invalid: ${field.aggregateFieldErrors(errors)}`);
  return { podSecurity: { defaults: parsePodSecurityDefaults(given), exemptions: named } };
}

function exemptionErrors(what: string, names: readonly string[], check: (name: string) => string[]): FieldError[] {
  return names.flatMap((name, i) => {
    const path = `exemptions.${what}[${i}]`;
    const messages = check(name);
    if (messages.length > 0) return [field.invalid(path, name, messages.join(', '))];
    return names.indexOf(name) < i ? [field.duplicate(path, name)] : [];
  });
}

/** Reads the format without a version. Values of another type are ignored. */
function readNodeSelectors(source: string | undefined): PluginConfiguration {
  if (source === undefined) return {};
  const { podNodeSelectorPluginConfig } = record(parseYaml(Buffer.from(source)));
  const entries = Object.entries(record(podNodeSelectorPluginConfig)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const { clusterDefaultNodeSelector = '', ...whitelists } = Object.fromEntries(entries);
  return { podNodeSelector: { clusterDefaultNodeSelector, whitelists } };
}

const tolerations: Type = {
  kind: 'array',
  items: configurationStruct('Toleration', {
    key: { type: string, omitempty: true },
    operator: { type: string, omitempty: true },
    value: { type: string, omitempty: true },
    effect: { type: string, omitempty: true },
    tolerationSeconds: optionalMember({ kind: 'integer', format: 'int64' }),
  }),
};
const tolerationKind: ConfigurationKind = {
  ...kindOf(
    'podtolerationrestriction.admission.k8s.io',
    ['v1alpha1'],
    'Configuration',
    'k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/config.go:32',
    configurationRoot('v1alpha1.Configuration', { default: tolerations, whitelist: tolerations }),
  ),
  lenient: true,
};

function readTolerations(source: string | undefined): PluginConfiguration {
  if (source === undefined) return {};
  const configuration = decodeConfiguration(source, tolerationKind);
  const defaults = records(configuration['default']);
  const whitelist = records(configuration['whitelist']);
  const errors: FieldError[] = [];
  tolerationListErrors(errors, 'podtolerationrestriction.default', defaults);
  tolerationListErrors(errors, 'podtolerationrestriction.whitelist', whitelist);
  if (errors.length > 0)
    throw new Error(`invalid config: [${errors.map((error) => `${error.field}: ${error.message}`).join(' ')}]`);
  return { podTolerations: { defaults, whitelist } };
}

const limitTypes = ['SourceAndObject', 'Server', 'Namespace', 'User'] as const;
const eventLimitKind: ConfigurationKind = {
  ...kindOf(
    'eventratelimit.admission.k8s.io',
    ['v1alpha1'],
    'Configuration',
    'k8s.io/kubernetes/plugin/pkg/admission/eventratelimit/config.go:31',
    configurationRoot('v1alpha1.Configuration', {
      limits: {
        kind: 'array',
        items: configurationStruct('Limit', { type: string, qps: integer, burst: integer, cacheSize: integer }),
      },
    }),
  ),
  lenient: true,
};

function readEventLimits(source: string | undefined): PluginConfiguration {
  const { limits } = source === undefined ? { limits: null } : decodeConfiguration(source, eventLimitKind);
  const given = records(limits);
  const errors = given.flatMap((limit, i) => eventLimitErrors(limit, `limits[${i}]`));
  if (given.length === 0) errors.push(field.invalid('limits', limits ?? null, 'must not be empty'));
  if (errors.length > 0) throw new Error(field.aggregateFieldErrors(errors));
  return { eventLimits: given.map(eventLimitOf) };
}

function eventLimitErrors({ type, qps, burst, cacheSize }: Plain, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!limitTypes.some((known) => known === type))
    errors.push(field.notSupported(`${path}.type`, type ?? '', limitTypes));
  for (const [name, rate] of [
    ['burst', burst],
    ['qps', qps],
  ] as const)
    if (Number(rate ?? 0) <= 0) errors.push(field.invalid(`${path}.${name}`, rate ?? 0, 'must be positive'));
  if (type !== 'Server' && Number(cacheSize ?? 0) < 0)
    errors.push(field.invalid(`${path}.cacheSize`, cacheSize, 'must not be negative'));
  return errors;
}

function eventLimitOf({ type, qps, burst, cacheSize }: Plain): EventLimit {
  const known = limitTypes.find((candidate) => candidate === type) ?? 'Server';
  const size = Number(cacheSize ?? 0);
  return { type: known, qps: Number(qps), burst: Number(burst), ...(size > 0 ? { cacheSize: size } : {}) };
}

const readers: readonly (readonly [plugin: string, read: (source: string | undefined) => PluginConfiguration])[] = [
  ['ImagePolicyWebhook', (source) => ({ imagePolicy: imagePolicyFrom(source) })],
  ['PodSecurity', readPodSecurity],
  ['PodNodeSelector', readNodeSelectors],
  ['PodTolerationRestriction', readTolerations],
  ['EventRateLimit', readEventLimits],
];
