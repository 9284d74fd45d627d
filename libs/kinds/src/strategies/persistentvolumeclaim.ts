import type { KubeObject } from '@apichain/meta';
import { at, ensureRecord, isSet, type Plain, record, text } from '../fields.ts';
import { isFractionalBytes } from '../quantities.ts';
import type { KindBehaviour } from './behaviour.ts';

/** Only claims and snapshots can be the old kind of data source; anything else is dropped in silence. */
function isKnownDataSource(source: Plain): boolean {
  const group = text(source.apiGroup);
  if (source.kind === 'PersistentVolumeClaim') return group === '';
  return source.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}

/** dataSource and dataSourceRef say the same; each fills the other, unless the reference crosses namespaces. */
function normalizeDataSources(claim: KubeObject, old: KubeObject | undefined): void {
  const spec = ensureRecord(claim, 'spec');
  const oldSpec = record(old?.spec);
  if (isSet(spec.dataSource) && !isSet(spec.dataSourceRef) && !isSet(oldSpec.dataSource)) {
    if (!isKnownDataSource(record(spec.dataSource))) delete spec.dataSource;
  }
  if (text(at(spec.dataSourceRef, 'namespace')) !== '') {
    if (text(at(oldSpec.dataSourceRef, 'namespace')) !== '') return;
    delete spec.dataSourceRef;
  }
  if (isSet(spec.dataSource) && !isSet(spec.dataSourceRef)) spec.dataSourceRef = structuredClone(spec.dataSource);
  else if (isSet(spec.dataSourceRef) && !isSet(spec.dataSource) && isKnownDataSource(record(spec.dataSourceRef))) {
    spec.dataSource = structuredClone(spec.dataSourceRef);
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

export const persistentVolumeClaimBehaviour: KindBehaviour = {
  name: 'subdomain',
  status: 'reset',
  initialStatus: () => ({ phase: 'Pending' }),
  returnDeletedObject: true,
  prepareForCreate: (claim) => normalizeDataSources(claim, undefined),
  prepareForUpdate: (claim, old) => normalizeDataSources(claim, old),
  warnings: (claim) => [...storageClassWarning(claim), ...claimSpecWarnings(record(claim.spec), 'spec')],
  subresources: { status: { fromOld: ['spec'], metadata: 'request', resetFields: ['spec'] } },
};
