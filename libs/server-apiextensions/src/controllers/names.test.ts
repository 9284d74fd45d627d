import assert from 'node:assert/strict';
import { findCondition, type CrdNames, type CustomResourceDefinition } from '@apichain/schema';
import { acceptNames, establish } from './names.ts';

function crd(plural: string, more: CrdNames = {}): CustomResourceDefinition {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List`, ...more },
      versions: [],
    },
  };
}

describe('names of CRDs', () => {
  it('are accepted when they are free, and then the CRD is established', () => {
    const widgets = crd('widgets');
    assert.equal(acceptNames(widgets, [widgets]), true);
    assert.equal(findCondition(widgets, 'NamesAccepted')?.reason, 'NoConflicts');
    assert.equal(findCondition(widgets, 'Established')?.reason, 'Installing');
    assert.equal(establish(widgets), true);
    assert.equal(findCondition(widgets, 'Established')?.status, 'True');
    assert.equal(acceptNames(widgets, [widgets]), false);
    assert.equal(establish(widgets), false);
  });

  it('are refused when another CRD of the group has them, and released when it is deleted', () => {
    const widgets = crd('widgets');
    acceptNames(widgets, []);
    const gadgets = crd('gadgets', { listKind: 'WidgetList' });
    assert.equal(acceptNames(gadgets, [widgets, gadgets]), true);
    const refused = findCondition(gadgets, 'NamesAccepted');
    assert.equal(refused?.reason, 'ListKindConflict');
    assert.equal(refused?.message, '"WidgetList" is already in use');
    assert.equal(gadgets.status?.acceptedNames?.listKind, undefined);
    assert.equal(findCondition(gadgets, 'Established')?.reason, 'NotAccepted');
    assert.equal(establish(gadgets), false);
    assert.equal(acceptNames(gadgets, [gadgets]), true);
    assert.equal(findCondition(gadgets, 'NamesAccepted')?.status, 'True');
  });

  it('are refused when the CRD itself uses them as other names', () => {
    const widgets = crd('widgets');
    acceptNames(widgets, [widgets]);
    widgets.spec.names = { ...widgets.spec.names, shortNames: ['widgets'] };
    assert.equal(acceptNames(widgets, [widgets]), true);
    assert.equal(findCondition(widgets, 'NamesAccepted')?.message, '"widgets" is already in use');
    assert.equal(widgets.status?.acceptedNames?.shortNames, undefined);
  });

  it('do not conflict across groups', () => {
    const widgets = crd('widgets');
    acceptNames(widgets, []);
    const other = crd('widgets');
    other.spec.group = 'other.com';
    other.metadata.name = 'widgets.other.com';
    acceptNames(other, [widgets, other]);
    assert.equal(findCondition(other, 'NamesAccepted')?.status, 'True');
  });
});
