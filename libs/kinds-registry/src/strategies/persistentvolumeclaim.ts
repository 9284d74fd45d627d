import type { KubeObject } from '@apichain/meta';
import type { ReadDefaults } from '@apichain/storage';
import { at, ensureRecord, isSet, type Plain, record, text } from '@apichain/kinds';
import { isFractionalBytes } from '@apichain/kinds';
import type { KindBehaviour } from './behaviour.ts';

/** Only claims and snapshots can be the old kind of data source; anything else is dropped in silence. */
function isKnownDataSource(source: Plain): boolean {
  const group = text(source.apiGroup);
  if (source.kind === 'PersistentVolumeClaim') return group === '';
  return source.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}

/**
 * dataSource and dataSourceRef say the same; each fills the other, unless the reference crosses namespaces. What is not known as a data
 * source can be given as a reference only.
 */
function normalizeDataSources(claim: KubeObject, old: KubeObject | undefined): void {
  const spec = ensureRecord(claim, 'spec');
  const stored = record(old?.spec);
  const crossesNamespaces = () => text(at(spec.dataSourceRef, 'namespace')) !== '';
  const inUse = isSet(stored.dataSource) || isSet(stored.dataSourceRef);
  if (!inUse && !isSet(spec.dataSourceRef) && !isKnownDataSource(record(spec.dataSource))) delete spec.dataSource;
  if (isSet(spec.dataSource) && !isSet(spec.dataSourceRef)) spec.dataSourceRef = structuredClone(spec.dataSource);
  else if (isSet(spec.dataSourceRef) && !isSet(spec.dataSource) && !crossesNamespaces()) {
    const { apiGroup, kind, name } = record(spec.dataSourceRef);
    spec.dataSource = isSet(apiGroup) ? { apiGroup, kind, name } : { kind, name };
  }
}

/** Warnings about a claim's sizes; `path` is where the spec stands. */
export function claimSpecWarnings(spec: Plain, path: string): string[] {
  return ['requests', 'limits'].flatMap((kind) => {
    const value = text(at(spec.resources, kind, 'storage'));
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

/** The status is the last member of a stored claim, and has no phase before something other than its creation writes it. */
const pendingWhenRead: ReadDefaults = {
  mayLack: (json) => json.subarray(-emptyStatusEnd.length).equals(emptyStatusEnd),
  complete: (claim) =>
    Object.keys(record(claim.status)).length > 0 ? claim : { ...claim, status: { phase: 'Pending' } },
};

export const persistentVolumeClaimBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  hooks: { readDefaults: pendingWhenRead },
  returnDeletedObject: true,
  gated: [
    {
      gate: 'CrossNamespaceVolumeDataSource',
      paths: ['spec.dataSourceRef'],
      only: (reference) => text(record(reference).namespace) !== '',
    },
  ],
  prepareForCreate: (claim) => normalizeDataSources(claim, undefined),
  prepareForUpdate: (claim, old) => normalizeDataSources(claim, old),
  warnings: (claim) => [...storageClassWarning(claim), ...claimSpecWarnings(record(claim.spec), 'spec')],
  subresources: { status: { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'] } },
};
