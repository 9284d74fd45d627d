import { openTracer, type Tracer } from '@apichain/client';
import { goQuote } from '@apichain/go-text';
import { errorMessage, parseYamlStrict } from '@apichain/meta';
import { apiServerId } from '@apichain/request';
import type { Logger } from '@apichain/request';
import { FlagError } from './flag.ts';
import { readPath } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

const flag = 'tracing-config-file';
const group = 'apiserver.config.k8s.io';
const versions: readonly string[] = ['v1alpha1', 'v1beta1', 'v1'].map((version) => `${group}/${version}`);
const kind = 'TracingConfiguration';
const members: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'endpoint', 'samplingRatePerMillion']);
const million = 1_000_000;

/** https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-TracingConfiguration */
interface TracingConfiguration {
  readonly endpoint: string;
  readonly samplingRatePerMillion: number;
}

/** `--tracing-config-file`; undefined = no tracing. Throws FlagError when the file cannot be used. */
export async function tracerOf(flags: ParsedFlags, logger: Logger): Promise<Tracer | undefined> {
  const path = flags.string(flag);
  if (path === '') return undefined;
  const { endpoint, samplingRatePerMillion } = parseTracingConfiguration(readPath(flag, path));
  return openTracer({
    endpoint,
    samplingRatePerMillion,
    resource: { 'service.name': 'apiserver', 'service.instance.id': apiServerId() },
    onError: (error) => logger.warn({ err: error, endpoint }, 'spans could not be exported'),
  });
}

/** Throws FlagError. */
export function parseTracingConfiguration(text: string): TracingConfiguration {
  const value = read(text);
  const { apiVersion = '', kind: given = '', endpoint = 'localhost:4317', samplingRatePerMillion = 0 } = value;
  if (typeof given !== 'string' || typeof apiVersion !== 'string') throw undecodable('kind and apiVersion are strings');
  if (given !== kind || !versions.includes(apiVersion)) {
    throw undecodable(`no kind ${goQuote(given)} is registered for version ${goQuote(apiVersion)}`);
  }
  if (typeof endpoint !== 'string') throw undecodable('endpoint: a string is expected');
  if (typeof samplingRatePerMillion !== 'number' || !Number.isInteger(samplingRatePerMillion)) {
    throw undecodable('samplingRatePerMillion: an integer is expected');
  }
  checkRate(samplingRatePerMillion);
  checkEndpoint(endpoint);
  return { endpoint, samplingRatePerMillion };
}

function read(text: string): Record<string, unknown> {
  let parsed;
  try {
    parsed = parseYamlStrict(text);
  } catch (error) {
    throw undecodable(errorMessage(error));
  }
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw undecodable('an object is expected');
  const unknown = Object.keys(value).filter((name) => !members.has(name));
  if (unknown.length > 0) {
    throw undecodable(`strict decoding error: ${unknown.map((name) => `unknown field ${goQuote(name)}`).join(', ')}`);
  }
  return { ...value };
}

const undecodable = (why: string): FlagError =>
  new FlagError(`failed to read tracing config: unable to decode tracing configuration data: ${why}`);

const invalid = (field: string, value: string, why: string): FlagError =>
  new FlagError(`failed to validate tracing configuration: ${field}: Invalid value: ${value}: ${why}`);

function checkRate(rate: number): void {
  const field = 'samplingRatePerMillion';
  if (rate < 0) throw invalid(field, String(rate), 'sampling rate must be positive');
  if (rate > million) {
    throw invalid(field, String(rate), 'sampling rate per million must be less than or equal to one million');
  }
}

const schemes: ReadonlySet<string> = new Set(['dns', 'unix', 'unix-abstract']);

function checkEndpoint(endpoint: string): void {
  if (!endpoint.includes('//')) return;
  const scheme = endpoint.slice(0, endpoint.indexOf(':'));
  if (schemes.has(scheme)) return;
  const options =
    'Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md';
  throw invalid('endpoint', goQuote(endpoint), `unsupported scheme: ${scheme}.  ${options}`);
}
