import type { PersistentVolumeClaimSpec, TypedLocalObjectReference, TypedObjectReference } from '@apichain/api/core/v1';
import { field, isDNS1123Label, isDNS1123Subdomain } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { quantityOf } from '../common/resources.ts';
import { checkEach, choice, optionalName, type Out, requiredText } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors } from '../common/selectors.ts';

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** Checks access modes; ReadWriteOncePod cannot be combined with others. */
export function accessModeErrors(out: Out, path: string, modes: readonly string[] | undefined): void {
  const found = modes ?? [];
  checkEach(out, found, (out, mode) => {
    if (!accessModes.includes(mode)) out.push(field.notSupported(path, mode, accessModes));
  });
  const known = new Set(found.filter((mode) => accessModes.includes(mode)));
  if (known.has('ReadWriteOncePod') && known.size > 1) {
    out.push(field.forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
}

function dataSourceErrors(out: Out, path: string, source: TypedObjectReference, hadGroup: boolean): void {
  const { name, kind, apiGroup } = source;
  requiredText(out, `${path}.name`, name);
  requiredText(out, `${path}.kind`, kind);
  if ((apiGroup ?? '') === '' && kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    out.push(field.invalid(path, kind ?? '', detail));
  }
  if (!hadGroup) optionalName(out, `${path}.apiGroup`, apiGroup, isDNS1123Subdomain);
}

const withoutNamespace = ({ namespace: _, ...rest }: TypedObjectReference): TypedLocalObjectReference => rest;

function dataSourcesErrors(
  out: Out,
  path: string,
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
): void {
  const hadGroup = (name: 'dataSource' | 'dataSourceRef') => (old?.[name]?.apiGroup ?? '') !== '';
  if (isSet(spec.dataSource)) {
    dataSourceErrors(out, `${path}.dataSource`, spec.dataSource, hadGroup('dataSource'));
  }
  if (!isSet(spec.dataSourceRef)) return;
  const at = `${path}.dataSourceRef`;
  dataSourceErrors(out, at, spec.dataSourceRef, hadGroup('dataSourceRef'));
  const namespace = spec.dataSourceRef?.namespace ?? '';
  optionalName(out, `${at}.namespace`, namespace, isDNS1123Label);
  if (!isSet(spec.dataSource)) return;
  if (namespace !== '') {
    out.push(field.invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (!semanticEqual(spec.dataSource, withoutNamespace(spec.dataSourceRef))) {
    out.push(field.invalid(path, {}, 'must match dataSourceRef'));
  }
}

/** Checks the spec of a claim. `old` is the stored spec in an update. */
export function claimSpecErrors(
  out: Out,
  path: string,
  spec: PersistentVolumeClaimSpec,
  old?: PersistentVolumeClaimSpec,
): void {
  if ((spec.accessModes ?? []).length === 0) {
    out.push(field.required(`${path}.accessModes`, 'at least 1 access mode is required'));
  }
  labelSelectorErrors(out, `${path}.selector`, spec.selector, hasBadSelectorValues(old?.selector));
  accessModeErrors(out, `${path}.accessModes`, spec.accessModes);
  const size = spec.resources?.requests?.storage;
  if (!isSet(size)) out.push(field.required(`${path}.resources[storage]`));
  else if (quantityOf(size).sign <= 0) {
    out.push(field.invalid(`${path}.resources[storage]`, quantityOf(size).toString(), 'must be greater than zero'));
  }
  optionalName(out, `${path}.storageClassName`, spec.storageClassName, isDNS1123Subdomain);
  choice(out, `${path}.volumeMode`, spec.volumeMode, volumeModes);
  dataSourcesErrors(out, path, spec, old);
  optionalName(out, `${path}.volumeAttributesClassName`, spec.volumeAttributesClassName, isDNS1123Subdomain);
}
