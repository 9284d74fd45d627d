import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from './binaries.ts';
import { buildKubeconfig, loadKubeconfig, parseKubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const cluster = { server: 'example.com:6443', 'certificate-authority-data': base64('CA') };
const user = { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') };
const document = (parts: { cluster?: object; user?: object; current?: string }) =>
  JSON.stringify({
    'current-context': parts.current ?? 'one',
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: parts.cluster ?? cluster }],
    users: [{ name: 'u', user: parts.user ?? user }],
  });

describe('kubeconfigs of envtest', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'apichain-kubeconfig-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are read as they are written', async () => {
    const text = buildKubeconfig({ server: 'https://a:1', caPem: 'CA', clientCertPem: 'CERT', clientKeyPem: 'KEY' });
    assert.deepEqual(await parseKubeconfig(text), {
      config: { server: 'https://a:1', caPem: 'CA', certPem: 'CERT', keyPem: 'KEY' },
      ...{ context: 'envtest', cluster: 'envtest', user: 'envtest-admin' },
    });
  });

  it('have files relative to their folder, and servers without a scheme', async () => {
    const path = join(folder, 'config');
    writeFileSync(join(folder, 'ca.crt'), 'FILE');
    writeFileSync(
      path,
      document({ cluster: { ...cluster, 'certificate-authority-data': '', 'certificate-authority': 'ca.crt' } }),
    );
    const loaded = await loadKubeconfig({ path });
    assert.equal(loaded.path, path);
    assert.deepEqual(loaded.config, {
      server: 'https://example.com:6443',
      caPem: 'FILE',
      certPem: 'CERT',
      keyPem: 'KEY',
    });
    await assert.rejects(loadKubeconfig({ path: join(folder, 'none') }), /cannot read kubeconfig: .*none/);
    await assert.rejects(loadKubeconfig({ path, context: 'two' }), /no context named "two"/);
  });

  for (const [text, message] of [
    ['', /empty or not a YAML mapping/],
    [document({ current: '' }), /no current-context/],
    [document({ cluster: { ...cluster, server: '' } }), /cluster "c" has no server/],
    [document({ cluster: { server: 'ftp://a', 'certificate-authority-data': base64('CA') } }), /must be an https URL/],
    [document({ cluster: { server: 'https://a' } }), /insecure-skip-tls-verify is not supported/],
    [
      document({ cluster: { ...cluster, 'certificate-authority-data': 'no base64!' } }),
      /invalid base64 in "certificate-authority-data"/,
    ],
    [document({ user: { token: 'abc' } }), /user "u" has no client certificate .* client-certificate auth/],
  ] as const)
    it(`are refused: ${message.source}`, () => assert.rejects(parseKubeconfig(text), message));
});

describe('the programs of an environment', () => {
  it('are those of envtest variables, then of the folder, then of the PATH', () => {
    const folder = mkdtempSync(join(tmpdir(), 'apichain-binaries-'));
    const other = mkdtempSync(join(tmpdir(), 'apichain-binaries-'));
    for (const name of ['kubectl', 'etcd']) writeFileSync(join(other, name), '');
    writeFileSync(join(folder, 'kubectl'), '');
    const environment = { PATH: other, TEST_ASSET_KUBE_APISERVER: '/opt/kube-apiserver' };
    assert.deepEqual(findBinaries(folder, environment), {
      etcd: join(other, 'etcd'),
      kubeApiserver: '/opt/kube-apiserver',
      kubectl: join(folder, 'kubectl'),
      dir: folder,
    });
    assert.equal(findBinaries(undefined, { KUBEBUILDER_ASSETS: other, PATH: folder }).kubectl, join(other, 'kubectl'));
    assert.deepEqual(findBinaries(undefined, {}), {
      ...{ etcd: 'etcd', kubeApiserver: 'kube-apiserver', kubectl: 'kubectl', dir: '' },
    });
    for (const each of [folder, other]) rmSync(each, { recursive: true });
  });
});
