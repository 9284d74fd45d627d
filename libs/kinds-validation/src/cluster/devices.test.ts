import { strict as assert } from 'node:assert';
import { decodeObject } from '@apichain/scheme';
import { builtinTypes } from '@apichain/kinds';
import { lines, object } from '../common/errors.fixture.ts';
import { defaultCapabilities } from '../pod/context.ts';
import { validationFor } from '../common/validation-for.fixture.ts';

const created = (resource: string, spec: Record<string, unknown>) =>
  lines(
    validationFor(`${resource}.resource.k8s.io`).create?.(
      object('Kind', 'x', { spec }),
      undefined,
      defaultCapabilities,
    ) ?? [],
  );

const slice = (device: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
  created('resourceslices', {
    driver: 'd.e',
    pool: { name: 'p', resourceSliceCount: 1 },
    nodeName: 'n',
    devices: [{ name: 'dev', ...device }],
    ...rest,
  });

describe('devices', () => {
  it('checks attributes of devices', () => {
    assert.deepEqual(slice({ attributes: { a: { int: 1 }, 'd.e/b': { version: '1.0.0' } } }), []);
    assert.deepEqual(slice({ attributes: { '/e': { bool: true }, none: {}, two: { int: 1, string: 'a' } } }), [
      'spec.devices[0].attributes: Invalid value: "": the domain must not be empty',
      'spec.devices[0].attributes[none]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[two]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":"a","VersionValue":null,' +
        '"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
    ]);
  });

  it('counts an empty list of devices beside counters', () => {
    const spec = { sharedCounters: [{ name: 'c', counters: { a: { value: '1' } } }], devices: [] };
    const { object: decoded } = decodeObject({ spec }, builtinTypes.type('resource.k8s.io.v1.ResourceSlice'));
    const found = lines(
      validationFor('resourceslices.resource.k8s.io').create?.(
        { ...object('X', 'x', {}), ...decoded },
        undefined,
        defaultCapabilities,
      ) ?? [],
    );
    assert.equal(found.includes('spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'), true);
  });

  it('checks how a shared capacity may be asked for', () => {
    const policy = (requestPolicy: Record<string, unknown>, allowMultipleAllocations = true) =>
      slice({ allowMultipleAllocations, capacity: { c: { value: '10', requestPolicy } } });
    const path = 'spec.devices[0].capacity[c].requestPolicy';
    assert.deepEqual(policy({ default: '2', validValues: ['1', '2'] }), []);
    assert.deepEqual(policy({ default: '2', validRange: { min: '2', max: '8', step: '3' } }), []);
    assert.deepEqual(policy({ default: '1' }, false), [`${path}: Forbidden: allowMultipleAllocations must be true`]);
    assert.deepEqual(policy({ validValues: ['1'] }), [
      `${path}.default: Required value: required when validValues is defined`,
    ]);
    assert.deepEqual(policy({ default: '5', validValues: ['3', '2', '11'] }), [
      `${path}.validValues[1]: Invalid value: "2": values must be sorted in ascending order`,
      `${path}.validValues[2]: Invalid value: "11": option is larger than capacity value: 10`,
      `${path}.validValues: Invalid value: "5": default value is not valid according to the requestPolicy`,
    ]);
    assert.deepEqual(policy({ default: '6', validRange: { min: '2', max: '9', step: '3' } }), [
      `${path}.validRange.step: Invalid value: "6": value is not a multiple of a given step (3) from (2)`,
      `${path}.validRange.step: Invalid value: "9": value is not a multiple of a given step (3) from (2)`,
    ]);
  });

  it('tells a default that a range does not reach at the end of the range', () => {
    const requestPolicy = { default: '1', validRange: { min: '2', max: '3' } };
    const capacity = { c: { value: '10', requestPolicy } };
    const path = 'spec.devices[0].capacity[c].requestPolicy.validRange';
    assert.deepEqual(slice({ allowMultipleAllocations: true, capacity }), [
      `${path}.min: Invalid value: "1": default is less than min: 2`,
    ]);
    requestPolicy.default = '4';
    assert.deepEqual(slice({ allowMultipleAllocations: true, capacity }), [
      `${path}.max: Invalid value: "4": default is more than max: 3`,
    ]);
  });

  it('checks counters, conditions and limits of a slice', () => {
    assert.deepEqual(slice({}, { sharedCounters: [{ name: 'c', counters: { a: { value: '1' } } }] }), [
      'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
    ]);
    assert.deepEqual(slice({ consumesCounters: [{}] }), [
      'spec.devices[0].consumesCounters[0].counterSet: Required value',
      'spec.devices[0].consumesCounters[0].counters: Required value',
    ]);
    assert.deepEqual(slice({ bindingFailureConditions: ['a'] }), [
      'spec.devices[0].bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions',
    ]);
    assert.deepEqual(slice({ bindingConditions: ['a'], bindingFailureConditions: [] }), [
      'spec.devices[0].bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use bindingConditions',
    ]);
    assert.deepEqual(slice({}, { nodeName: undefined, nodeSelector: {} }), [
      'spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: null: must have exactly one node selector term',
    ]);
    const tainted = Array.from({ length: 65 }, (_, i) => ({ name: `d${i}`, taints: [{ key: 'a', effect: 'None' }] }));
    assert.deepEqual(slice({}, { devices: tainted }), ['spec.devices: Too many: 65: must have at most 64 items']);
  });

  it('checks claims: references to requests, duplicates after the items themselves', () => {
    const exactly = { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 };
    const devices = (rest: Record<string, unknown>) =>
      created('resourceclaims', { devices: { requests: [{ name: 'r', exactly }], ...rest } });
    assert.deepEqual(devices({ constraints: [{ requests: ['r', 'z', 'r'], matchAttribute: 'd.e/a' }] }), [
      'spec.devices.constraints[0].requests[1]: Invalid value: "z": must be the name of a request in the claim or the name of ' +
        "a request and a subrequest separated by '/'",
      'spec.devices.constraints[0].requests[2]: Duplicate value: "r"',
    ]);
    assert.deepEqual(devices({ config: [{ opaque: { driver: 'd', parameters: 'text' } }] }), [
      'spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ]);
  });

  it('keeps the parameters of drivers as they were written, in the order of their members', () => {
    const claim = (parameters: object) =>
      object('ResourceClaim', 'c', { spec: { devices: { config: [{ opaque: { driver: 'd.e', parameters } }] } } });
    const update = validationFor('resourceclaims.resource.k8s.io').update;
    assert.deepEqual(update?.(claim({ b: 1, a: 2 }), claim({ b: 1, a: 2 }), defaultCapabilities), []);
    const [error = ''] = lines(update?.(claim({ a: 2, b: 1 }), claim({ b: 1, a: 2 }), defaultCapabilities) ?? []);
    assert.match(error, /^spec: Invalid value: .*"Parameters":\{"a":2,"b":1\}.*: field is immutable$/);
  });

  it('bounds what the expressions of selectors may cost', () => {
    const ten = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
    const nested = (depth: number): string =>
      depth === 0 ? '1 > 0' : `${ten}.all(x${String(depth)}, ${nested(depth - 1)})`;
    const selected = (expression: string) => created('deviceclasses', { selectors: [{ cel: { expression } }] });
    assert.deepEqual(selected(nested(3)), []);
    assert.deepEqual(selected(nested(7)), [
      'spec.selectors[0].cel.expression: Forbidden: too complex, exceeds cost limit',
    ]);
  });

  it('checks what drivers report of allocated devices', () => {
    const result = { request: 'r', driver: 'd.e', pool: 'p', device: 'dev' };
    const claim = (status: Record<string, unknown>) =>
      object('ResourceClaim', 'x', { spec: { devices: { requests: [{ name: 'r' }] } }, status });
    const reported = (status: Record<string, unknown>) =>
      lines(
        validationFor('resourceclaims.resource.k8s.io').subresources?.status?.(
          claim({ allocation: { devices: { results: [result] } }, ...status }),
          claim({}),
          defaultCapabilities,
        ) ?? [],
      );
    const { request: _, ...device } = result;
    assert.deepEqual(reported({ devices: [{ ...device, networkData: { ips: ['10.0.0.1/24'] } }] }), []);
    assert.deepEqual(reported({ devices: [{ ...device, data: [1], networkData: { ips: ['10.0.0.1'] } }] }), [
      'status.devices[0].data: Invalid value: "<value omitted>": must be a valid JSON object',
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, ' +
        '(e.g. 10.9.8.7/24 or 2001:db8::1/64)',
    ]);
    assert.deepEqual(reported({ reservedFor: [{ resource: 'pods', name: 'p' }] }), [
      'status.reservedFor[0].uid: Required value',
    ]);
  });
});
