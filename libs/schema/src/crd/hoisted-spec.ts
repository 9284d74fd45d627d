import { deepEqual } from '@apichain/meta';
import type { CrdPrinterColumn, CrdSpec, CrdSubresources, CrdValidation, CrdVersion } from './crd-types.ts';

/**
 * A CRD spec in the form that is validated: properties that all versions have in common are moved from the versions to the top level. Error
 * paths (`spec.validation.openAPIV3Schema`) refer to this form. After the conversion of
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 to its internal type.
 */
export interface HoistedSpec {
  readonly version: string;
  readonly versions: readonly CrdVersion[];
  readonly validation?: CrdValidation;
  readonly subresources?: CrdSubresources;
  readonly additionalPrinterColumns?: readonly CrdPrinterColumn[];
  readonly selectableFields?: readonly { jsonPath?: string }[];
}

const hoistable = ['subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/** Moves what all versions have in common to the top level. `spec` is not changed. */
export function hoistSpec(spec: Partial<CrdSpec>): HoistedSpec {
  const versions = (spec.versions ?? []).map((v) => ({ ...v }));
  const [first] = versions;
  if (first === undefined) return { version: '', versions };
  const top: { -readonly [K in keyof HoistedSpec]?: HoistedSpec[K] } = {};
  if (alike(versions, 'schema')) {
    if (first.schema) top.validation = first.schema;
    for (const v of versions) delete v.schema;
  }
  for (const name of hoistable) {
    if (!alike(versions, name)) continue;
    if (first[name]) Object.assign(top, { [name]: first[name] });
    for (const v of versions) delete v[name];
  }
  return { version: first.name ?? '', versions, ...top };
}

const alike = (versions: readonly CrdVersion[], name: 'schema' | (typeof hoistable)[number]): boolean =>
  versions.every((v) => deepEqual(v[name] ?? null, versions[0]?.[name] ?? null));
