import assert from 'node:assert/strict';
import { tableConvertor } from './convertor.ts';
import { hpaTargets } from './hpa.ts';

const metadata = { name: 'x' };

describe('cells of admission policies and autoscalers', () => {
  it('shows the selector of a binding as Go prints it', () => {
    const convertor = tableConvertor('admissionregistration.k8s.io', 'ValidatingAdmissionPolicyBinding');
    const cell = (selector: object) =>
      convertor.row({ kind: '', apiVersion: '', metadata, spec: { policyName: 'p', paramRef: { selector } } }).cells[2];
    assert.equal(
      cell({}),
      '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}',
    );
    const selector = {
      matchLabels: { b: 'c', a: 'b' },
      matchExpressions: [{ key: 'k', operator: 'In', values: ['v', 'w'] }],
    };
    assert.equal(
      cell(selector),
      '&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[v w],},},}',
    );
  });
});

describe('hpaTargets', () => {
  const targets = (metric: object, ...currentMetrics: object[]) =>
    hpaTargets({ kind: '', apiVersion: '', metadata, spec: { metrics: [metric] }, status: { currentMetrics } });

  it('shows zero, <unknown> without a status, and a nil pointer when the status lacks the value', () => {
    const pods = { type: 'Pods', pods: { target: { averageValue: '10' } } };
    assert.equal(targets(pods), '<unknown>/10');
    assert.equal(targets(pods, { type: 'Pods', pods: { current: { averageValue: '0' } } }), '0/10');
    assert.equal(targets(pods, { type: 'Pods', pods: { current: {} } }), '<nil>/10');
    const external = { type: 'External', external: { target: { averageValue: '10' } } };
    assert.equal(targets(external, { external: { current: { averageValue: '0' } } }), '0/10 (avg)');
    assert.equal(targets(external, { external: { current: { value: '3' } } }), '<unknown>/10 (avg)');
    const object = { type: 'Object', object: { target: { value: '10' } } };
    assert.equal(targets(object, { object: { current: { averageValue: '3' } } }), '<nil>/10');
  });
});
