import assert from 'node:assert/strict';
import type { RegistryStore, RequestContext } from '@apichain/apiserver';
import { newNotFound, type KubeObject } from '@apichain/meta';
import { checkNode, checkPodAddress, checkServiceEndpoints, parseTarget } from './connect-targets.ts';

const ctx = { requestInfo: { namespace: 'n' } } as object as RequestContext;
const object = (name: string, more: object, labels = {}): KubeObject => ({
  apiVersion: '',
  kind: '',
  metadata: { name, labels },
  ...more,
});
const storeOf = (...objects: KubeObject[]): RegistryStore => {
  const items = objects.map((item) => ({ parse: () => structuredClone(item) }));
  const found = (name: string) => {
    const item = objects.find(({ metadata }) => metadata.name === name);
    if (item === undefined) throw newNotFound({ group: '', resource: 'things' }, name);
    return { parse: () => item };
  };
  return {
    layout: { prefix: '/things' },
    storage: { list: () => Promise.resolve({ items }) },
    get: (_ctx: RequestContext, name: string) => Promise.resolve().then(() => found(name)),
  } as object as RegistryStore;
};

describe('targets of connections', () => {
  it('have a name, and may have a scheme and a port', () => {
    assert.deepEqual(parseTarget('web', 'pod'), { scheme: '', name: 'web', port: '' });
    assert.deepEqual(parseTarget('web:80', 'pod'), { scheme: '', name: 'web', port: '80' });
    assert.deepEqual(parseTarget('https:web:', 'pod'), { scheme: 'https', name: 'web', port: '' });
    assert.throws(() => parseTarget('ftp:web:80', 'service'), /invalid service request "ftp:web:80"/);
  });

  it('are pods with an address of the network', () => {
    checkPodAddress(object('p', { status: { podIP: '10.1.2.3' } }));
    for (const podIP of ['', '127.0.0.1', '169.254.1.1', '::1', 'fe80::1'])
      assert.throws(() => checkPodAddress(object('p', { status: { podIP } })), /address not allowed/);
  });

  it('are nodes that tell where they are', async () => {
    const nodes = storeOf(object('here', { status: { addresses: [{ type: 'InternalIP' }] } }), object('lost', {}));
    await checkNode(nodes, ctx, 'here');
    await assert.rejects(checkNode(nodes, ctx, 'lost'), /no preferred addresses found; known addresses: \[\]/);
    await assert.rejects(checkNode(nodes, ctx, 'none'), /not found/);
  });

  it('are services with an endpoint at the port', async () => {
    const services = storeOf(object('s', { spec: { ports: [{ name: 'web', port: 80 }] } }));
    const slices = storeOf(
      object(
        'x',
        { ports: [{ name: 'web' }], endpoints: [{ addresses: ['10.0.0.9'] }] },
        { 'kubernetes.io/service-name': 's' },
      ),
    );
    const check = (id: string) => checkServiceEndpoints(services, slices, ctx, parseTarget(id, 'service'));
    await check('s:80');
    await check('s:web');
    await assert.rejects(check('s:81'), /no service port 81 found for service "s"/);
    await assert.rejects(check('s'), /no endpoints available for service "s"/);
  });
});
