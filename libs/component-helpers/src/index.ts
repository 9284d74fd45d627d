export { isDemandedNode, matchesAnyTerm, matchesTerm } from './node-affinity.ts';
export { claimOf, claimsOf, foreignClaim, isFullyBound, storageClassOf, storageAnnotations } from './claims.ts';
export { criticalPriority, highestUserPriority, systemPriorityClasses } from './priority-classes.ts';
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
