import { isFractionalBytes } from '@apichain/kinds';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '@apichain/api/core/v1';
import { deepClone, isSet, type KubeObject } from '@apichain/meta';
import type { ReadDefaults } from '@apichain/storage';
import type { KindBehaviour } from './behaviour.ts';

/** dataSource accepts only claims and snapshots; other values are dropped silently. */
function isKnownDataSource(source: TypedLocalObjectReference): boolean {
  const group = source.apiGroup ?? '';
  if (source.kind === 'PersistentVolumeClaim') return group === '';
  return source.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}

/**
 * Copies dataSource and dataSourceRef to each other when one is absent, unless the reference crosses namespaces. Other kinds of data source can
 * only be given in dataSourceRef.
 */
function normalizeDataSources(claim: PersistentVolumeClaim, old: PersistentVolumeClaim | undefined): void {
  const spec = (claim.spec ??= {});
  const stored = old?.spec ?? {};
  const crossesNamespaces = () => (spec.dataSourceRef?.namespace ?? '') !== '';
  const inUse = isSet(stored.dataSource) || isSet(stored.dataSourceRef);
  if (!inUse && !isSet(spec.dataSourceRef) && !isKnownDataSource(spec.dataSource ?? {})) delete spec.dataSource;
  if (isSet(spec.dataSource) && !isSet(spec.dataSourceRef)) spec.dataSourceRef = deepClone(spec.dataSource);
  else if (isSet(spec.dataSourceRef) && !isSet(spec.dataSource) && !crossesNamespaces()) {
    const { apiGroup, kind, name } = spec.dataSourceRef ?? {};
    spec.dataSource = isSet(apiGroup) ? { apiGroup, kind, name } : { kind, name };
  }
}

/** Warnings about the sizes in a claim; `path` is that of the spec. */
export function claimSpecWarnings(spec: PersistentVolumeClaimSpec, path: string): string[] {
  return (['requests', 'limits'] as const).flatMap((kind) => {
    const value = spec.resources?.[kind]?.storage ?? '';
    if (value === '' || !isFractionalBytes(value)) return [];
    const where = `${path}.resources.${kind}[storage]`;
    return [`${where}: fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`];
  });
}

const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

export const storageClassWarning = (object: KubeObject): string[] =>
  object.metadata.annotations?.[storageClassAnnotation] === undefined
    ? []
    : [
        `metadata.annotations[${storageClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      ];

const emptyStatusEnd = Buffer.from('"status":{}}');

/** `status` is the last member of a stored claim, and stays empty until a write after the creation sets the phase. */
const pendingWhenRead: ReadDefaults<PersistentVolumeClaim> = {
  mayLack: (json) => json.subarray(-emptyStatusEnd.length).equals(emptyStatusEnd),
  complete: (claim) =>
    Object.keys(claim.status ?? {}).length > 0 ? claim : { ...claim, status: { phase: 'Pending' } },
};

export const persistentVolumeClaimBehaviour: KindBehaviour<PersistentVolumeClaim> = {
  name: 'subdomain',
  status: 'reset',
  hooks: { readDefaults: pendingWhenRead },
  returnDeletedObject: true,
  gated: [
    {
      gate: 'CrossNamespaceVolumeDataSource',
      paths: ['spec.dataSourceRef'],
      only: (reference) => ((reference as TypedObjectReference | undefined)?.namespace ?? '') !== '',
    },
  ],
  prepareForCreate: (claim) => normalizeDataSources(claim, undefined),
  prepareForUpdate: (claim, old) => normalizeDataSources(claim, old),
  warnings: (claim) => [...storageClassWarning(claim), ...claimSpecWarnings(claim.spec ?? {}, 'spec')],
  subresources: { status: { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'] } },
};
