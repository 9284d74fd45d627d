import { builtinType } from '@apichain/kinds/model';
import type { GroupVersionKind } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/** The type for decoding responses of conversion webhooks. v1beta1 has the same structure and no types in the table. */
export const reviewType = (kind: GroupVersionKind): Type | undefined =>
  builtinType(kind.group === 'apiextensions.k8s.io' ? { ...kind, version: 'v1' } : kind);
