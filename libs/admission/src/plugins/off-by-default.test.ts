import assert from 'node:assert/strict';
import type { Authorizer } from '@apichain/authz';
import type { KubeObject } from '@apichain/meta';
import { testAttributesOf, testLookup } from '../attributes.fixture.ts';
import { ClusterTrustBundleAttest } from './certificates.ts';
import { PodGroupWorkloadExists, PodGroupProtection } from './pod-group.ts';

const object = (kind: string, spec: object): KubeObject => ({
  apiVersion: '',
  kind,
  metadata: { name: 'a', namespace: 'ns' },
  spec,
});

describe('admission of kinds that are off by default', () => {
  const podGroups = { group: 'scheduling.k8s.io', resource: 'podgroups' };
  const group = (workloadName: string, podGroupTemplateName: string) =>
    object('PodGroup', { podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } } });

  it('protects PodGroups until their pods are deleted', () => {
    const created = group('a', 't');
    new PodGroupProtection().admit(testAttributesOf(podGroups, created));
    assert.deepEqual(created.metadata.finalizers, ['scheduling.k8s.io/podgroup-protection']);
  });

  it('requires the template of a PodGroup', async () => {
    const workload = object('Workload', { podGroupTemplates: [{ name: 't' }] });
    const plugin = new PodGroupWorkloadExists(testLookup({ workloads: [workload] }));
    const create = (created: KubeObject) => plugin.validate(testAttributesOf(podGroups, created));
    await create(group('a', 't'));
    await create(object('PodGroup', {}));
    await assert.rejects(create(group('b', 't')), /PodGroup rejected: Workload "b" not found/);
    await assert.rejects(create(group('a', 'u')), /PodGroupTemplate "u" not found in Workload "a"/);
  });

  it('requires the right to attest for a signer', async () => {
    const authorizer: Authorizer = {
      authorize: ({ verb, name }) => ({
        decision: verb === 'attest' && name === 'example.com/*' ? 'Allow' : 'NoOpinion',
        reason: '',
      }),
    };
    const bundles = { group: 'certificates.k8s.io', resource: 'clustertrustbundles' };
    const create = (signerName: string) =>
      new ClusterTrustBundleAttest(authorizer).validate(
        testAttributesOf(bundles, object('ClusterTrustBundle', { signerName })),
      );
    await create('');
    await create('example.com/a');
    await assert.rejects(create('example.org/a'), /user not permitted to attest for signerName "example.org\/a"/);
  });
});
