import assert from 'node:assert/strict';
import type { GroupVersionKind, KubeObject } from '@apichain/meta';
import { Scheme } from './scheme.ts';
import type { Type } from './type.ts';

const type: Type = { kind: 'object', fields: [] };
const gvk = (version: string, kind = 'Deployment', group = 'apps'): GroupVersionKind => ({ group, version, kind });
const deployment = (apiVersion: string): KubeObject => ({ apiVersion, kind: 'Deployment', metadata: {}, hops: [] });

const hop = (name: string) => (object: KubeObject) => ({ ...object, hops: [...(object['hops'] as string[]), name] });

function appsScheme(): Scheme {
  const scheme = new Scheme('pkg/test/scheme.go:1');
  for (const version of ['v1', 'v1beta1', 'v1beta2']) scheme.register(gvk(version), () => type);
  scheme.setHub(gvk('v1'));
  for (const version of ['v1beta1', 'v1beta2']) {
    scheme.addConversion(gvk(version), gvk('v1'), hop(`${version} to hub`));
    scheme.addConversion(gvk('v1'), gvk(version), hop(`hub to ${version}`));
  }
  return scheme;
}

describe('Scheme', () => {
  it('finds types and says which kinds it does not know', () => {
    const scheme = appsScheme();
    assert.equal(scheme.typeOf(gvk('v1')), type);
    assert.equal(scheme.recognizes(gvk('v1', 'Bogus')), false);
    assert.throws(() => scheme.typeOf(gvk('v1', 'Bogus')), {
      name: 'NotRegisteredError',
      message: 'no kind "Bogus" is registered for version "apps/v1" in scheme "pkg/test/scheme.go:1"',
    });
  });

  it('orders versions by priority', () => {
    const scheme = appsScheme();
    scheme.setVersionPriority('apps', ['v1beta2', 'v1']);
    assert.deepEqual(
      scheme.prioritizedVersions('apps').map((gv) => gv.version),
      ['v1beta2', 'v1', 'v1beta1'],
    );
    assert.throws(() => scheme.setVersionPriority('apps', ['v9']), /version v9 of group "apps" is not registered/);
  });

  it('converts through the hub', () => {
    const scheme = appsScheme();
    const same = deployment('apps/v1');
    assert.equal(scheme.convert(same, gvk('v1')), same);
    const across = scheme.convert(deployment('apps/v1beta1'), gvk('v1beta2'));
    assert.equal(across.apiVersion, 'apps/v1beta2');
    assert.deepEqual(across['hops'], ['v1beta1 to hub', 'hub to v1beta2']);
    assert.throws(() => scheme.convert(deployment('apps/v1'), gvk('v1', 'Scale', 'autoscaling')), {
      name: 'ConversionError',
      message: 'converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    });
  });

  it('applies defaults of the kind alone', () => {
    const scheme = appsScheme();
    scheme.addDefaulting(gvk('v1'), (object) => (object['spec'] = { replicas: 1 }));
    const object = deployment('apps/v1');
    scheme.applyDefaults(gvk('v1'), object);
    scheme.applyDefaults(gvk('v1beta1'), object);
    assert.deepEqual(object['spec'], { replicas: 1 });
  });

  it('knows the field labels of kinds', () => {
    const scheme = appsScheme();
    scheme.addFieldLabelConversion(gvk('v1beta1'), (label, value) => [label === 'host' ? 'nodeName' : label, value]);
    assert.deepEqual(scheme.convertFieldLabel(gvk('v1beta1'), 'host', 'a'), ['nodeName', 'a']);
    assert.deepEqual(scheme.convertFieldLabel(gvk('v1'), 'metadata.name', 'a'), ['metadata.name', 'a']);
    assert.throws(() => scheme.convertFieldLabel(gvk('v1'), 'spec.x', 'a'), {
      message: '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
  });
});
