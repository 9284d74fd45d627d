import { formatGroupVersion, type GroupVersion } from '@apichain/meta';
import { FlagError } from './flag.ts';

const gaVersion = /^v\d+$/;
const betaVersion = /^v\d+beta\d+$/;
const alphaVersion = /^v\d+alpha\d+$/;
/** Later ones override earlier ones. */
const wide: readonly (readonly [key: string, pattern: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', gaVersion],
  ['api/beta', betaVersion],
  ['api/alpha', alphaVersion],
];

/** `--runtime-config`: which group-versions and resources are served. https://kubernetes.io/docs/reference/using-api/#enabling-or-disabling */
export class RuntimeConfig {
  readonly #settings = new Map<string, boolean>();

  /** Throws FlagError on a value other than true and false. */
  constructor(settings: ReadonlyMap<string, string>) {
    for (const [key, text] of settings) {
      if (text !== 'true' && text !== 'false' && text !== '') {
        throw new FlagError(`invalid value of ${key}=${text} in --runtime-config: must be true or false`);
      }
      this.#settings.set(coreKey(key), text !== 'false');
    }
  }

  groupVersionEnabled(groupVersion: GroupVersion, enabledByDefault: boolean): boolean {
    const exact = this.#settings.get(formatGroupVersion(groupVersion));
    if (exact !== undefined) return exact;
    let enabled = enabledByDefault;
    for (const [key, pattern] of wide) {
      const setting = this.#settings.get(key);
      if (setting !== undefined && pattern.test(groupVersion.version)) enabled = setting;
    }
    return enabled;
  }

  /** `resource` is the plural; a resource that is named is served even where its group-version is off. */
  resourceEnabled(groupVersion: GroupVersion, resource: string, enabledByDefault: boolean): boolean {
    const exact = this.#settings.get(`${formatGroupVersion(groupVersion)}/${resource}`);
    return exact ?? this.groupVersionEnabled(groupVersion, enabledByDefault);
  }
}

/** The core group may be written `v1` or `api/v1`. */
function coreKey(key: string): string {
  return /^api\/v\d/.test(key) ? key.slice('api/'.length) : key;
}
