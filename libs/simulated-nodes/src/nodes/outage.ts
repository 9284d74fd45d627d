import type { Node } from '@apichain/api/core/v1';
import { prefix } from '../pods/annotations.ts';

/** The annotation of a Node whose kubelet is to stop (`true`): its lease, its status and its pods stay as they are. */
export const downAnnotation = `${prefix}down`;

/** What the annotation of a Node says about its kubelet; `unknown` for a value that makes no sense, which has no effect. */
export function outageOf({ metadata }: Node): 'down' | 'up' | 'unknown' {
  const value = metadata.annotations?.[downAnnotation];
  if (value === 'true') return 'down';
  return value === undefined || value === 'false' ? 'up' : 'unknown';
}
