import type { Pod } from '@apichain/api/core/v1';
import { claimsOf } from '@apichain/component-helpers';

/** Finds pods by the keys of their claims, `namespace/name`. */
export const byClaim = (pod: Pod): readonly string[] =>
  claimsOf(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`);

/** Whether all containers of a pod have ended for good. */
export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';
