import { createHash } from 'node:crypto';
import { discoverGroupVersion, type ResourceReference, type RestClient } from '@apichain/client';
import {
  formatGroupKind,
  formatGroupVersion,
  isStatusError,
  parseGroupVersion,
  poll,
  record,
  type GroupKind,
  type KubeObject,
} from '@apichain/meta';
import { packageVersion } from '../version.ts';
import { manifestsUserAgent } from './user-agent.ts';

const parent = { name: 'apichain-manifests', namespace: 'kube-system' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: parent.namespace };
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

const prefix = 'applyset.kubernetes.io';
const kindsAnnotation = `${prefix}/contains-group-kinds`;
/** The label of the members. */
const memberLabel = `${prefix}/part-of`;
const id = `applyset-${createHash('sha256').update(`${parent.name}.${parent.namespace}.ConfigMap.`).digest('base64url')}-v1`;

/** A member that stands in no manifest any more. */
export interface FormerMember {
  readonly object: KubeObject;
  readonly reference: ResourceReference;
}

/**
 * The set of all objects that the manifests of `apichain up -f` have brought into a chain. A ConfigMap of the chain notes the kinds in it and a label its
 * members, so the set outlives the process.
 *
 * Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#applyset-kubernetes-io-id and
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-cli/3659-kubectl-apply-prune
 */
export class ApplySet {
  readonly #client: RestClient;
  /** The kinds that the ConfigMap names, as `Kind.group`. */
  #kinds: ReadonlySet<string> = new Set();
  #written = '';

  constructor(client: RestClient) {
    this.#client = client;
  }

  /** Reads which kinds an earlier start has noted. Waits for the namespaces that every cluster has. */
  async open(): Promise<void> {
    for (const name of [parent.namespace, 'default'])
      await poll(`namespace ${name} is not there`, async () => (await this.#find(namespaces, name)) !== undefined);
    const noted = await this.#find(configMaps, parent.name);
    const kinds = noted?.metadata.annotations?.[kindsAnnotation] ?? '';
    this.#kinds = new Set(kinds.split(',').filter((kind) => kind !== ''));
  }

  /** The object as a member of the set. */
  member(object: KubeObject): KubeObject {
    const { metadata } = object;
    return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [memberLabel]: id } } };
  }

  /** Notes that the set also has objects of the same kinds and namespaces as these. To be called before they are applied. */
  extend(objects: readonly KubeObject[]): Promise<void> {
    return this.#write(new Set([...this.#kinds, ...objects.map(kindOf)]), objects);
  }

  /** Notes that the set has objects of these kinds and namespaces only. To be called when there are no former members. */
  async shrink(objects: readonly KubeObject[]): Promise<void> {
    if (this.#kinds.size > 0 || objects.length > 0) await this.#write(new Set(objects.map(kindOf)), objects);
  }

  /** The members for which `isKept` does not hold and which nobody is deleting. Those that a controller owns go with their owners. */
  async formerMembers(
    isKept: (kind: GroupKind, reference: ResourceReference, name: string) => boolean,
  ): Promise<FormerMember[]> {
    const former: FormerMember[] = [];
    for (const text of this.#kinds) {
      const kind = parseKind(text);
      const resource = await this.#resourceOf(kind);
      // With the kind its objects are gone.
      if (resource === undefined) continue;
      const { items } = await this.#client.list(resource, { labelSelector: `${memberLabel}=${id}` }, metadataOnly);
      for (const { metadata } of items) {
        const { name = '', namespace, deletionTimestamp, ownerReferences = [] } = metadata;
        const reference = { ...resource, ...(namespace === undefined ? {} : { namespace }) };
        const isOwned = ownerReferences.some(({ controller }) => controller === true);
        if (isKept(kind, reference, name) || deletionTimestamp !== undefined || isOwned) continue;
        former.push({ object: { apiVersion: formatGroupVersion(resource), kind: kind.kind, metadata }, reference });
      }
    }
    return former;
  }

  /** The resource of a kind in the version that the server prefers; undefined when it serves none. */
  async #resourceOf({ group, kind }: GroupKind): Promise<ResourceReference | undefined> {
    const version = group === '' ? 'v1' : await this.#preferredVersion(group);
    if (version === undefined) return undefined;
    const mappings = await discoverGroupVersion(this.#client, { group, version });
    const mapping = mappings.find((candidate) => candidate.kind === kind);
    return mapping === undefined ? undefined : { group, version, resource: mapping.resource };
  }

  async #preferredVersion(group: string): Promise<string | undefined> {
    try {
      const { version } = record(record(await this.#client.request('GET', `/apis/${group}`))['preferredVersion']);
      return typeof version === 'string' ? version : undefined;
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #find(reference: ResourceReference, name: string): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(reference, name, {}, metadataOnly);
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #write(kinds: ReadonlySet<string>, objects: readonly KubeObject[]): Promise<void> {
    const others = new Set(objects.map(({ metadata }) => metadata.namespace ?? 'default'));
    others.delete(parent.namespace);
    const annotations = {
      [`${prefix}/tooling`]: `apichain/v${packageVersion()}`,
      [kindsAnnotation]: [...kinds].sort().join(','),
      [`${prefix}/additional-namespaces`]: [...others].sort().join(','),
    };
    const metadata = { ...parent, labels: { [`${prefix}/id`]: id }, annotations };
    const written = JSON.stringify(metadata);
    if (written !== this.#written) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      await this.#client.patch(configMaps, parent.name, 'apply', object, {
        query: { fieldManager: manifestsUserAgent, force: true },
      });
    }
    this.#kinds = kinds;
    this.#written = written;
  }
}

const metadataOnly = { metadataOnly: true } as const;

const kindOf = ({ apiVersion, kind }: KubeObject): string =>
  formatGroupKind({ group: parseGroupVersion(apiVersion).group, kind });

function parseKind(text: string): GroupKind {
  const [kind = '', ...group] = text.split('.');
  return { group: group.join('.'), kind };
}
