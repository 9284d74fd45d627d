import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@apichain/apiserver';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { ensurePki } from '../certificates/pki.ts';
import { certificateFlags } from './certificate-flags.ts';
import { startInProcessChain } from './chain.ts';

describe('--encryption-provider-config', function () {
  this.timeout(30_000);
  let directory: string;
  let etcd: EmbeddedEtcd;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-encryption-'));
    await ensurePki({ directory, hosts: [], services: ['aggregator'] });
    etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
  });
  after(async () => {
    await etcd.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('holds in every server of the chain, for what is written first too', async () => {
    const keys = [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }];
    const resources = ['clusterroles.rbac.authorization.k8s.io', 'apiservices.apiregistration.k8s.io'];
    const file = join(directory, 'encryption.json');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources, providers: [{ secretbox: { keys } }, { identity: {} }] }],
      }),
    );
    const failure = Promise.withResolvers<never>();
    const chain = await startInProcessChain({
      flags: [
        ...[`--etcd-servers=${etcd.url}`, '--secure-port=0', '--bind-address=127.0.0.1'],
        ...certificateFlags(directory),
        `--encryption-provider-config=${file}`,
      ],
      logger: (service) => createLogger(service, 0, { write: () => undefined }),
      onFatal: failure.reject,
    });
    try {
      await Promise.race([chain.ready(), failure.promise]);
      const below = (prefix: string) =>
        [...etcd.snapshot().keys.values()].filter(({ key }) => key.toString().startsWith(`/registry/${prefix}/`));
      for (const prefix of ['clusterroles', 'apiregistration.k8s.io/apiservices']) {
        const values = below(prefix);
        assert.ok(values.length > 10, prefix);
        for (const { value } of values) assert.match(value.toString('latin1'), /^k8s:enc:secretbox:v1:k:/);
      }
    } finally {
      await chain.stop();
    }
  });
});
