import assert from 'node:assert/strict';
import { formatGroupVersion } from '@apichain/meta';
import { builtinKinds, schemeVersions } from './known-kinds.ts';
import { builtinGroupVersions } from './resources.ts';
import { builtinType } from './types.ts';

describe('a kind of a group-version', () => {
  it('is none that is named like a member of every object', () => {
    for (const kind of ['toString', 'constructor', '__proto__'])
      for (const version of ['v1', '1']) assert.equal(builtinType({ group: '', version, kind }), undefined, kind);
  });
});

describe('kinds that moved between groups', () => {
  const reads = (given: string, expected: string, kind: string): boolean => {
    const [kindGiven, kindExpected] = [given, expected].map((groupVersion) => {
      const [version = '', group = ''] = groupVersion.split('/').reverse();
      return { group, version, kind };
    });
    assert.ok(kindGiven !== undefined && kindExpected !== undefined);
    return builtinKinds.readsAs(kindGiven, kindExpected);
  };

  it('are read as their new kinds', () => {
    assert.ok(reads('extensions/v1beta1', 'apps/v1', 'Deployment'));
    assert.ok(reads('apps/v1beta1', 'apps/v1', 'StatefulSet'));
    assert.ok(reads('extensions/v1beta1', 'networking.k8s.io/v1', 'Ingress'));
    assert.ok(reads('apps/v1beta2', 'autoscaling/v1', 'Scale'));
    assert.ok(reads('v1', 'events.k8s.io/v1', 'Event'));
    assert.ok(reads('events.k8s.io/v1', 'v1', 'Event'));
  });

  it('are no other kinds', () => {
    assert.equal(reads('apps/v1beta1', 'apps/v1', 'DaemonSet'), false);
    assert.equal(reads('v1', 'apps/v1', 'Deployment'), false);
    assert.equal(reads('example.com/v1', 'v1', 'Event'), false);
  });
});

describe('the group-versions of the scheme', () => {
  it('are all that are served, those of former kinds, and those of reviews, sorted', () => {
    const names = schemeVersions().map(formatGroupVersion);
    const expected = [...builtinGroupVersions.map(formatGroupVersion), 'extensions/v1beta1', 'admission.k8s.io/v1'];
    assert.deepEqual(
      expected.filter((name) => !names.includes(name)),
      [],
    );
    assert.deepEqual(names.slice(0, 3), ['v1', 'admission.k8s.io/v1', 'admission.k8s.io/v1beta1']);
    assert.deepEqual(
      names.filter((name) => /metrics|audit|^meta/.test(name)),
      [],
    );
  });
});
