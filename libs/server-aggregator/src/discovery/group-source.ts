import {
  type ApiGroupDiscovery,
  type ApiVersionDiscovery,
  type DiscoveryPriority,
  type GroupSource,
  compareVersions,
  orderByPriority,
} from '@apichain/apiserver';
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

  readonly source: GroupSource = async (path) => {
    const local = await this.#local(path);
    const cached = this.#merged.get(path);
    if (cached?.revision === this.#revision && cached.local === local) return cached.groups;
    const revision = this.#revision;
    const groups = this.#merge(path, local);
    this.#merged.set(path, { revision, local, groups });
    return groups;
  };

  #merge(path: '/api' | '/apis', local: readonly ApiGroupDiscovery[]): readonly ApiGroupDiscovery[] {
    if (path === '/api') return local;
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
      if (spec.service === undefined || (spec.group ?? '') === '') continue;
      const version = spec.version ?? '';
      add(spec.group ?? '', this.#remote.get(metadata.name ?? '') ?? { version, freshness: 'Stale' });
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
