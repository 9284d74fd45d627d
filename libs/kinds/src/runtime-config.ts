import { formatGroupVersion, type GroupVersion } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { BuiltinGroupVersion, BuiltinResource } from './resources.ts';

/** `--runtime-config` as given: keys such as `api/beta`, `batch/v1` or `resource.k8s.io/v1beta1/resourceclaims`, value `true` or `false`. */
export type RuntimeConfig = Readonly<Record<string, string>>;

export class RuntimeConfigError extends Error {
  override readonly name = 'RuntimeConfigError';
}

const stability = (version: string): 'ga' | 'beta' | 'alpha' =>
  version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';

/** Keys that select many versions; their value must be written out. */
const wideKeys = ['api/all', 'api/ga', 'api/beta', 'api/alpha'];

function truth(key: string, value: string): boolean {
  if (wideKeys.includes(key)) {
    if (value === 'true' || value === 'false') return value === 'true';
    throw new RuntimeConfigError(`invalid value ${key}=${value}`);
  }
  if (value === '' || /^(?:1|t|T|TRUE|true|True)$/.test(value)) return true;
  if (/^(?:0|f|F|FALSE|false|False)$/.test(value)) return false;
  const problem = `strconv.ParseBool: parsing ${goQuote(value)}: invalid syntax`;
  throw new RuntimeConfigError(`invalid value of ${key}: ${value}, err: ${problem}`);
}

/** The setting of one key; undefined when it is not given. */
const setting = (config: RuntimeConfig, key: string): boolean | undefined =>
  Object.hasOwn(config, key) ? truth(key, config[key] ?? '') : undefined;

function versionKey(gv: GroupVersion): string {
  return gv.group === '' ? `api/${gv.version}` : formatGroupVersion(gv);
}

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly group: string;
  readonly version: string;
  /** The resource, if the key names one. */
  readonly resource: string | undefined;
}

/** The settings for versions and resources; `v1` and `api/v1` both mean the core group. Throws RuntimeConfigError. */
function settingsOf(config: RuntimeConfig): Setting[] {
  const keys = Object.keys(config).filter((key) => !wideKeys.includes(key) && key !== 'api/legacy');
  return keys.map((key) => {
    const [group = '', version, resource, ...more] = (key === 'v1' ? 'api/v1' : key).split('/');
    if (version === undefined || more.length > 0) throw new RuntimeConfigError(`runtime-config invalid key ${key}`);
    return { key, value: config[key] ?? '', group: group === 'api' ? '' : group, version, resource };
  });
}

/**
 * Checks that every key names a stability level, a version or a resource of a version. `known` are the versions that have types, served or not.
 * Throws RuntimeConfigError with the texts and in the order of k8s.io/apiserver/pkg/server/resourceconfig.
 */
export function checkRuntimeConfig(config: RuntimeConfig, known: readonly GroupVersion[]): void {
  if (config['api/all'] === 'false' && Object.keys(config).length === 1) {
    throw new RuntimeConfigError('invalid runtime-config with only api/all=false');
  }
  const settings = settingsOf(config);
  const unknown = settings.filter(({ group }) => !known.some((gv) => gv.group === group));
  if (unknown.length > 0) {
    const names = [...new Set(unknown.map(formatGroupVersion))].toSorted();
    throw new RuntimeConfigError(`unknown api groups ${names.join(',')}`);
  }
  for (const key of wideKeys) setting(config, key);
  for (const { key, value, group, version, resource } of settings) {
    if (!known.some((gv) => gv.group === group && gv.version === version)) {
      throw new RuntimeConfigError(`group version ${group}/${version} that has not been registered`);
    }
    truth(key, value);
    if (resource !== undefined && resource !== resource.toLowerCase()) {
      const rule = 'group/version/resource and resource is always lowercase plural';
      throw new RuntimeConfigError(`invalid key ${key}: ${rule}, not ${goQuote(resource)}`);
    }
  }
}

/**
 * Whether a version is served. The more specific key takes precedence: `g/v`, then `api/ga|beta|alpha`, then `api/all`, then the default.
 * https://kubernetes.io/docs/reference/using-api/#enabling-or-disabling
 */
export function versionEnabled(gv: BuiltinGroupVersion, config: RuntimeConfig): boolean {
  return (
    setting(config, versionKey(gv)) ??
    setting(config, formatGroupVersion(gv)) ??
    setting(config, `api/${stability(gv.version)}`) ??
    setting(config, 'api/all') ??
    gv.enabledByDefault
  );
}

/** Whether a resource of a version is served: by its own key, otherwise by its version. */
export function resourceEnabled(gv: BuiltinGroupVersion, resource: BuiltinResource, config: RuntimeConfig): boolean {
  return setting(config, `${versionKey(gv)}/${resource.info.plural}`) ?? versionEnabled(gv, config);
}
