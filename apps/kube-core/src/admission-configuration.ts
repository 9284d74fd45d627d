import { dirname, resolve } from 'node:path';
import { parsePodSecurityDefaults, type PluginDependencies } from '@apichain/admission';
import { FlagError, readPath } from '@apichain/apiserver';
import { parseYaml } from '@apichain/meta';

/** What plugins are configured with. */
export type PluginConfiguration = Pick<
  PluginDependencies,
  'podSecurity' | 'podNodeSelector' | 'podTolerations' | 'eventLimits'
>;

type Plain = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): Plain => (isRecord(value) ? value : {});
const records = (value: unknown): Plain[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

const flag = 'admission-control-config-file';
const fail = (detail: string): never => {
  throw new FlagError(`--${flag}: ${detail}`);
};

/**
 * Reads the AdmissionConfiguration of `--admission-control-config-file`, with the files that it names, relative to its own. Throws FlagError,
 * also for a plugin whose configuration is not known here: it would silently not be in force.
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AdmissionConfiguration
 */
export function readAdmissionConfiguration(path: string): PluginConfiguration {
  if (path === '') return {};
  const document = record(parsed(path));
  const { apiVersion, kind } = document;
  if (kind !== 'AdmissionConfiguration' || apiVersion !== 'apiserver.config.k8s.io/v1')
    return fail(`${path}: it is no AdmissionConfiguration of apiserver.config.k8s.io/v1`);
  let configuration: PluginConfiguration = {};
  for (const plugin of records(document['plugins'])) {
    const name = String(plugin['name']);
    const file = plugin['path'];
    const inFile = typeof file === 'string' && file !== '' ? parsed(resolve(dirname(path), file)) : undefined;
    const given = plugin['configuration'] ?? inFile;
    if (given === undefined) continue;
    const read = readers[name] ?? fail(`the configuration of the plugin ${name} is not supported`);
    configuration = { ...configuration, ...read(record(given)) };
  }
  return configuration;
}

function parsed(path: string): unknown {
  const text = readPath(flag, path);
  try {
    return parseYaml(Buffer.from(text));
  } catch (error) {
    return fail(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const readers: Readonly<Record<string, (configuration: Plain) => PluginConfiguration>> = {
  PodSecurity: readPodSecurity,
  PodNodeSelector: readNodeSelectors,
  PodTolerationRestriction: (configuration) => ({
    podTolerations: {
      ...(configuration['default'] === undefined ? {} : { defaults: records(configuration['default']) }),
      ...(configuration['whitelist'] === undefined ? {} : { whitelist: records(configuration['whitelist']) }),
    },
  }),
  EventRateLimit: readEventLimits,
};

function readPodSecurity(configuration: Plain): PluginConfiguration {
  const { defaults, errors } = parsePodSecurityDefaults(record(configuration['defaults']));
  if (errors.length > 0) return fail(`PodSecurity: ${errors.join(', ')}`);
  const { usernames, runtimeClasses, namespaces } = record(configuration['exemptions']);
  const exemptions = {
    usernames: texts(usernames),
    runtimeClasses: texts(runtimeClasses),
    namespaces: texts(namespaces),
  };
  return { podSecurity: { defaults, exemptions } };
}

function readNodeSelectors(configuration: Plain): PluginConfiguration {
  const entries = Object.entries(record(configuration['podNodeSelectorPluginConfig'])).map(
    ([name, selector]) => [name, String(selector)] as const,
  );
  const { clusterDefaultNodeSelector = '', ...whitelists } = Object.fromEntries(entries);
  return { podNodeSelector: { clusterDefaultNodeSelector, whitelists } };
}

const limitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;

function readEventLimits(configuration: Plain): PluginConfiguration {
  const limits = records(configuration['limits']);
  if (limits.length === 0) return fail('EventRateLimit: limits: Required value: must be specified');
  const eventLimits = limits.map(({ type, qps, burst, cacheSize }) => {
    const known =
      limitTypes.find((candidate) => candidate === type) ?? fail(`EventRateLimit: unknown limit ${String(type)}`);
    const isRate = (value: unknown): value is number => typeof value === 'number' && value > 0;
    if (!isRate(qps) || !isRate(burst)) return fail('EventRateLimit: qps and burst must be positive');
    return { type: known, qps, burst, ...(isRate(cacheSize) ? { cacheSize } : {}) };
  });
  return { eventLimits };
}
