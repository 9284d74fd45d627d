import assert from 'node:assert/strict';
import { maskedSecret } from './masked-secret.ts';

describe('a masked Secret', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'login',
      labels: { app: 'web' },
      annotations: {
        'example.com/team': 'red',
        'example.com/copy': ' {"data":{"password":"aHVudGVyMg=="}}',
        'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"password":"hunter2"}}',
        'objectset.rio.cattle.io/applied': 'H4sIAAAA',
      },
    },
    type: 'Opaque',
    data: { password: 'aHVudGVyMg==', user: '' },
    stringData: { more: 'hunter2' },
  };

  it('has its keys and none of its values, in annotations neither', () => {
    const before = JSON.stringify(secret);
    assert.deepEqual(maskedSecret(secret), {
      ...secret,
      metadata: {
        ...secret.metadata,
        annotations: {
          'example.com/team': 'red',
          'example.com/copy': '***',
          'kubectl.kubernetes.io/last-applied-configuration': '***',
          'objectset.rio.cattle.io/applied': '***',
        },
      },
      data: { password: 'Kioq', user: 'Kioq' },
      stringData: { more: '***' },
    });
    assert.equal(JSON.stringify(secret), before);
  });

  it('is made of one without values or annotations', () => {
    const empty = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: null };
    assert.deepEqual(maskedSecret(empty), empty);
  });
});
