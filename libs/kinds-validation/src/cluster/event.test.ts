import assert from 'node:assert/strict';
import { created } from '../common/validation-for.fixture.ts';

describe('events', () => {
  it('checks events by the API they come through', () => {
    const event = { involvedObject: { namespace: 'default' }, type: 'Normal' };
    assert.deepEqual(created('events', event), []);
    assert.deepEqual(created('events.events.k8s.io', event), ['eventTime: Required value']);
  });
});
