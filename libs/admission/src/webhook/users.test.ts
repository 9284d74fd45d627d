import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadWebhookUsers } from './users.ts';

describe('the credentials for webhooks', () => {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-users-'));
  after(() => rmSync(directory, { recursive: true, force: true }));

  const users = (names: readonly string[], rest = '') => {
    const file = join(directory, 'kubeconfig');
    const list = names.map((name) => `{name: '${name}', user: {token: '${name}'}}`).join(', ');
    writeFileSync(file, `apiVersion: v1\nkind: Config\nusers: [${list}]\n${rest}`);
    return (target: string) => loadWebhookUsers(file)(target)?.authorization;
  };

  it('are found by host and port, by wildcard domain, or by *', () => {
    const find = users(['a.ns.svc:443', '*.ns.svc:8443', '*.svc', '*']);
    assert.equal(find('a.ns.svc:443'), 'Bearer a.ns.svc:443');
    assert.equal(find('b.ns.svc:8443'), 'Bearer *.ns.svc:8443');
    assert.equal(find('b.other.svc:443'), 'Bearer *.svc');
    assert.equal(find('b.other.svc:8443'), 'Bearer *');
  });

  it('are those of the current context, or none', () => {
    const context = 'contexts: [{name: x, context: {user: u}}]\ncurrent-context: x\n';
    assert.equal(users(['u'], context)('example.com:443'), 'Bearer u');
    assert.equal(users(['u'])('example.com:443'), undefined);
    assert.throws(() => loadWebhookUsers('/nowhere'), { message: 'stat /nowhere: no such file or directory' });
  });
});
