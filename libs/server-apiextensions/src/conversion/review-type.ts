import { builtinType } from '@apichain/kinds/model';
import type { GroupVersionKind } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

/** What the answers of conversion webhooks are read as; they look the same in v1beta1, which the table has no types of. */
export const reviewType = (kind: GroupVersionKind): Type | undefined =>
  builtinType(kind.group === 'apiextensions.k8s.io' ? { ...kind, version: 'v1' } : kind);
