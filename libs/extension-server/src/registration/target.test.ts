import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCaBundle } from './ca-bundle.ts';
import { parseRegisteredGroupVersion, versionPriority } from './group-versions.ts';
import { namespaceOf } from './kubeconfig-namespace.ts';
import { ownAddress } from './own-address.ts';
import { type AddressRouting, canBeEndpoint, parseAddress, parseServiceTarget, routingTo } from './target.ts';

describe('the target of a registration', () => {
  const address = (host: string, routing?: AddressRouting) =>
    routingTo('wardle', {
      address: { namespace: 'ns', host, port: 8443, ...(routing === undefined ? {} : { routing }) },
    });

  it('is an external name for host names, IPv4 and loopback addresses', () => {
    const names = { localhost: 'localhost', '192.0.2.7': '192.0.2.7', '::1': 'localhost', '0:0::1': 'localhost' };
    for (const [host, externalName] of Object.entries(names)) {
      const { objects, service, note } = address(host);
      assert.deepEqual(
        objects.map(({ kind }) => kind),
        ['Service'],
      );
      assert.equal((objects[0]?.['spec'] as { externalName: string }).externalName, externalName);
      assert.deepEqual(service, { namespace: 'ns', name: 'wardle', port: 8443 });
      assert.equal(note, undefined);
    }
  });

  it('is an endpoint for IPv6 addresses, and for others on request', () => {
    const types = { 'fd00::7': 'IPv6', '192.0.2.7': 'IPv4' };
    for (const [host, addressType] of Object.entries(types)) {
      const { objects, service, note } = address(host, 'EndpointSlice');
      assert.equal(objects[1]?.['addressType'], addressType);
      assert.equal(objects[1]?.metadata.labels?.['kubernetes.io/service-name'], 'wardle');
      assert.equal(service.port, 443);
      assert.match(note ?? '', /only with --enable-aggregator-routing/);
    }
    assert.equal(address('fd00::7').objects.length, 2);
    assert.ok(!canBeEndpoint('127.0.0.2') && !canBeEndpoint('::1') && !canBeEndpoint('host.example.com'));
  });

  it('is an annotation of APIServices for an API server without Services', () => {
    for (const [host, annotation] of Object.entries({ '192.0.2.7': '192.0.2.7:8443', 'fd00::7': '[fd00::7]:8443' })) {
      const routing = address(host, 'annotation');
      assert.deepEqual(routing, {
        service: { namespace: 'ns', name: 'wardle', port: 8443 },
        objects: [],
        annotations: { 'apichain/address': annotation },
      });
    }
  });

  it('is parsed, or refused in one line', () => {
    assert.deepEqual(parseAddress('host.example.com:8443'), { host: 'host.example.com', port: 8443 });
    assert.deepEqual(parseAddress('[fd00::1]:1'), { host: 'fd00::1', port: 1 });
    for (const text of ['host', 'host:', ':1', 'fd00::1', '[host]:1', 'a:b:1', 'host:1x'])
      assert.throws(() => parseAddress(text), /is not HOST:PORT/, text);
    assert.throws(() => parseAddress('host:65536'), /between 1 and 65535/);
    assert.throws(() => parseAddress('Host_:1'), /RFC 1123/);
    assert.deepEqual(parseServiceTarget('ns/api'), { namespace: 'ns', name: 'api', port: 443 });
    assert.deepEqual(parseServiceTarget('ns/api:8443'), { namespace: 'ns', name: 'api', port: 8443 });
    for (const text of ['api', 'ns/', '/api', 'ns/api:', 'ns/api/x', 'ns/api:x'])
      assert.throws(() => parseServiceTarget(text), /is not NAMESPACE\/NAME/, text);
    assert.throws(() => parseServiceTarget('ns/api:0'), /between 1 and 65535/);
    assert.throws(() => parseServiceTarget('ns/1api'), /DNS-1035/);
  });

  it('has group-versions with priorities by their stability', () => {
    assert.deepEqual(parseRegisteredGroupVersion('a.b/v1'), { group: 'a.b', version: 'v1' });
    for (const text of ['v1', '/v1', 'a.b/', 'a/b/c'])
      assert.throws(() => parseRegisteredGroupVersion(text), /is not a/);
    assert.throws(() => parseRegisteredGroupVersion('A/v1'), /RFC 1123/);
    const ordered = ['v1', 'v2beta1', 'v3alpha1', 'latest'].map(versionPriority);
    assert.deepEqual(
      ordered,
      ordered.toSorted((a, b) => b - a),
    );
    assert.equal(new Set(ordered).size, ordered.length);
    assert.equal(versionPriority('v2'), versionPriority('v1'), 'aggregators order equal ones by their numbers');
  });

  it('is the address on the way to the API server for a server that listens on all addresses', async () => {
    for (const all of ['0.0.0.0', '::', '']) assert.equal(await ownAddress(all, 'https://127.0.0.1:6443'), '127.0.0.1');
    assert.equal(await ownAddress('192.0.2.7', 'https://127.0.0.1:6443'), '192.0.2.7');
    await assert.rejects(ownAddress('0.0.0.0', 'https://no-such-host.invalid'), /name it with --register-address$/);
  });

  it('is in the namespace of the context or of the pod', () => {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-registration-'));
    const file = join(directory, 'file');
    const context = (namespace: string) =>
      `contexts: [{name: a, context: {namespace: wrong}}, {name: b, context: {cluster: c${namespace}}}]\ncurrent-context: b`;
    try {
      writeFileSync(file, context(', namespace: ns'));
      assert.equal(namespaceOf(file), 'ns');
      writeFileSync(file, context(''));
      assert.equal(namespaceOf(file), 'default');
      writeFileSync(file, '{');
      assert.throws(() => namespaceOf(file), /^RegistrationError: .* cannot be read: /);
      writeFileSync(file, 'pod-ns\n');
      assert.equal(namespaceOf(undefined, file), 'pod-ns');
      assert.equal(namespaceOf(undefined, join(directory, 'none')), 'default');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('has a bundle of certificates only', () => {
    assert.throws(() => checkCaBundle('nothing'), /does not contain certificates/);
    const pem = (type: string) => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;
    assert.throws(() => checkCaBundle(pem('EC PRIVATE KEY')), /private key/);
    assert.throws(() => checkCaBundle(pem('CERTIFICATE')), /an invalid certificate/);
  });
});
