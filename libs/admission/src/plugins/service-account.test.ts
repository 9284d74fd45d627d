import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributes, testLookup, testPod } from '../attributes.fixture.ts';
import { ServiceAccount } from './service-account.ts';

const account = (more: Record<string, unknown> = {}, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace: 'ns', annotations },
  ...more,
});
const plugin = (...serviceaccounts: KubeObject[]) => new ServiceAccount(testLookup({ serviceaccounts }));
const strict = { 'kubernetes.io/enforce-mountable-secrets': 'true' };

describe('ServiceAccount', () => {
  it('sets the default account, its token volume and its pull secrets', async () => {
    const object = testPod({ containers: [{ name: 'c' }] });
    await plugin(account({ imagePullSecrets: [{ name: 'pull' }] })).admit(testAttributes({ object }));
    const spec = object.spec as { volumes: { name: string }[] } & Record<string, unknown>;
    const name = spec.volumes[0]?.name ?? '';
    assert.match(name, /^kube-api-access-[a-z0-9]{5}$/);
    assert.deepEqual(spec.containers, [
      {
        name: 'c',
        volumeMounts: [{ name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
      },
    ]);
    assert.equal(spec.serviceAccountName, 'default');
    assert.deepEqual(spec.imagePullSecrets, [{ name: 'pull' }]);
  });

  it('mounts no token when automountServiceAccountToken is false', async () => {
    const object = testPod({ containers: [{ name: 'c' }] });
    await plugin(account({ automountServiceAccountToken: false })).admit(testAttributes({ object }));
    assert.equal('volumes' in (object.spec as object), false);
  });

  it('refuses accounts that do not exist', async () => {
    const object = testPod({ serviceAccountName: 'x', containers: [] });
    await assert.rejects(plugin().admit(testAttributes({ object })), {
      message: 'pods "a" is forbidden: error looking up service account ns/x: serviceaccount "x" not found',
    });
  });

  it('restricts pods to the secrets of a strict account', async () => {
    const refused = (spec: Record<string, unknown>, message: RegExp) =>
      assert.rejects(
        plugin(account({ secrets: [{ name: 'mine' }] }, strict)).admit(testAttributes({ object: testPod(spec) })),
        message,
      );
    await refused(
      { containers: [], volumes: [{ name: 'v', secret: { secretName: 'other' } }] },
      /volume with secret\.secretName="other" is not allowed because service account default does not reference that secret/,
    );
    const env = [{ name: 'E', valueFrom: { secretKeyRef: { name: 'other' } } }];
    await refused(
      { containers: [{ name: 'c', env }] },
      /container c with envVar E referencing secret\.secretName="other"/,
    );
    await refused(
      { containers: [], imagePullSecrets: [{ name: 'p' }] },
      /imagePullSecrets\[0\]\.name="p" is not allowed/,
    );
  });

  it('does not change mirror pods', async () => {
    const metadata = { name: 'a', annotations: { 'kubernetes.io/config.mirror': 'x' } };
    const object = testPod({ containers: [] }, metadata);
    await plugin().admit(testAttributes({ object }));
    assert.deepEqual(object.spec, { containers: [] });
    const account = testPod({ serviceAccountName: 'x' }, metadata);
    await assert.rejects(plugin().admit(testAttributes({ object: account })), /a mirror pod may not reference service/);
  });
});
