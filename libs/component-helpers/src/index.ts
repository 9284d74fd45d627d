export { isDemandedNode, matchesAnyTerm, matchesTerm } from './node-affinity.ts';
export { claimOf, claimsOf, foreignClaim, isFullyBound, storageClassOf } from './claims.ts';
export { storageAnnotations } from './storage-annotations.ts';
export { isRepelled, isTolerated, tolerates } from './tolerations.ts';
export {
  claimSize,
  hasAccessModes,
  hasSameAttributes,
  hasSameMode,
  isReachable,
  isReservedFor,
  matchingVolume,
  referenceToClaim,
  volumeGivenTo,
  volumeSize,
} from './volume-matching.ts';
