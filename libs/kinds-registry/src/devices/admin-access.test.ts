import { strict as assert } from 'node:assert';
import type { RequestContext } from '@apichain/request';
import type { Strategy } from '@apichain/apiserver';
import { field } from '@apichain/meta';
import { object } from '@apichain/kinds-validation/errors.fixture';
import { behaviourOf } from '../strategies/table.ts';
import { adminAccessErrors, adminAccessStatusErrors, adminAccessStrategy, withAdminAccess } from './admin-access.ts';

const claim = (...adminAccess: (boolean | undefined)[]) =>
  object('ResourceClaim', 'x', {
    spec: {
      devices: { requests: adminAccess.map((value, i) => ({ name: `r${i}`, exactly: { adminAccess: value } })) },
    },
  });
const given = (...adminAccess: (boolean | undefined)[]) =>
  object('ResourceClaim', 'x', {
    status: { allocation: { devices: { results: adminAccess.map((value) => ({ adminAccess: value })) } } },
  });
const labelled = (labels: Record<string, string>) => (): Promise<Record<string, string>> => Promise.resolve(labels);
const allowed = labelled({ 'resource.kubernetes.io/admin-access': 'true' });
const detail =
  'admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';

describe('admin access to devices', () => {
  it('is not checked for claims without it', async () => {
    assert.deepEqual(await adminAccessErrors(claim(undefined, false), labelled({})), []);
  });

  it('requires the label of the namespace', async () => {
    assert.deepEqual(await adminAccessErrors(claim(true), allowed), []);
    const template = object('ResourceClaimTemplate', 'x', { spec: claim(false, true, true) });
    assert.deepEqual(await adminAccessErrors(template, labelled({})), [
      field.forbidden('spec.devices.requests[1].adminAccess', detail),
    ]);
  });

  it('requires the label for allocated devices too, once', async () => {
    const errors = [field.forbidden('status.allocation.devices.results[1].adminAccess', detail)];
    assert.deepEqual(await adminAccessStatusErrors(given(false, true), given(), labelled({})), errors);
    assert.deepEqual(await adminAccessStatusErrors(given(true), given(), allowed), []);
    assert.deepEqual(await adminAccessStatusErrors(given(true, true), given(true), labelled({})), []);
  });

  it('is reported with the other errors', async () => {
    const wrong = field.required('spec');
    const strategy: Strategy = {
      ...{ namespaceScoped: true, allowCreateOnUpdate: false, allowUnconditionalUpdate: true },
      validateName: () => [],
      validate: () => [wrong],
    };
    const { validate } = adminAccessStrategy(strategy, labelled({}));
    const errors = await validate?.({} as RequestContext, claim(true));
    assert.deepEqual(errors, [field.forbidden('spec.devices.requests[0].adminAccess', detail), wrong]);
  });

  it('applies to claims and claim templates', () => {
    const hookOf = (plural: string) => behaviourOf('resource.k8s.io', plural).server?.strategy;
    assert.equal(hookOf('resourceclaims'), withAdminAccess);
    assert.equal(hookOf('resourceclaimtemplates'), withAdminAccess);
    assert.equal(hookOf('deviceclasses'), undefined);
  });
});
