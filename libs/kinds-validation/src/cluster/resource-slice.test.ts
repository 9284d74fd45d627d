import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('resource slices', () => {
  it('checks slices', () => {
    const spec = {
      driver: 'd.io',
      pool: { name: 'p', resourceSliceCount: 1 },
      devices: [{ name: 'a', attributes: { x: {} } }],
    };
    assert.deepEqual(created('resourceslices.resource.k8s.io', { spec }), [
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      'spec.devices[0].attributes[x]: Invalid value: "": exactly one value must be specified',
    ]);
  });
});
