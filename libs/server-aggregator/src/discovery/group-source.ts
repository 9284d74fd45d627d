import {
  type ApiGroupDiscovery,
  type ApiVersionDiscovery,
  type DiscoveryPriority,
  type GroupSource,
  orderByPriority,
} from '@apichain/apiserver';
import { compareVersions } from '@apichain/meta';
import { apiServices, type ApiService } from '../apiservice/api-service.ts';
import { apiRegistrationPriority } from '../priorities.ts';

/**
 * `/api` and `/apis` of the whole chain, ordered by the priorities of the APIServices. Includes the groups of local servers that have an
 * APIService, and the last fetched groups of extension servers (Stale while these do not respond).
 */
export class AggregatedGroups {
  readonly #local: GroupSource;
  readonly #services: ReadonlyMap<string, ApiService>;
  readonly #remote = new Map<string, ApiVersionDiscovery>();
  readonly #merged = new Map<string, { revision: number; local: unknown; groups: readonly ApiGroupDiscovery[] }>();
  #revision = 0;

  constructor(local: GroupSource, services: ReadonlyMap<string, ApiService>) {
    this.#local = local;
    this.#services = services;
  }

  /** Must be called when an APIService was added, removed or changed its priority. */
  changed(): void {
    this.#revision += 1;
  }

  setRemote(name: string, discovery: ApiVersionDiscovery): void {
    this.#remote.set(name, discovery);
    this.changed();
  }

  /** The server does not respond: its version is still listed, without resources. */
  setStale(name: string, version: string): void {
    if (this.#remote.get(name)?.freshness !== 'Stale') this.setRemote(name, { version, freshness: 'Stale' });
  }

  removeRemote(name: string): void {
    if (this.#remote.delete(name)) this.changed();
  }

  readonly source: GroupSource = (path) => this.#groupsOf(path, false);

  /** The source of the documents without resources, which list whatever has an APIService: also versions of this chain that nobody serves. */
  readonly legacySource: GroupSource = (path) => this.#groupsOf(path, true);

  async #groupsOf(path: '/api' | '/apis', isLegacy: boolean): Promise<readonly ApiGroupDiscovery[]> {
    const local = await this.#local(path);
    const key = `${path} ${isLegacy}`;
    const cached = this.#merged.get(key);
    if (cached?.revision === this.#revision && cached.local === local) return cached.groups;
    const revision = this.#revision;
    const groups = path === '/api' ? local : this.#merge(local, isLegacy);
    this.#merged.set(key, { revision, local, groups });
    return groups;
  }

  #merge(local: readonly ApiGroupDiscovery[], isLegacy: boolean): readonly ApiGroupDiscovery[] {
    const byGroup = new Map<string, ApiVersionDiscovery[]>();
    const add = (group: string, version: ApiVersionDiscovery) => {
      const versions = byGroup.get(group);
      if (versions === undefined) byGroup.set(group, [version]);
      else versions.push(version);
    };
    for (const group of local) {
      const name = group.metadata.name ?? '';
      for (const version of group.versions) {
        const service = this.#services.get(`${version.version}.${name}`);
        if (name === apiServices.group || (service !== undefined && service.spec.service === undefined))
          add(name, version);
      }
    }
    for (const { metadata, spec } of this.#services.values()) {
      const { group = '', version = '', service } = spec;
      if (group === '') continue;
      if (service !== undefined) add(group, this.#remote.get(metadata.name ?? '') ?? { version, freshness: 'Stale' });
      else if (isLegacy && byGroup.get(group)?.some((served) => served.version === version) !== true)
        add(group, { version, freshness: 'Current' });
    }
    const groups = [...byGroup].map(([name, versions]) => ({ metadata: { name }, versions }));
    return orderByPriority(groups, (group, version) => this.#priorityOf(group, version), compareVersions);
  }

  #priorityOf(group: string, version: string): DiscoveryPriority | undefined {
    if (group === apiServices.group)
      return { groupPriorityMinimum: apiRegistrationPriority.group, versionPriority: apiRegistrationPriority.version };
    return this.#services.get(`${version}.${group}`)?.spec;
  }
}
