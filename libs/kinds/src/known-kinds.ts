import type { GroupVersionKind } from '@apichain/meta';
import { formatGroupVersion } from '@apichain/meta';
import { builtinType } from './types.ts';

/** Versions that are not served any more, but still have a Scale: one of theirs is told that it is of another version. */
const formerScales = new Set(['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1']);

const isFormerScale = ({ kind, ...version }: GroupVersionKind): boolean =>
  kind === 'Scale' && formerScales.has(formatGroupVersion(version));

/** The kinds of the table, as the decoder of request bodies asks for them; the name is what its errors call the scheme. */
export const builtinKinds = {
  name: 'pkg/api/legacyscheme/scheme.go:30',
  recognizes: (kind: GroupVersionKind): boolean => builtinType(kind) !== undefined || isFormerScale(kind),
} as const;
