import { builtinKinds } from '@apichain/kinds/model';
import type { GroupVersionKind } from '@apichain/meta';

const group = 'apiregistration.k8s.io';

/** The kinds that the aggregator decodes: those of its own group, including an older version. */
export const aggregatorKinds = {
  name: 'pkg/apiserver/scheme/scheme.go:28',
  recognizes: (kind: GroupVersionKind): boolean =>
    kind.group === group &&
    builtinKinds.recognizes({ ...kind, version: kind.version === 'v1beta1' ? 'v1' : kind.version }),
} as const;
