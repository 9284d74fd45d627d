import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { pemBlocks } from '@apichain/meta';
import { directoryStore, secretStore, type AuthorityStore } from './authority-store.ts';
import { CoreApi } from './core-api.fixture.ts';
import { ServingCertificate } from './serving-certificate.ts';

const dayMs = 24 * 3_600_000;
const hosts = ['wardle.default.svc', 'localhost', '127.0.0.1', '::1'];

const certificatesIn = (pem: string) =>
  [...pemBlocks(pem)].filter(({ type }) => type === 'CERTIFICATE').map(({ bytes }) => new X509Certificate(bytes));

describe('the serving certificate', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-serving-'))));
  afterEach(() => {
    mock.timers.reset();
    rmSync(directory, { recursive: true, force: true });
  });

  const open = (store: AuthorityStore = directoryStore(directory), names = hosts, to = directory) =>
    ServingCertificate.open({ server: 'wardle', hosts: names, directory: to, store });
  const leafOf = ({ file }: ServingCertificate) => new X509Certificate(readFileSync(file));
  const isTrusted = (certificate: ServingCertificate, bundle: string) =>
    certificatesIn(bundle).some((ca) => leafOf(certificate).verify(ca.publicKey));
  const publish = async () => undefined;

  it('is valid for the hosts, and trusted with the bundle', async () => {
    const certificate = await open();
    const leaf = leafOf(certificate);
    for (const host of hosts) assert.ok(leaf.checkHost(host) ?? leaf.checkIP(host), host);
    assert.ok(isTrusted(certificate, certificate.caBundle));
    assert.ok(!certificate.caBundle.includes('KEY'));
  });

  it('is kept in files of which others can read nothing', async () => {
    const below = join(directory, 'new', 'dir');
    await open(directoryStore(below), hosts, below);
    assert.equal(statSync(below).mode & 0o777, 0o700);
    for (const name of ['serving.pem', 'serving-ca.pem']) assert.equal(statSync(join(below, name)).mode & 0o777, 0o600);
  });

  it('is reused by the next start, with its authority', async () => {
    const first = await open();
    const text = readFileSync(first.file, 'utf8');
    const second = await open();
    assert.equal(readFileSync(second.file, 'utf8'), text);
    assert.equal(second.caBundle, first.caBundle);
  });

  it('is issued anew by the same authority for other hosts, and when its file is damaged', async () => {
    const first = await open();
    const second = await open(undefined, [...hosts, '192.0.2.7']);
    assert.equal(leafOf(second).checkIP('192.0.2.7'), '192.0.2.7');
    assert.equal(second.caBundle, first.caBundle);
    writeFileSync(first.file, 'damaged');
    assert.ok(isTrusted(await open(), first.caBundle));
  });

  it('is refused in one line when the authority is damaged or the directory cannot be written', async () => {
    writeFileSync(join(directory, 'serving-ca.pem'), 'damaged');
    await assert.rejects(open(), /^RegistrationError: .*serving-ca.pem contains no authority \(.*\): delete it/);
    const inFile = join(directory, 'serving-ca.pem', 'dir');
    await assert.rejects(
      open(directoryStore(inFile), hosts, inFile),
      /^RegistrationError: .* cannot be (read|written)/,
    );
  });

  it('is renewed before it expires, by the same authority', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const certificate = await open();
    const [serial, bundle] = [leafOf(certificate).serialNumber, certificate.caBundle];
    mock.timers.tick(200 * dayMs);
    await certificate.check(publish);
    assert.equal(leafOf(certificate).serialNumber, serial);
    mock.timers.tick(100 * dayMs);
    await certificate.check(publish);
    assert.notEqual(leafOf(certificate).serialNumber, serial);
    assert.equal(certificate.caBundle, bundle);
    assert.ok(Date.parse(leafOf(certificate).validTo) > Date.now() + 300 * dayMs);
  });

  it('stays trusted while its authority is replaced', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const certificate = await open();
    let trusted = certificate.caBundle;
    const bundleSizes = new Set<number>();
    for (let day = 0; day < 20 * 365; day += 30) {
      mock.timers.tick(30 * dayMs);
      const before = leafOf(certificate).serialNumber;
      await certificate.check(async (caBundle) => {
        assert.equal(leafOf(certificate).serialNumber, before, 'the API server is told first');
        assert.ok(!caBundle.includes('KEY'));
        trusted = caBundle;
      });
      assert.ok(isTrusted(certificate, trusted), `day ${day}`);
      assert.ok(Date.parse(leafOf(certificate).validTo) > Date.now());
      for (const authority of certificatesIn(trusted))
        assert.ok(Date.parse(authority.validTo) > Date.now() - 30 * dayMs);
      bundleSizes.add(certificatesIn(trusted).length);
    }
    assert.deepEqual([...bundleSizes].sort(), [1, 2], 'old and new together, then the new one alone');
    assert.equal((readFileSync(join(directory, 'serving-ca.pem'), 'utf8').match(/BEGIN PRIVATE KEY/g) ?? []).length, 1);
  });

  it('publishes again what another replica changed meanwhile', async () => {
    const store = directoryStore(directory);
    const certificate = await open(store);
    const published: string[] = [];
    await certificate.publish(async (caBundle) => {
      published.push(caBundle);
      if (published.length > 1) return;
      rmSync(join(directory, 'serving-ca.pem'));
      await open(store);
    });
    assert.equal(published.length, 2);
    assert.equal(published[1], (await open(store)).caBundle);
  });

  it('is checked every hour, and a failed check is logged', async () => {
    const certificate = await open();
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    const errors: unknown[] = [];
    const stop = new AbortController();
    const failed = Promise.withResolvers<void>();
    const logger = {
      error: (fields: unknown) => {
        errors.push(fields);
        failed.resolve();
      },
    };
    certificate.run(() => Promise.reject(new Error('no response')), logger, stop.signal);
    mock.timers.tick(59 * 60_000);
    assert.equal(errors.length, 0);
    mock.timers.tick(60_000);
    await failed.promise;
    assert.match(String((errors[0] as { err: unknown }).err), /no response/);
    stop.abort();
  });

  describe('of several replicas', () => {
    let api: CoreApi;
    beforeEach(() => (api = new CoreApi()));
    const replica = (name: string) => open(secretStore(api.client, 'wardle', 'default'), hosts, join(directory, name));

    it('has one authority, in a Secret', async () => {
      const all = await Promise.all(['a', 'b', 'c'].map(replica));
      assert.equal(new Set(all.map(({ caBundle }) => caBundle)).size, 1);
      assert.equal(new Set(all.map((certificate) => leafOf(certificate).serialNumber)).size, 3);
      for (const certificate of all) assert.ok(isTrusted(certificate, all[0]?.caBundle ?? ''));
      const secret = api.find('Secret', 'wardle-serving-ca');
      assert.equal(secret?.metadata.labels?.['app.kubernetes.io/managed-by'], 'apichain-register');
    });

    it('has one new authority when all replace it at once', async () => {
      mock.timers.enable({ apis: ['Date'], now: Date.now() });
      const all = await Promise.all(['a', 'b', 'c'].map(replica));
      let bundle = '';
      mock.timers.tick(9 * 365 * dayMs);
      await Promise.all(all.map((certificate) => certificate.check(async (caBundle) => void (bundle = caBundle))));
      assert.equal(certificatesIn(bundle).length, 2);
      assert.deepEqual(new Set(all.map(({ caBundle }) => caBundle)), new Set([bundle]));
      for (const certificate of all) assert.ok(isTrusted(certificate, bundle));
    });

    it("does not use a Secret of others, and reports the API server's refusal", async () => {
      const metadata = { name: 'wardle-serving-ca', namespace: 'default' };
      const path = '/api/v1/namespaces/default/secrets/wardle-serving-ca';
      api.store(path, { apiVersion: 'v1', kind: 'Secret', metadata });
      await assert.rejects(
        replica('a'),
        /^RegistrationError: Secret default\/wardle-serving-ca exists and was not made/,
      );
      api.before = () => {
        throw new Error('connect ECONNREFUSED');
      };
      await assert.rejects(
        replica('a'),
        /^RegistrationError: cannot read Secret .* no response of the API server: connect/,
      );
    });
  });
});
