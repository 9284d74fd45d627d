import { strict as assert } from 'node:assert';
import { lines } from './errors.fixture.ts';
import * as formats from './formats.ts';
import { containerResourceName, quotaResourceName, resourceListErrors } from './resources.ts';
import { collect } from './rules.ts';

const check = (
  rule: (out: Parameters<typeof formats.portOrName>[0], path: string, value: string) => void,
  value: string,
) => lines(collect((out) => rule(out, 'f', value)));

describe('formats', () => {
  it('knows domain-prefixed paths', () => {
    assert.deepEqual(check(formats.domainPrefixedPath, 'acme.io/foo'), []);
    assert.deepEqual(check(formats.domainPrefixedPath, ''), ['f: Required value']);
    assert.deepEqual(check(formats.domainPrefixedPath, 'nope'), [
      'f: Invalid value: "nope": must be a domain-prefixed path (such as "acme.io/foo")',
    ]);
  });
  it('knows signer names', () => {
    assert.deepEqual(check(formats.signerName, 'example.com/s'), []);
    assert.deepEqual(check(formats.signerName, 'nodomain'), [
      `f: Invalid value: "nodomain": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ]);
    assert.deepEqual(check(formats.signerName, 'local/s'), [
      'f: Invalid value: "local": should be a domain with at least two segments separated by dots',
    ]);
  });
  it('knows paths inside volumes', () => {
    assert.deepEqual(check(formats.localPath, '/a'), ['f: Invalid value: "/a": must be a relative path']);
    assert.deepEqual(check(formats.localPath, 'a/../b'), [`f: Invalid value: "a/../b": must not contain '..'`]);
    assert.deepEqual(check(formats.localPath, '..a'), [`f: Invalid value: "..a": must not start with '..'`]);
  });
  it('knows names of webhooks', () => {
    assert.deepEqual(check(formats.fullyQualifiedName, 'a.b.c'), []);
    assert.deepEqual(check(formats.fullyQualifiedName, 'a.b'), [
      'f: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ]);
  });
});

describe('resources', () => {
  it('refuses unknown names twice', () => {
    assert.equal(check(containerResourceName, 'foo').length, 2);
    assert.deepEqual(check(containerResourceName, 'example.com/gpu'), []);
    assert.deepEqual(check(quotaResourceName, 'storage'), [
      'f: Invalid value: "storage": must be a standard resource for quota',
    ]);
  });
  it('compares requests with limits', () => {
    const errors = (limits: Record<string, string>, requests: Record<string, string>) =>
      lines(collect((out) => resourceListErrors(out, 'r', { limits, requests }, containerResourceName)));
    assert.deepEqual(errors({ cpu: '1' }, { cpu: '1000m' }), []);
    assert.deepEqual(errors({ cpu: '1' }, { cpu: '2' }), [
      'r.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ]);
    assert.deepEqual(errors({}, { 'example.com/x': '1' }), [
      'r.limits: Required value: Limit must be set for non overcommitable resources',
    ]);
    assert.deepEqual(errors({ 'hugepages-2Mi': '3Mi', cpu: '1' }, {}), [
      'r.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ]);
    assert.deepEqual(errors({ 'hugepages-2Mi': '4Mi' }, { 'hugepages-2Mi': '4Mi' }), [
      'r: Forbidden: HugePages require cpu or memory',
    ]);
  });
});
