import type { GroupVersionKind } from '@apichain/meta';
import { builtinType } from './types.ts';

/** The kinds of the table, as the decoder of request bodies asks for them; the name is what its errors call the scheme. */
export const builtinKinds = {
  name: 'pkg/api/legacyscheme/scheme.go:30',
  recognizes: (kind: GroupVersionKind): boolean => builtinType(kind) !== undefined,
} as const;
