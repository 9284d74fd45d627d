import { strict as assert } from 'node:assert';
import { stringifyJson } from '@apichain/meta';
import { goValue } from './go-value.ts';

describe('goValue', () => {
  it('prints every field under its Go name', () => {
    assert.equal(
      stringifyJson(goValue('core.v1.Taint', { key: 'k', effect: 'NoSchedule' })),
      '{"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null}',
    );
  });
  it('spells abbreviations as Go does', () => {
    const selector = { cel: { expression: 'true' } };
    assert.equal(
      stringifyJson(goValue('resource.k8s.io.v1.DeviceSelector', selector)),
      '{"CEL":{"Expression":"true"}}',
    );
  });
  it('leaves meta/v1 types as they are and inlines metadata', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { hostNetwork: true } };
    const text = stringifyJson(goValue('core.v1.PodTemplateSpec', template));
    assert.match(text, /^\{"labels":\{"a":"b"\},"Spec":\{"Volumes":null,"InitContainers":null,/);
    assert.match(
      text,
      /"SecurityContext":\{"HostNetwork":true,"HostPID":false,"HostIPC":false,"ShareProcessNamespace":null/,
    );
  });
  it('sorts maps and keeps selectors', () => {
    const spec = { selector: { matchLabels: { a: 'b' } }, minAvailable: 1 };
    assert.equal(
      stringifyJson(goValue('policy.v1.PodDisruptionBudgetSpec', spec)),
      '{"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":null,"UnhealthyPodEvictionPolicy":null}',
    );
  });
});
