import assert from 'node:assert/strict';
import { join } from 'node:path';
import { NotInClusterError, type HttpTransportOptions } from '@apichain/client';
import { CoreConnections } from './connections.ts';
import { coreApiOf } from './core-api.ts';
import { DelegationTest, flagsOf } from './delegation.fixture.ts';

describe('delegation to the core API', () => {
  let test: DelegationTest;
  beforeEach(() => {
    test = new DelegationTest();
  });
  afterEach(() => test.close());

  it('has the flags and defaults of extension API servers', () => {
    const flags = flagsOf();
    assert.equal(flags.duration('authentication-token-webhook-cache-ttl'), 10_000);
    assert.equal(flags.duration('authorization-webhook-cache-authorized-ttl'), 10_000);
    assert.equal(flags.duration('authorization-webhook-cache-unauthorized-ttl'), 10_000);
    assert.deepEqual(flags.strings('authorization-always-allow-paths'), ['/healthz', '/readyz', '/livez']);
    assert.deepEqual(flags.strings('requestheader-username-headers'), ['x-remote-user']);
    assert.deepEqual(flags.strings('requestheader-uid-headers'), []);
  });

  const outside = () => {
    throw new NotInClusterError('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined');
  };
  const kubeconfigOf = (name: string, server: string) =>
    test.fileWith(
      name,
      `{clusters: [{name: c, cluster: {server: "${server}"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}`,
    );

  it('needs a kubeconfig, or a pod', async () => {
    const start = (...argv: string[]) =>
      coreApiOf(flagsOf(...argv), { name: 'test', logger: test.logger, inCluster: outside });
    await assert.rejects(start(), {
      name: 'FlagError',
      message:
        'failed to get core API kubeconfig: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined; outside of a pod, --kubeconfig must be given',
    });
    await assert.rejects(start(`--kubeconfig=${join(test.directory, 'missing')}`), {
      name: 'FlagError',
      message: /^failed to get core API kubeconfig: ENOENT.*missing'$/,
    });
    const kubeconfig = kubeconfigOf('kubeconfig', 'http://127.0.0.1:1');
    await assert.rejects(
      start(`--authorization-kubeconfig=${kubeconfig}`),
      /must be defined; outside of a pod, --kube/,
    );
    await assert.rejects(start(`--kubeconfig=${kubeconfig}`), {
      name: 'FlagError',
      message:
        'unable to read ConfigMap kube-system/extension-apiserver-authentication: connect ECONNREFUSED 127.0.0.1:1',
    });
    const connected = await start(`--kubeconfig=${kubeconfig}`, '--authentication-skip-lookup');
    await connected.close();
  });

  it('takes the kubeconfig of --kubeconfig for reviews outside of a pod, and the service account in a pod', async () => {
    const [all, reviews] = ['all', 'reviews'].map((name) => kubeconfigOf(name, `http://${name}`));
    const flags = flagsOf(`--kubeconfig=${all}`, `--authorization-kubeconfig=${reviews}`);
    const urls = (inCluster: () => HttpTransportOptions) => {
      const connections = new CoreConnections(flags, 'test', inCluster);
      return (['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'] as const).map((flag) =>
        connections.urlOf(flag),
      );
    };
    assert.deepEqual(urls(outside), ['http://all', 'http://all', 'http://reviews']);
    assert.deepEqual(
      urls(() => ({ url: 'http://pod' })),
      ['http://all', 'http://pod', 'http://reviews'],
    );
    const noToken = () => {
      throw new Error('open token: no such file or directory');
    };
    assert.throws(() => urls(noToken), {
      name: 'FlagError',
      message: 'failed to get delegated authentication kubeconfig: open token: no such file or directory',
    });
    const connections = new CoreConnections(flags, 'test', outside);
    assert.equal(connections.of('kubeconfig'), connections.of('authentication-kubeconfig'));
    await connections.close();
  });
});
