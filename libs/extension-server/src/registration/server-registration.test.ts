import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseFlags, serviceFlags } from '@apichain/apiserver-options';
import { createLogger } from '@apichain/request';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { CoreApi } from './core-api.fixture.ts';
import { registrationFlags } from './flags.ts';
import { ServerRegistration } from './server-registration.ts';

describe('a server that registers itself', () => {
  let api: CoreApi;
  let directory: string;
  let lines: string[];
  beforeEach(() => {
    api = new CoreApi();
    directory = mkdtempSync(join(tmpdir(), 'apichain-registration-'));
    lines = [];
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const report = (line: string) => void lines.push(line);
  const open = (args: readonly string[], apiServerUrl = 'https://127.0.0.1:6443') => {
    const server = {
      name: 'wardle',
      groupVersions: ['wardle.example.com/v1'],
      client: api.client,
      apiServerUrl,
      kubeconfig: undefined,
      dataDirectory: directory,
    };
    return ServerRegistration.open(server, parseFlags(serviceFlags(registrationFlags), args));
  };
  const apiServiceSpec = () => api.find('APIService', 'v1.wardle.example.com')?.['spec'] as Record<string, unknown>;
  const caBundle = () => Buffer.from(String(apiServiceSpec()['caBundle']), 'base64').toString('utf8');

  it('is registered at its address, with the authority of the certificate that was made', async () => {
    const registration = await open([]);
    const file = registration.certificateFile ?? '';
    assert.equal(file, join(directory, 'serving', 'serving.pem'));
    await registration.register(8443, report);
    assert.deepEqual(apiServiceSpec()['service'], { namespace: 'default', name: 'wardle', port: 8443 });
    assert.deepEqual((api.find('Service', 'wardle')?.['spec'] as { externalName: string }).externalName, '127.0.0.1');
    assert.ok(readFileSync(join(directory, 'serving', 'serving-ca.pem'), 'utf8').startsWith(caBundle()));
    registration.close();
    assert.ok(existsSync(file));
  });

  it('has the same authority after a restart, and registers nothing anew', async () => {
    await (await open([])).register(8443, report);
    const before = [...api.objects.values()];
    await (await open([])).register(8443, report);
    assert.deepEqual([...api.objects.values()], before);
  });

  it('is registered behind its Service', async () => {
    const registration = await open(['--register-service=ns/api:8443', '--cert-secret']);
    await registration.register(6443, report);
    assert.deepEqual(apiServiceSpec()['service'], { namespace: 'ns', name: 'api', port: 8443 });
    assert.equal(api.find('Secret', 'wardle-serving-ca')?.metadata.namespace, 'ns');
    const file = registration.certificateFile ?? '';
    registration.close();
    assert.ok(!existsSync(dirname(file)), 'the authority is in the Secret');
  });

  it('is registered with the authority of a given certificate', async () => {
    const ca = await createCA('given');
    const pair = await issueServing(ca, 'wardle', ['wardle.default.svc']);
    const write = (name: string, text: string) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const given = [
      `--tls-cert-file=${write('tls.crt', pair.certificate)}`,
      `--tls-private-key-file=${write('tls.key', pair.key)}`,
    ];
    const registration = await open([...given, `--register-ca-file=${write('ca.crt', ca.certificate)}`]);
    assert.equal(registration.certificateFile, undefined);
    await registration.register(8443, report);
    assert.equal(caBundle(), ca.certificate);
    await assert.rejects(open(given), /^FlagError: --register with --tls-cert-file needs --register-ca-file/);
    const secret = `--register-ca-file=${write('ca.key', ca.key)}`;
    await assert.rejects(open([...given, secret]), /^FlagError: --register-ca-file: it contains a private key/);
  });

  it('is removed completely', async () => {
    const registration = await open(['--cert-secret']);
    await registration.register(8443, report);
    assert.ok(api.objects.size > 5);
    await registration.unregister(report);
    registration.close();
    assert.equal(api.objects.size, 0);
  });

  it('tells the operator that a loopback address may not be reachable', async () => {
    const registration = await open(['--bind-address=127.0.0.1'], 'https://api.example.com');
    await registration.register(8443, report);
    assert.match(lines[0] ?? '', /^note: https:\/\/api.example.com may be on another machine/);
  });

  it('refuses invalid flags in one line', async () => {
    const refused = (pattern: RegExp, ...args: string[]) => assert.rejects(open(args), pattern);
    await refused(/^FlagError: --register-service: "api" is not NAMESPACE\/NAME/, '--register-service=api');
    await refused(/^FlagError: --register-address: "host" is not HOST:PORT/, '--register-address=host');
    await refused(/exclude each other/, '--register-address=a:1', '--register-service=a/b');
    await refused(
      /--register-namespace is for a Service that is made/,
      '--register-namespace=a',
      '--register-service=a/b',
    );
    await refused(/--register-namespace: .*RFC 1123/, '--register-namespace=A/../b');
    await refused(/--register-ca-file needs --tls-cert-file/, '--register-ca-file=/dev/null');
    await refused(/^RegistrationError: .* cannot be (read|written): /, '--cert-dir=/dev/null/x');
  });

  it('stops its checks with the server', async () => {
    const registration = await open([]);
    await registration.register(8443, report);
    const stop = new AbortController();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    registration.run(createLogger('wardle', 0), stop.signal);
    stop.abort();
    assert.equal(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length, before);
  });
});
