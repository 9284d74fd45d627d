import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { lines } from './common/errors.fixture.ts';
import { defaultCapabilities } from './pod/context.ts';
import { validationFor } from './common/validation-for.fixture.ts';

/** The errors of an object of a kind that is off by default: of its creation, or of the update from `old`. */
function problems(key: string, spec: object, old?: object): string[] {
  const object = (given: object): KubeObject => ({ apiVersion: '', kind: '', metadata: { name: 'x' }, spec: given });
  const { create, update } = validationFor(key);
  return lines(
    (old === undefined
      ? create?.(object(spec), undefined, defaultCapabilities)
      : update?.(object(spec), object(old), defaultCapabilities)) ?? [],
  );
}
function statusProblems(key: string, status: object, old: object = {}, spec: object = {}): string[] {
  const object = (given: object): KubeObject => ({
    apiVersion: '',
    kind: '',
    metadata: { name: 'x' },
    spec,
    ...(given === old && Object.keys(given).length === 0 ? {} : { status: given }),
  });
  return lines(validationFor(key).subresources?.status?.(object(status), object(old), defaultCapabilities) ?? []);
}

describe('kinds that are off by default', () => {
  it('workloads: one policy a group, unique names, nothing that changes', () => {
    const key = 'workloads.scheduling.k8s.io';
    const gang = { name: 'a', schedulingPolicy: { gang: { minCount: 1 } } };
    assert.deepEqual(problems(key, { podGroupTemplates: [gang] }), []);
    assert.deepEqual(problems(key, {}), ['spec.podGroupTemplates: Required value']);
    const both = { name: 'B', schedulingPolicy: { basic: {}, gang: { minCount: 0 } } };
    const [short] = problems(key, { podGroupTemplates: [both] });
    assert.match(short ?? '', /podGroupTemplates\[0\]\.name: Invalid value: "B": a lowercase RFC 1123 label/);
    const [long] = problems(key, { podGroupTemplates: [{ ...gang, name: 'a'.repeat(64) }] });
    assert.match(long ?? '', /: must be no more than 63 bytes$/);
    assert.deepEqual(problems(key, { podGroupTemplates: [both] }).slice(1), [
      'spec.podGroupTemplates[0].schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
      'spec.podGroupTemplates[0].schedulingPolicy.gang.minCount: Required value',
    ]);
    assert.deepEqual(
      problems(key, { podGroupTemplates: [gang, { ...gang, name: 'b' }] }, { podGroupTemplates: [gang] }),
      ['spec.podGroupTemplates: Invalid value: null: field is immutable'],
    );
  });

  it('requests about pools: fulfilled once, amounts in bounds', () => {
    const key = 'resourcepoolstatusrequests.resource.k8s.io';
    assert.deepEqual(problems(key, { driver: 'd', poolName: 'a//b', limit: 1001 }), [
      'spec.poolName: Invalid value: "a//b": segment 1: must not be empty',
      'spec.limit: Invalid value: 1001: must be less than or equal to 1000',
    ]);
    assert.deepEqual(
      statusProblems(key, { pools: [{ driver: 'd', poolName: 'p', generation: 1, totalDevices: -1 }] }),
      [
        'status.poolCount: Required value',
        'status.pools[0].totalDevices: Invalid value: -1: must be greater than or equal to 0',
      ],
    );
    const [again] = statusProblems(key, { poolCount: 2 }, { poolCount: 1 });
    assert.match(again ?? '', /^status: Invalid value: .*: field is immutable$/);
  });

  it('taints of devices: a key, an effect', () => {
    const key = 'devicetaintrules.resource.k8s.io';
    assert.deepEqual(problems(key, { taint: { key: 'a', effect: 'Never' } }), [
      'spec.taint.effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
    ]);
    assert.deepEqual(problems(key, { taint: { key: 'a', effect: 'x' } }, { taint: { key: 'a', effect: 'x' } }), []);
  });

  it('migrations of storage versions: versions in whole numbers, one end', () => {
    const key = 'storageversionmigrations.storagemigration.k8s.io';
    assert.deepEqual(problems(key, { resource: {} }), [
      'spec.resource.resource: Required value: resource is required to be set',
    ]);
    const condition = (type: string) => ({
      type,
      status: 'True',
      reason: 'R',
      lastTransitionTime: '2024-01-01T00:00:00Z',
    });
    const found = statusProblems(key, { resourceVersion: '01', conditions: ['Succeeded', 'Failed'].map(condition) });
    assert.equal(found[0], 'status.resourceVersion: Invalid value: "01": resource version is not well formed: 01');
    assert.match(found[1] ?? '', /: Both success and failed conditions cannot be true at the same time$/);
  });

  it('storage versions: what a server writes it reads', () => {
    const server = { apiServerID: 'a', encodingVersion: 'apps/v1', decodableVersions: ['apps/v2'] };
    assert.deepEqual(statusProblems('storageversions.internal.apiserver.k8s.io', { storageVersions: [server] }), [
      'status.storageVersions[0].decodableVersions: Invalid value: ["apps/v2"]: decodableVersions must include encodingVersion apps/v1',
      'status.commonEncodingVersion: Invalid value: null: the common encoding version is apps/v1',
    ]);
  });

  it('bundles of trust anchors: certificates of authorities', () => {
    const trustBundle = '-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n';
    const found = (bundle: string) => problems('clustertrustbundles.certificates.k8s.io', { trustBundle: bundle });
    assert.deepEqual(found(trustBundle), [
      'spec.trustBundle: Invalid value: "<value omitted>": entry 0 has bad block type: KEY',
    ]);
    assert.deepEqual(found('none'), [
      'spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided',
    ]);
  });

  it('requests of pods for certificates: a key and who holds it', () => {
    const names = { signerName: 'example.com/a', podName: 'p', podUID: 'u', serviceAccountName: 's', nodeName: 'n' };
    const spec = { ...names, serviceAccountUID: 'u', nodeUID: 'u', maxExpirationSeconds: 1 };
    const key = 'podcertificaterequests.certificates.k8s.io';
    assert.deepEqual(problems(key, { ...spec, stubPKCS10Request: 'AAAA' }), [
      'spec.maxExpirationSeconds: Invalid value: 1: must be in the range [3600, 7862400]',
      'spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR',
    ]);
    assert.deepEqual(statusProblems(key, { notBefore: '2024-01-01T00:00:00Z' }, {}, spec), [
      'status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
    ]);
  });

  it('candidates for leases: a version that does not read counts as none', () => {
    const spec = { leaseName: 'l', binaryVersion: 'x', emulationVersion: '1.0.0', strategy: 'Other' };
    assert.deepEqual(problems('leasecandidates.coordination.k8s.io', spec), [
      'spec.binaryVersion: Invalid value: "x": must be a valid semantic version',
      'spec.binaryVersion: Invalid value: "x": must be greater than or equal to `emulationVersion`',
      'spec.strategy.strategy: Unsupported value: "Other": supported values: "OldestEmulationVersion"',
    ]);
  });
});
