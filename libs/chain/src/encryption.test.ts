import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestChains } from './chain.fixture.ts';

describe('--encryption-provider-config', () => {
  const chains = new TestChains();

  it('holds in every server of the chain, for what is written first too', async () => {
    const keys = [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }];
    const resources = ['clusterroles.rbac.authorization.k8s.io', 'apiservices.apiregistration.k8s.io'];
    const file = join(chains.directory, 'encryption.json');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources, providers: [{ secretbox: { keys } }, { identity: {} }] }],
      }),
    );
    await chains.run([`--encryption-provider-config=${file}`], () => {
      const below = (prefix: string) =>
        [...chains.etcd.snapshot().keys.values()].filter(({ key }) =>
          key.toString().startsWith(`/registry/${prefix}/`),
        );
      for (const prefix of ['clusterroles', 'apiregistration.k8s.io/apiservices']) {
        const values = below(prefix);
        assert.ok(values.length > 10, prefix);
        for (const { value } of values) assert.match(value.toString('latin1'), /^k8s:enc:secretbox:v1:k:/);
      }
    });
  });
});
