import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpTransport, RestClient } from '@apichain/client';
import { startChain, type TestChain } from './index.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

describe('a client whose credentials are those of a command', () => {
  let chain: TestChain;
  before(
    async () =>
      (chain = await startChain({ users: ['ann', 'bob'].map((name) => ({ name, groups: ['system:masters'] })) })),
  );
  after(() => chain.stop());

  it('has the certificate that the command printed last', async () => {
    const file = join(makeTemporaryDirectory(), 'credential.json');
    const apiVersion = 'client.authentication.k8s.io/v1';
    const use = (name: string) => {
      const user = chain.users[name];
      assert.ok(user !== undefined);
      const { cert, key } = user;
      const status = {
        clientCertificateData: cert,
        clientKeyData: key,
        expirationTimestamp: '2020-01-01T00:00:00Z',
      };
      writeFileSync(file, JSON.stringify({ kind: 'ExecCredential', apiVersion, status }));
    };
    const exec = { apiVersion, command: 'cat', args: [file], env: {} };
    const client = new RestClient(httpTransport({ url: chain.url, ca: chain.admin.ca, exec }));
    const whoami = async () => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
      const resource = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' };
      const { status } = (await client.create(resource, review)) as { status?: { userInfo?: { username?: string } } };
      return status?.userInfo?.username;
    };
    use('ann');
    assert.equal(await whoami(), 'ann');
    use('bob');
    assert.deepEqual(await Promise.all([whoami(), whoami()]), ['bob', 'bob']);
    await client.close();
  });
});
