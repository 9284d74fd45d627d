import type { StorageVersionMigration } from '@apichain/api/storagemigration/v1beta1';
import { field, isDNS1035Label, isDNS1123Subdomain, type FieldError, findCondition } from '@apichain/meta';
import { conditionErrors } from '../common/conditions.ts';
import { goList, goValue } from '../common/go-value.ts';
import { collect, immutable, immutableDetail, type Out } from '../common/rules.ts';

/* After pkg/apis/storagemigration/validation of kubernetes 1.36. */

const name = (out: Out, path: string, value: string, rule: (value: string) => readonly string[]): void => {
  const messages = rule(value);
  if (messages.length > 0) out.push(field.invalid(path, value, messages.join(',')));
};

/** Checks the resource whose objects are rewritten in the storage version. */
export function validateStorageVersionMigration(migration: StorageVersionMigration): FieldError[] {
  return collect((out) => {
    const { group, resource } = migration.spec?.resource ?? {};
    const path = 'spec.resource.resource';
    if ((resource ?? '') === '') out.push(field.required(path, 'resource is required to be set'));
    else name(out, path, resource ?? '', isDNS1035Label);
    if ((group ?? '') !== '') name(out, 'spec.resource.group', group ?? '', isDNS1123Subdomain);
  });
}

export const validateStorageVersionMigrationUpdate = (
  migration: StorageVersionMigration,
  old: StorageVersionMigration,
): FieldError[] =>
  collect((out) => {
    const shown = goValue('storagemigration.k8s.io.v1beta1.StorageVersionMigrationSpec', migration.spec ?? {});
    immutable(out, 'spec', migration.spec, old.spec, shown);
  });

/** Why a resourceVersion is invalid; undefined for integers without leading zeros. */
function versionProblem(version: string): string | undefined {
  if (version === '') return undefined;
  const invalid = (reason: string) => `resource version is not well formed: ${reason}`;
  if (version.startsWith('0')) return invalid(version);
  return /^\d+$/.test(version) ? undefined : invalid(version);
}

const isTrue = (migration: StorageVersionMigration, type: string): boolean =>
  findCondition(migration.status?.conditions, type)?.status === 'True';

export function validateStorageVersionMigrationStatus(
  migration: StorageVersionMigration,
  old: StorageVersionMigration,
): FieldError[] {
  return collect((out) => {
    const version = migration.status?.resourceVersion ?? '';
    const before = old.status?.resourceVersion ?? '';
    const conditions = migration.status?.conditions;
    const problem = versionProblem(version);
    if (problem !== undefined) out.push(field.invalid('status.resourceVersion', version, problem));
    conditionErrors(out, 'status.conditions', conditions);
    if (before !== '' && before !== version) {
      out.push(field.invalid('status.resourceVersion', version, immutableDetail));
    }
    const refuse = (detail: string) =>
      out.push(field.invalid('status.conditions', goList('meta.v1.Condition', conditions), detail));
    if (isTrue(migration, 'Succeeded') && isTrue(migration, 'Failed')) {
      refuse('Both success and failed conditions cannot be true at the same time');
    }
    for (const [type, called] of [
      ['Succeeded', 'Success'],
      ['Failed', 'Failed'],
    ] as const) {
      if (isTrue(old, type) && !isTrue(migration, type)) {
        refuse(`${called} condition cannot be set to false once it is true`);
      }
    }
  });
}
