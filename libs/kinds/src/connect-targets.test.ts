import assert from 'node:assert/strict';
import type { RegistryStore, RequestContext } from '@apichain/apiserver';
import { newNotFound, type KubeObject } from '@apichain/meta';
import { checkNode, checkPodAddress, checkServiceEndpoints, parseTarget } from './connect-targets.ts';

const ctx = { requestInfo: { namespace: 'n', apiGroup: '', resource: 'pods' } } as object as RequestContext;
const object = (name: string, more: object): KubeObject => ({
  apiVersion: '',
  kind: '',
  metadata: { name },
  ...more,
});
const storeOf = (...objects: KubeObject[]): RegistryStore => {
  const found = (name: string) => {
    const item = objects.find(({ metadata }) => metadata.name === name);
    if (item === undefined) throw newNotFound({ group: '', resource: 'things' }, name);
    return { parse: () => item };
  };
  return {
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
    await assert.rejects(checkNode(nodes, ctx, 'none'), /^[^:]*: pods "none" not found/);
  });

  it('are services with an endpoint at the port', async () => {
    const services = storeOf(object('s', { spec: { ports: [{ name: 'web', port: 80 }] } }));
    const address = (ip: string) => ({ ip, targetRef: { namespace: ctx.requestInfo.namespace, name: 'p' } });
    const endpoints = storeOf(
      object('s', { subsets: [{ ports: [{ name: 'web' }], addresses: [address('10.0.0.8'), address('10.0.0.9')] }] }),
      object('none', { subsets: [] }),
      object('lost', { subsets: [{ ports: [{ name: 'web' }], addresses: [address('10.0.0.8')] }] }),
    );
    const pods = storeOf(object('p', { status: { podIPs: [{ ip: '10.0.0.9' }] } }));
    const check = (id: string) => checkServiceEndpoints({ services, endpoints, pods }, ctx, id);
    await check('s:80');
    await check('s:web');
    await assert.rejects(check('s:81'), /no service port 81 found for service "s"/);
    await assert.rejects(check('s'), /no endpoints available for service "s"/);
    await assert.rejects(check('none:web'), /no endpoints available for service "none"/);
    await assert.rejects(check('lost:web'), /no endpoints available for service "lost:web"/);
    await assert.rejects(check('x:web'), /services "x" not found/);
  });
});
