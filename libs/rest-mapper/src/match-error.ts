import { formatGroupVersion, type GroupKind, type GroupVersionKind, type GroupVersionResource } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';

const resourceText = ({ group, version, resource }: GroupVersionResource) =>
  `${group}/${version}, Resource=${resource}`;
const kindText = ({ group, version, kind }: GroupVersionKind) => `${group}/${version}, Kind=${kind}`;

/** No resource has this name. */
export class NoResourceMatchError extends Error {
  override readonly name = 'NoResourceMatchError';
  readonly partialResource: GroupVersionResource;
  constructor(partialResource: GroupVersionResource) {
    super(`no matches for ${resourceText(partialResource)}`);
    this.partialResource = partialResource;
  }
}

function noKindMessage({ group, kind }: GroupKind, versions: readonly string[]): string {
  const searched = [...new Set(versions.map((version) => formatGroupVersion({ group, version })))].sort().map(goQuote);
  if (searched.length === 0) return `no matches for kind ${goQuote(kind)} in group ${goQuote(group)}`;
  if (searched.length === 1) return `no matches for kind ${goQuote(kind)} in version ${searched[0] ?? ''}`;
  return `no matches for kind ${goQuote(kind)} in versions [${searched.join(' ')}]`;
}

/** No such kind exists, in any version or in the requested versions. */
export class NoKindMatchError extends Error {
  override readonly name = 'NoKindMatchError';
  readonly groupKind: GroupKind;
  readonly searchedVersions: readonly string[];
  constructor(groupKind: GroupKind, searchedVersions: readonly string[] = []) {
    super(noKindMessage(groupKind, searchedVersions));
    this.groupKind = groupKind;
    this.searchedVersions = searchedVersions;
  }
}

/** A partial resource matches several resources, and none is preferred. */
export class AmbiguousResourceError extends Error {
  override readonly name = 'AmbiguousResourceError';
  readonly matchingResources: readonly GroupVersionResource[];
  readonly matchingKinds: readonly GroupVersionKind[];
  constructor(
    partial: GroupVersionResource,
    resources: readonly GroupVersionResource[],
    kinds: readonly GroupVersionKind[] = [],
  ) {
    super(`${resourceText(partial)} matches multiple ${matchesText(resources, kinds)}`);
    this.matchingResources = resources;
    this.matchingKinds = kinds;
  }
}

/** A partial kind matches several kinds, and none is preferred. */
export class AmbiguousKindError extends Error {
  override readonly name = 'AmbiguousKindError';
  readonly matchingKinds: readonly GroupVersionKind[];
  constructor(partial: GroupVersionKind, kinds: readonly GroupVersionKind[]) {
    super(`${kindText(partial)} matches multiple ${matchesText([], kinds)}`);
    this.matchingKinds = kinds;
  }
}

function matchesText(resources: readonly GroupVersionResource[], kinds: readonly GroupVersionKind[]): string {
  const resourceList = `resources [${resources.map(resourceText).join(' ')}]`;
  const kindList = `kinds [${kinds.map(kindText).join(' ')}]`;
  if (resources.length > 0 && kinds.length > 0) return `${resourceList} and ${kindList}`;
  if (kinds.length > 0) return kindList;
  return resources.length > 0 ? resourceList : 'resources or kinds';
}

/** Whether an error means that the resource or kind does not exist. */
export const isNoMatchError = (error: unknown): error is NoResourceMatchError | NoKindMatchError =>
  error instanceof NoResourceMatchError || error instanceof NoKindMatchError;
