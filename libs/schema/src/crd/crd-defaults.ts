import type { CustomResourceDefinition } from './crd-types.ts';

/** Sets, in place, the defaults of a v1 CustomResourceDefinition. */
export function defaultCrd(crd: CustomResourceDefinition): void {
  const spec = crd.spec;
  if (typeof spec !== 'object' || spec === null) return;
  spec.names ??= {};
  if (spec.names.kind) {
    spec.names.singular ||= spec.names.kind.toLowerCase();
    spec.names.listKind ||= `${spec.names.kind}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined && service !== null) service.port ??= 443;
  defaultStoredVersions(crd);
}

/** The default of `status.storedVersions` is the storage version. */
function defaultStoredVersions(crd: CustomResourceDefinition): void {
  if ((crd.status?.storedVersions ?? []).length > 0) return;
  const stored = (crd.spec.versions ?? []).filter((v) => v.storage).map((v) => v.name);
  if (stored.length > 0) (crd.status ??= {}).storedVersions = stored;
}
