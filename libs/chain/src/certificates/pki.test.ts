import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../startup-error.ts';
import { ensurePki, makeInOwnProcess } from './pki.ts';

describe('the certificates of a chain', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-pki-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const certificate = (name: string) => new X509Certificate(readFileSync(join(directory, `${name}.crt`)));
  const contents = () =>
    Object.fromEntries(readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]));
  const options = (hosts: readonly string[]) => ({ directory, hosts, services: ['aggregator'] as const });

  it('makes all of them in a process of its own', async () => {
    assert.equal(await makeInOwnProcess(options(['192.0.2.7'])), true);
    assert.equal(certificate('aggregator').checkIssued(certificate('ca')), true);
    assert.equal(certificate('front-proxy-client').checkIssued(certificate('front-proxy-ca')), true);
    assert.equal(certificate('aggregator').checkIP('192.0.2.7'), '192.0.2.7');
    assert.match(certificate('admin').subject, /O=system:masters\nCN=kubernetes-admin/);
  });

  for (const inThisProcess of [true, false])
    it(`makes only what is missing, inThisProcess: ${inThisProcess}`, async () => {
      await ensurePki({ ...options([]), inThisProcess });
      const before = contents();
      await ensurePki({ ...options([]), inThisProcess });
      assert.deepEqual(contents(), before);
      rmSync(join(directory, 'admin.key'));
      await ensurePki({ ...options(['192.0.2.7']), inThisProcess });
      const made = Object.entries(contents()).filter(([file, text]) => before[file] !== text);
      assert.deepEqual(made.map(([file]) => file).sort(), [
        'admin.crt',
        'admin.key',
        'aggregator.crt',
        'aggregator.key',
      ]);
    });

  it('makes those of a simulation when they are asked for', async () => {
    await ensurePki({ ...options(['192.0.2.7']), simulation: true, inThisProcess: true });
    const simulation = certificate('simulation');
    assert.equal(simulation.checkHost('simulated-metrics.kube-system.svc'), 'simulated-metrics.kube-system.svc');
    assert.equal(simulation.checkIP('192.0.2.7'), '192.0.2.7');
    assert.match(certificate('kubelet-client').subject, /CN=kube-apiserver-kubelet-client/);
  });

  it('says which file cannot be used', async () => {
    await ensurePki(options([]));
    rmSync(join(directory, 'ca.crt'));
    writeFileSync(join(directory, 'admin.key'), 'no key');
    await assert.rejects(ensurePki(options([])), (error) => {
      assert.ok(error instanceof StartupError);
      return error.message.startsWith(`${join(directory, 'admin.crt')} and its key cannot be used`);
    });
  });
});
