import { exceedsMembers, newRequestEntityTooLarge, newTooManyMembers } from '@apichain/meta';
import type { CrdSpec } from '@apichain/schema';

/**
 * The limit of object members and list items of a definition, at all depths. Every service derives types, validations and documents from a
 * definition, in passes that hold its thread. The largest definitions in use have about 25,000.
 */
export const maxDefinitionMembers = 60_000;

/**
 * The limit of versions of a definition. Each version becomes a separate API, with an APIService and documents of discovery and OpenAPI. The
 * definitions in use have fewer than ten.
 */
export const maxDefinitionVersions = 100;

const versionCount = (spec: CrdSpec | undefined): number => spec?.versions?.length ?? 0;

/** Throws RequestEntityTooLarge for a definition that is too large. A larger definition that another program has stored may shrink. */
export function checkSize(spec: CrdSpec | undefined, before: CrdSpec | undefined): void {
  if (versionCount(spec) > maxDefinitionVersions && versionCount(spec) > versionCount(before))
    throw newRequestEntityTooLarge(`a CustomResourceDefinition may have at most ${maxDefinitionVersions} versions`);
  if (exceedsMembers(spec, before, maxDefinitionMembers))
    throw newTooManyMembers('a CustomResourceDefinition', maxDefinitionMembers);
}
