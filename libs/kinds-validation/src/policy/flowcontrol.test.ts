import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('flow schemas and priority levels', () => {
  it('checks flow control', () => {
    const queuing = { queues: 8, handSize: 9, queueLengthLimit: 1 };
    const limited = { limitResponse: { type: 'Queue', queuing } };
    assert.deepEqual(
      created('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', { spec: { type: 'Limited', limited } }),
      ['spec.limited.limitResponse.queuing.handSize: Invalid value: 9: should not be greater than queues (8)'],
    );
    assert.deepEqual(
      created('flowschemas.flowcontrol.apiserver.k8s.io', {
        spec: { matchingPrecedence: 1, priorityLevelConfiguration: { name: 'p' } },
      }),
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    );
  });

  it('tells of subjects of another kind and of what may be lent in the order of the checks', () => {
    const subject = { kind: 'User', user: { name: 'u' }, group: { name: 'g' }, serviceAccount: { name: 's' } };
    const rules = [{ subjects: [subject], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] }];
    const spec = { matchingPrecedence: 2, priorityLevelConfiguration: { name: 'p' }, rules };
    const path = 'spec.rules[0].subjects[0]';
    assert.deepEqual(created('flowschemas.flowcontrol.apiserver.k8s.io', { spec }), [
      `${path}.serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
      `${path}.group: Forbidden: group is forbidden when subject kind is not 'Group'`,
    ]);
    const group = { ...subject, kind: 'Group', group: undefined, user: undefined };
    const wrong = { ...spec, rules: [{ ...rules[0], subjects: [group] }] };
    assert.deepEqual(created('flowschemas.flowcontrol.apiserver.k8s.io', { spec: wrong }), [
      `${path}.group: Required value: group is required when subject kind is 'Group'`,
      `${path}.serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
    ]);
    const limited = { lendablePercent: 101, limitResponse: { type: 'X' } };
    assert.deepEqual(
      created('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', { spec: { type: 'Limited', limited } }),
      [
        'spec.limited.limitResponse.type: Unsupported value: "X": supported values: "Queue", "Reject"',
        'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      ],
    );
  });

  it('keeps the mandatory flow schemas and priority levels', () => {
    const level = (name: string, spec: Record<string, unknown>) =>
      created('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', { spec }, name);
    assert.deepEqual(level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 7 } }), []);
    const limited = { nominalConcurrencyShares: 6, limitResponse: { type: 'Reject' }, lendablePercent: 0 };
    const [error = ''] = level('catch-all', { type: 'Limited', limited });
    assert.match(
      error,
      /^spec: Invalid value: \{"Type":"Limited".*\}: spec of 'catch-all' must equal the fixed value$/,
    );
    const schema = { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1 };
    assert.match(
      created('flowschemas.flowcontrol.apiserver.k8s.io', { spec: schema }, 'exempt')[0] ?? '',
      /spec of 'exempt' must equal the fixed value$/,
    );
  });
});
