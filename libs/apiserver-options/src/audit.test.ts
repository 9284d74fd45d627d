import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { serviceFlags } from './all-flags.ts';
import { auditOf } from './audit.ts';
import { FlagError } from './flag.ts';
import { parseFlags } from './parse-flags.ts';

describe('audit flags', () => {
  let directory: string;
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const policy = () => file('policy.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
  const audit = (...argv: string[]) => auditOf(parseFlags(serviceFlags(), argv), pino({ enabled: false }));
  const refuses = (message: string, ...argv: string[]) =>
    assert.throws(
      () => audit(...argv),
      (error) => error instanceof FlagError && error.message === message,
    );
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-audit-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('enable nothing without a policy or without a backend', () => {
    assert.equal(audit(), undefined);
    assert.equal(audit(`--audit-log-path=${join(directory, 'a.log')}`), undefined);
    assert.equal(audit(`--audit-policy-file=${policy()}`), undefined);
  });

  it('combine backends', async () => {
    const log = `--audit-log-path=${join(directory, 'logs', 'a.log')}`;
    const kubeconfig = `
current-context: c
contexts: [{name: c, context: {cluster: s, user: u}}]
clusters: [{name: s, cluster: {server: "http://127.0.0.1:1/audit"}}]
users: [{name: u, user: {}}]
`;
    const webhook = `--audit-webhook-config-file=${file('kubeconfig', kubeconfig)}`;
    const given = `--audit-policy-file=${policy()}`;
    for (const [name, ...argv] of [
      ['ignoreErrors<log>', log],
      ['log', log, '--audit-log-mode=blocking-strict'],
      ['buffered<webhook>', webhook],
      [
        'union[truncate<buffered<log>>,webhook]',
        log,
        '--audit-log-mode=batch',
        '--audit-log-truncate-enabled',
        webhook,
        '--audit-webhook-mode=blocking-strict',
      ],
    ] as const) {
      const { backend } = audit(given, ...argv) ?? {};
      assert.equal(backend?.name, name);
      await backend.close();
    }
    assert.ok(existsSync(join(directory, 'logs', 'a.log')));
  });

  it('are refused with the messages of kube-apiserver', () => {
    const log = `--audit-log-path=${join(directory, 'a.log')}`;
    refuses(
      'invalid audit log mode odd, allowed modes are "batch,blocking,blocking-strict"',
      log,
      '--audit-log-mode=odd',
    );
    refuses(
      `[invalid audit log format xml, allowed formats are "legacy,json", --audit-log-maxage -1 can't be a negative number]`,
      log,
      '--audit-log-format=xml',
      '--audit-log-maxage=-1',
    );
    refuses(
      'invalid audit batch log buffer size 0, must be a positive number',
      log,
      '--audit-log-mode=batch',
      '--audit-log-batch-buffer-size=0',
    );
    refuses(
      'invalid audit truncate log max batch size 5, must be greater than max event size (102400)',
      log,
      '--audit-log-truncate-max-batch-size=5',
    );
    refuses('invalid group version, allowed versions are ["audit.k8s.io/v1"]', log, '--audit-log-version=v2');
    refuses(
      'loading audit policy file: failed to read file path "/nope": open /nope: no such file or directory',
      '--audit-policy-file=/nope',
    );
    const given = `--audit-policy-file=${policy()}`;
    refuses(
      'initializing audit webhook: stat /nope: no such file or directory',
      given,
      '--audit-webhook-config-file=/nope',
    );
    const blocked = file('plain', '');
    refuses(`ensureLogFile: mkdir ${blocked}: not a directory`, given, `--audit-log-path=${join(blocked, 'a.log')}`);
  });
});
