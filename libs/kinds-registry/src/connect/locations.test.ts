import assert from 'node:assert/strict';
import type { RegistryStore } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import { newNotFound, type KubeObject } from '@apichain/meta';
import { defaultKubeletOptions, Kubelets } from './kubelets.ts';
import { nodeNamed, parseTarget, podLocation, serviceLocation } from './locations.ts';

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
    return { json: Buffer.from(JSON.stringify(item)) };
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

  it('are pods with a public address, at the named port, or the first container port', () => {
    const status = { podIP: '10.1.2.3' };
    const at = (id: string, containers: object[] = []) =>
      podLocation(object('p', { spec: { containers }, status }), parseTarget(id, 'pod'));
    assert.deepEqual(at('p'), { secure: false, host: '10.1.2.3', port: 80 });
    assert.deepEqual(at('https:p:'), { secure: true, host: '10.1.2.3', port: 443 });
    assert.deepEqual(at('p', [{}, { ports: [{ containerPort: 8080 }] }]).port, 8080);
    assert.deepEqual(at('https:p:8443', [{ ports: [{ containerPort: 8080 }] }]).port, 8443);
    assert.throws(() => at('p:web'), /invalid port "web"/);
    assert.throws(() => at('p:65536'), /dial tcp: address 65536: invalid port/);
    for (const podIP of ['', '127.0.0.1', '169.254.1.1', '::1', 'fe80::1'])
      assert.throws(
        () => podLocation(object('p', { status: { podIP } }), parseTarget('p', 'pod')),
        /address not allowed/,
      );
  });

  it('are nodes with an address of the preferred type', async () => {
    const addresses = [
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'Hostname', address: 'here' },
    ];
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 10_255 } } };
    const nodes = storeOf(object('here', { status }), object('lost', {}));
    const kubelets = new Kubelets(defaultKubeletOptions);
    assert.deepEqual(kubelets.addressOf(await nodeNamed(nodes, ctx, 'here')), { host: 'here', port: 10_255 });
    const strict = new Kubelets({ addressTypes: ['ExternalIP'], port: 1 });
    assert.throws(
      () => strict.addressOf(object('here', { status })),
      /no preferred addresses found; known addresses: \[\{InternalIP 10.0.0.1\} \{Hostname here\}\]/,
    );
    assert.throws(() => kubelets.addressOf(object('lost', {})), /known addresses: \[\]/);
    await assert.rejects(nodeNamed(nodes, ctx, 'none'), /^[^:]*: pods "none" not found/);
  });

  it('are services with an endpoint for the port', async () => {
    const services = storeOf(object('s', { spec: { ports: [{ name: 'web', port: 80 }] } }));
    const address = (ip: string) => ({ ip, targetRef: { namespace: ctx.requestInfo.namespace, name: 'p' } });
    const endpoints = storeOf(
      object('s', {
        subsets: [{ ports: [{ name: 'web', port: 8080 }], addresses: [address('10.0.0.8'), address('10.0.0.9')] }],
      }),
      object('none', { subsets: [] }),
      object('lost', { subsets: [{ ports: [{ name: 'web' }], addresses: [address('10.0.0.8')] }] }),
    );
    const pods = storeOf(object('p', { status: { podIPs: [{ ip: '10.0.0.9' }] } }));
    const check = (id: string) => serviceLocation({ services, endpoints, pods }, ctx, id);
    assert.deepEqual(await check('s:80'), { secure: false, host: '10.0.0.9', port: 8080 });
    assert.deepEqual(await check('https:s:web'), { secure: true, host: '10.0.0.9', port: 8080 });
    await assert.rejects(check('s:81'), /no service port 81 found for service "s"/);
    await assert.rejects(check('s'), /no endpoints available for service "s"/);
    await assert.rejects(check('none:web'), /no endpoints available for service "none"/);
    await assert.rejects(check('lost:web'), /no endpoints available for service "lost:web"/);
    await assert.rejects(check('x:web'), /services "x" not found/);
  });
});
