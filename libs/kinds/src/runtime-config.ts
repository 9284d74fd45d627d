import { formatGroupVersion } from '@apichain/meta';
import type { BuiltinGroupVersion, BuiltinResource } from './resources.ts';

/** `--runtime-config` as given: keys such as `api/beta`, `batch/v1` or `resource.k8s.io/v1beta1/resourceclaims`, value `true` or `false`. */
export type RuntimeConfig = Readonly<Record<string, string>>;

export class RuntimeConfigError extends Error {
  override readonly name = 'RuntimeConfigError';
}

const stability = (version: string): 'ga' | 'beta' | 'alpha' =>
  version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';

function truth(key: string, value: string): boolean {
  if (value === '' || /^(?:1|t|true)$/i.test(value)) return true;
  if (/^(?:0|f|false)$/i.test(value)) return false;
  throw new RuntimeConfigError(`invalid value of runtime-config: ${key}=${value} must be true or false`);
}

/** The setting of one key; undefined when it is not given. */
const setting = (config: RuntimeConfig, key: string): boolean | undefined =>
  Object.hasOwn(config, key) ? truth(key, config[key] ?? '') : undefined;

/**
 * Splits `a=true,b=false` (several flags joined by commas alike). A key without a value means true.
 */
export function parseRuntimeConfig(flag: string): RuntimeConfig {
  const pairs = flag.split(',').map((pair) => pair.trim());
  return Object.fromEntries(
    pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        return at < 0 ? [pair, 'true'] : [pair.slice(0, at), pair.slice(at + 1)];
      }),
  );
}

function versionKey(gv: BuiltinGroupVersion): string {
  return gv.group === '' ? `api/${gv.version}` : formatGroupVersion(gv);
}

/** Every key must name something: a stability, a group-version or a resource. Throws RuntimeConfigError. */
export function checkRuntimeConfig(config: RuntimeConfig, known: readonly BuiltinGroupVersion[]): void {
  for (const [key, value] of Object.entries(config)) {
    truth(key, value);
    if (/^api\/(?:all|ga|beta|alpha|legacy)$/.test(key)) continue;
    const parts = key.split('/');
    const version = key === 'v1' ? 'api/v1' : parts.slice(0, 2).join('/');
    if (!known.some((gv) => versionKey(gv) === version || formatGroupVersion(gv) === version)) {
      throw new RuntimeConfigError(`unknown api groups ${parts[0] ?? ''} in --runtime-config`);
    }
  }
}

/**
 * Whether a version is served. The more specific key wins: `g/v`, then `api/ga|beta|alpha`, then `api/all`, then the default.
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

/** Whether a resource of a version is served: its own key decides, otherwise its version. */
export function resourceEnabled(gv: BuiltinGroupVersion, resource: BuiltinResource, config: RuntimeConfig): boolean {
  return setting(config, `${versionKey(gv)}/${resource.info.plural}`) ?? versionEnabled(gv, config);
}
