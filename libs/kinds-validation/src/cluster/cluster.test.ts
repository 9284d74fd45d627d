import { strict as assert } from 'node:assert';
import { lines, object } from '../common/errors.fixture.ts';
import { validateStrictEventUpdate } from './event.ts';
import { validateNode, validateNodeStatus } from './node.ts';
import { validateQuota, validateQuotaUpdate } from './quota.ts';

describe('nodes', () => {
  it('skip the family check for malformed ranges', () => {
    const cidr = (name: string) =>
      lines(validateNode(object('Node', 'n', { spec: { podCIDRs: ['10.1.0.0/24', name] } })));
    assert.deepEqual(cidr('x').slice(1), [
      'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
      'spec.podCIDRs: Invalid value: ["10.1.0.0/24","x"]: may specify no more than one CIDR for each IP family',
    ]);
    assert.deepEqual(cidr('fd00::/64'), []);
  });
  it('refuse changes of podCIDRs, and report each', () => {
    const ranged = (...podCIDRs: string[]) => object('Node', 'n', { spec: { podCIDRs } });
    const kept = 'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid';
    assert.deepEqual(lines(validateNodeStatus(ranged('a', 'b'), ranged('c', 'd'))), [kept, kept]);
    assert.deepEqual(lines(validateNodeStatus(ranged(), ranged('c', 'd'))), [kept]);
    assert.deepEqual(lines(validateNodeStatus(ranged('c'), ranged())), []);
  });
  it('declare features in order in their status, and sources whether changed or not', () => {
    const node = object('Node', 'n', {
      spec: { configSource: {} },
      status: { declaredFeatures: ['B', 'A', 'a\n'] },
    });
    assert.deepEqual(lines(validateNodeStatus(node, node)), [
      'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
      'status.declaredFeatures[2]: Invalid value: "a\\n": invalid feature name "a\\n": must start with an UpperCamelCase segment, with subsequent segments separated by \'/\' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes',
      'spec.configSource: Invalid value: {"ConfigMap":null}: exactly one reference subfield must be non-nil',
    ]);
  });
});

describe('quotas', () => {
  const quota = (spec: object, status: object = {}) => object('ResourceQuota', 'q', { spec, status });

  it('count huge pages among what scopes are for, and show the whole selector', () => {
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
    const spec = {
      hard: { 'requests.hugepages-2Mi': '2Mi' },
      scopes: ['Terminating'],
      scopeSelector: { matchExpressions },
    };
    assert.deepEqual(lines(validateQuota(quota(spec))), [
      'spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource',
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"In","Values":["high"]}]}: unsupported scope applied to resource',
    ]);
    const all = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating'];
    const conflict = `spec.scopes: Invalid value: ${JSON.stringify(all)}: conflicting scopes`;
    assert.deepEqual(lines(validateQuota(quota({ scopes: all }))), [conflict, conflict]);
  });
  it('are checked without their status when they change', () => {
    const changed = quota({ scopes: [] }, { hard: { x: '1' } });
    assert.deepEqual(lines(validateQuotaUpdate(changed, quota({ scopes: ['BestEffort'] }))), [
      'spec.scopes: Invalid value: []: field is immutable',
    ]);
  });
});

describe('strict events', () => {
  it('show what was taken away as the zero of its type', () => {
    const event = {
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default' },
      eventTime: '2020-01-01T00:00:00.000000Z',
      reportingComponent: 'example.com/c',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      type: 'Normal',
    };
    const changed = { ...event, action: undefined, type: undefined };
    const stored = { ...event, count: 2, related: { kind: 'Node' } };
    assert.deepEqual(lines(validateStrictEventUpdate(object('Event', 'e', changed), object('Event', 'e', stored))), [
      'count: Invalid value: 0: field is immutable',
      'type: Invalid value: "": field is immutable',
      'action: Invalid value: "": field is immutable',
      'related: Invalid value: null: field is immutable',
    ]);
    const [gained = ''] = lines(
      validateStrictEventUpdate(object('Event', 'e', { ...event, related: {} }), object('Event', 'e', event)),
    );
    assert.match(gained, /^related: Invalid value: {"Kind":"",.*}: field is immutable$/);
  });
});
