import { exceedingMembers, newRequestEntityTooLarge, newTooManyMembers, type Work } from '@apichain/meta';
import type { CrdSpec } from '@apichain/schema';

/**
 * So many members of objects and items of lists a definition may have, at all depths. Every service makes types, checks and documents of
 * them, and some of that cannot be cut into steps. The largest definitions in use have about 25,000.
 */
export const maxDefinitionMembers = 60_000;

/**
 * So many versions a definition may have. Each becomes an API of its own, with an APIService and documents of discovery and OpenAPI. The
 * definitions in use have fewer than ten.
 */
export const maxDefinitionVersions = 100;

const versionCount = (spec: CrdSpec | undefined): number => spec?.versions?.length ?? 0;

/** Throws RequestEntityTooLarge for a definition that is too large. One that another program has stored may shrink. In steps. */
export function* checkingSize(spec: CrdSpec | undefined, before: CrdSpec | undefined): Work<void> {
  if (versionCount(spec) > maxDefinitionVersions && versionCount(spec) > versionCount(before))
    throw newRequestEntityTooLarge(`a CustomResourceDefinition may have at most ${maxDefinitionVersions} versions`);
  if (yield* exceedingMembers(spec, before, maxDefinitionMembers))
    throw newTooManyMembers('a CustomResourceDefinition', maxDefinitionMembers);
}
