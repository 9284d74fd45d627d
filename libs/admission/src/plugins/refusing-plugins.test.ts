import assert from 'node:assert/strict';
import type { Authorizer } from '@apichain/authz';
import type { KubeObject } from '@apichain/meta';
import type { AdmissionAttributes } from '../plugin.ts';
import { testAttributes, testAttributesOf, testLookup, testPod } from '../attributes.fixture.ts';
import { AlwaysDeny } from './always.ts';
import { AlwaysPullImages } from './always-pull-images.ts';
import { CertificateApproval, CertificateSigning } from './certificates.ts';
import { DenyServiceExternalIPs } from './deny-service-external-ips.ts';
import { EventRateLimit } from './event-rate-limit.ts';
import { LimitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts';
import { NamespaceExists, NamespaceAutoProvision } from './namespace-exists.ts';
import { OwnerReferencesPermissionEnforcement, type KindResolver } from './owner-references-permission-enforcement.ts';
import { PersistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { PodNodeSelector } from './pod-node-selector.ts';
import { PodTolerationRestriction } from './pod-toleration-restriction.ts';

const core = (resource: string) => ({ group: '', resource });
const namespace = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns', annotations },
});
/** Allows what the predicate allows. */
const authorizer = (allows: (verb: string, resource: string, name: string) => boolean): Authorizer => ({
  authorize: ({ verb, resource, subresource, name }) => ({
    decision: allows(verb, subresource === '' ? resource : `${resource}/${subresource}`, name) ? 'Allow' : 'NoOpinion',
    reason: '',
  }),
});

describe('plugins that refuse', () => {
  it('AlwaysDeny', () => {
    assert.throws(() => new AlwaysDeny().admit(testAttributes({ object: testPod() })), {
      message: 'pods "a" is forbidden: admission control is denying all modifications',
    });
  });

  it('AlwaysPullImages, which mutates first', () => {
    const object = testPod({ containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Never' }] });
    const plugin = new AlwaysPullImages();
    assert.throws(() => plugin.validate(testAttributes({ object })), /spec\.containers\[0\]\.imagePullPolicy/);
    plugin.admit(testAttributes({ object }));
    plugin.validate(testAttributes({ object }));
  });

  it('DenyServiceExternalIPs, except existing IPs', () => {
    const service = (...externalIPs: string[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { externalIPs },
    });
    const validate = (object: KubeObject, oldObject?: KubeObject) =>
      new DenyServiceExternalIPs().validate(
        testAttributesOf(core('services'), object, oldObject === undefined ? {} : { operation: 'UPDATE', oldObject }),
      );
    assert.throws(() => validate(service('1.2.3.4')), /Use of external IPs is denied by admission control/);
    validate(service('1.2.3.4'), service('1.2.3.4', '5.6.7.8'));
  });

  it('EventRateLimit, until the bucket is refilled', () => {
    let now = 0;
    const plugin = new EventRateLimit([{ type: 'Namespace', qps: 1, burst: 2 }], () => now);
    const event: KubeObject = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' } };
    const validate = (to = 'ns') => plugin.validate(testAttributesOf(core('events'), event, { namespace: to }));
    validate();
    validate();
    assert.throws(() => validate(), {
      code: 429,
      message: 'Too many requests: limit reached on type Namespace for key ns',
    });
    validate('other');
    now = 1000;
    validate();
    const both = new EventRateLimit(
      [
        { type: 'Server', qps: 1, burst: 1 },
        { type: 'User', qps: 1, burst: 1 },
      ],
      () => 0,
    );
    both.validate(testAttributesOf(core('events'), event));
    assert.throws(() => both.validate(testAttributesOf(core('events'), event)), {
      message: 'Too many requests: [limit reached on type Server for key , limit reached on type User for key u]',
    });
  });

  it('LimitPodHardAntiAffinityTopology', () => {
    const terms = [{ topologyKey: 'zone' }];
    const object = testPod({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
    });
    assert.throws(
      () => new LimitPodHardAntiAffinityTopology().validate(testAttributes({ object })),
      /has TopologyKey zone but only key kubernetes\.io\/hostname is allowed/,
    );
  });

  it('NamespaceExists, unless NamespaceAutoProvision creates the namespace', async () => {
    const attributes = testAttributes({ object: testPod() });
    await assert.rejects(new NamespaceExists(testLookup()).validate(attributes), { code: 404 });
    const made: string[] = [];
    const provision = new NamespaceAutoProvision(testLookup(), (name) => Promise.resolve(void made.push(name)));
    await provision.admit(attributes);
    assert.deepEqual(made, ['ns']);
  });

  it('PodNodeSelector merges the selector of the namespace', async () => {
    const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': 'env=test, disk=ssd' };
    const plugin = new PodNodeSelector(testLookup({ namespaces: [namespace(annotations)] }));
    const object = testPod({ nodeSelector: { a: 'b' } });
    await plugin.admit(testAttributes({ object }));
    assert.deepEqual(object.spec, { nodeSelector: { a: 'b', env: 'test', disk: 'ssd' } });
    await assert.rejects(
      plugin.admit(testAttributes({ object: testPod({ nodeSelector: { env: 'x' } }) })),
      /pod node label selector conflicts with its namespace node label selector/,
    );
    const unreadable = { 'scheduler.alpha.kubernetes.io/node-selector': 'a in (b)' };
    await assert.rejects(
      new PodNodeSelector(testLookup({ namespaces: [namespace(unreadable)] })).admit(testAttributes({ object })),
      { code: 500, message: 'invalid selector: [a in (b)]' },
    );
  });

  it('PodTolerationRestriction adds defaults and enforces the whitelist', async () => {
    const annotations = {
      'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"a","operator":"Exists"}]',
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': '[{"key":"a","operator":"Exists"}]',
    };
    const plugin = new PodTolerationRestriction(testLookup({ namespaces: [namespace(annotations)] }));
    const object = testPod();
    await plugin.admit(testAttributes({ object }));
    assert.deepEqual(object.spec, { tolerations: [{ key: 'a', operator: 'Exists' }] });
    const other = testPod({ tolerations: [{ key: 'b', operator: 'Exists' }] });
    const conflict = 'pod tolerations (possibly merged with namespace default tolerations) conflict with its';
    const refused = (tested: PodTolerationRestriction, message: string) =>
      assert.rejects(tested.admit(testAttributes({ object: other })), { code: 500, message });
    await refused(plugin, `${conflict} namespace whitelist`);
    const plain = testLookup({ namespaces: [namespace({})] });
    await refused(new PodTolerationRestriction(plain, { whitelist: [{ key: 'a' }] }), `${conflict} cluster whitelist`);
    const unreadable = namespace({ 'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":1}]' });
    await refused(
      new PodTolerationRestriction(testLookup({ namespaces: [unreadable] })),
      'json: cannot unmarshal number into Go struct field Toleration.key of type string',
    );
  });

  it('PersistentVolumeClaimResize, unless the class allows it', async () => {
    const storageclasses: KubeObject[] = [
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'yes' }, allowVolumeExpansion: true },
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'no' } },
    ];
    const claim = (storage: string, storageClassName: string, phase = 'Bound'): KubeObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: { storageClassName, resources: { requests: { storage } } },
      status: { phase },
    });
    const resize = (object: KubeObject, oldObject: KubeObject) =>
      new PersistentVolumeClaimResize(testLookup({ storageclasses })).validate(
        testAttributesOf(core('persistentvolumeclaims'), object, { operation: 'UPDATE', oldObject }),
      );
    await resize(claim('2Gi', 'yes'), claim('1Gi', 'yes'));
    await resize(claim('1Gi', 'no'), claim('1Gi', 'no'));
    await assert.rejects(
      resize(claim('2Gi', 'no'), claim('1Gi', 'no')),
      /only dynamically provisioned pvc can be resized/,
    );
    await assert.rejects(resize(claim('2Gi', 'yes'), claim('1Gi', 'yes', 'Pending')), /Only bound persistent volume/);
  });

  it('CertificateApproval and CertificateSigning authorize the signer, then its domain', async () => {
    const resource = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    const request = (status: unknown): KubeObject => ({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'r' },
      spec: { signerName: 'example.com/x' },
      status,
    });
    const update = (subresource: string, status: unknown = {}) =>
      testAttributesOf(resource, request(status), { operation: 'UPDATE', subresource, oldObject: request({}) });
    const byDomain = authorizer((verb, to, name) => verb === 'approve' && to === 'signers' && name === 'example.com/*');
    await new CertificateApproval(byDomain).validate(update('approval'));
    await new CertificateSigning(byDomain).validate(update('status'));
    await assert.rejects(new CertificateSigning(byDomain).validate(update('status', { certificate: 'x' })), {
      message:
        'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to sign requests with signerName "example.com/x"',
    });
  });

  it('OwnerReferencesPermissionEnforcement', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: '1', blockOwnerDeletion: true };
    const object = testPod({}, { name: 'a', ownerReferences: [owner] });
    const resource = { group: 'apps', version: 'v1', resource: 'replicasets' };
    const resolver: KindResolver = ({ kind }) =>
      Promise.resolve(
        kind === 'ReplicaSet' ? { ...resource, kind, singular: 'replicaset', scope: 'Namespaced' } : undefined,
      );
    type Allows = Parameters<typeof authorizer>[0];
    const validate = (allows: Allows, more: Partial<AdmissionAttributes> = {}) =>
      new OwnerReferencesPermissionEnforcement(authorizer(allows), resolver).validate(
        testAttributes({ object, ...more }),
      );
    const update = { operation: 'UPDATE', oldObject: testPod() } as const;
    await assert.rejects(
      validate(() => false, update),
      { message: `pods "a" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>` },
    );
    const finalizersRefused =
      /cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on/;
    await assert.rejects(
      validate((_verb, to) => to === 'pods', update),
      finalizersRefused,
    );
    // The creator of an object could have omitted the owner reference, so permission to delete the object is not checked.
    await assert.rejects(
      validate(() => false),
      finalizersRefused,
    );
    await validate((verb, to) => verb === 'update' && to === 'replicasets/finalizers');
    const unknown = { object: testPod({}, { name: 'a', ownerReferences: [{ ...owner, kind: 'X' }] }) };
    await assert.rejects(
      validate(() => false, unknown),
      /cannot find RESTMapping for APIVersion apps\/v1 Kind X: no matches for kind "X" in version "apps\/v1"$/,
    );
    await validate((verb, to, name) => verb === 'update' && to === '*/finalizers' && name === '*', unknown);
  });
});
