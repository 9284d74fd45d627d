import { strict as assert } from 'node:assert';
import { object } from '../validation/common/errors.fixture.ts';
import { checkAdminAccess } from './admin-access.ts';

const claim = (...adminAccess: (boolean | undefined)[]) =>
  object('ResourceClaim', 'x', {
    spec: {
      devices: { requests: adminAccess.map((value, i) => ({ name: `r${i}`, exactly: { adminAccess: value } })) },
    },
  });
const labelled = (labels: Record<string, string>) => (): Promise<Record<string, string>> => Promise.resolve(labels);
const allowed = labelled({ 'resource.kubernetes.io/admin-access': 'true' });

describe('checkAdminAccess', () => {
  it('lets claims without it pass, wherever they are', () =>
    checkAdminAccess('ResourceClaim', claim(undefined, false), labelled({})));
  it('wants the label of the namespace', async () => {
    await checkAdminAccess('ResourceClaim', claim(true), allowed);
    const template = object('ResourceClaimTemplate', 'x', { spec: claim(false, true) });
    await assert.rejects(
      checkAdminAccess('ResourceClaimTemplate', template, labelled({})),
      /ResourceClaimTemplate\.resource\.k8s\.io "x" is invalid: spec\.devices\.requests\[1\]\.exactly\.adminAccess: Forbidden: admin access/,
    );
  });
});
