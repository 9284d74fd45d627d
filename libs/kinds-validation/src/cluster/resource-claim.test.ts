import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

const request = { name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 } };

describe('resource claims', () => {
  it('checks claims', () => {
    assert.deepEqual(created('resourceclaims.resource.k8s.io', { spec: { devices: { requests: [request] } } }), []);
    const devices = { requests: [request, { name: 'r' }], config: [{ requests: ['s'] }] };
    assert.deepEqual(created('resourceclaims.resource.k8s.io', { spec: { devices } }), [
      'spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec.devices.requests[1]: Duplicate value: "r"',
      'spec.devices.config[0].requests[0]: Invalid value: "s": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.config[0].opaque: Required value',
    ]);
  });

  it('compiles the selectors of devices', () => {
    const expressions = ['device.driver == "d.io"', 'device.attributes["d.io"].healthy', 'device.driver', 'device.'];
    const selectors = expressions.map((expression) => ({ cel: { expression } }));
    assert.deepEqual(created('deviceclasses.resource.k8s.io', { spec: { selectors } }), [
      'spec.selectors[2].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
      `spec.selectors[3].cel.expression: Invalid value: "device.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | device.\n | .......^`,
    ]);
    const units = ['device.capacity["d.io"].memory.compareTo(quantity("1Gi")) >= 0', 'device.allowMultipleAllocations'];
    const exactly = { ...request.exactly, selectors: units.map((expression) => ({ cel: { expression } })) };
    const devices = { requests: [{ name: 'r', exactly }] };
    assert.deepEqual(created('resourceclaims.resource.k8s.io', { spec: { devices } }), []);
  });
});
