import assert from 'node:assert/strict';
import { helpText, parseFlags } from '@apichain/apiserver-options';
import { apiServerFlags } from './flags.ts';

describe('flags of an extension API server', () => {
  const help = helpText('water', 'Serves tanks.', apiServerFlags);

  it('are in the groups of kube-apiserver and in their order, before those of its own', () => {
    const groups = [...help.matchAll(/^(.*) flags:$/gm)].map(([, name]) => name);
    assert.deepEqual(groups, [
      ...['Generic', 'Etcd', 'Secure serving', 'Auditing', 'Features', 'Authentication', 'Authorization', 'Admission'],
      ...['Core API', 'Registration', 'Logs', 'Traces', 'Global'],
    ]);
    const generic = help.slice(help.indexOf('Generic flags:'), help.indexOf('Etcd flags:'));
    for (const name of ['cors-allowed-origins', 'feature-gates', 'max-requests-inflight'])
      assert.ok(generic.includes(`--${name} `), name);
  });

  it('are not those of built-in resources and of the chain', () => {
    for (const name of ['apis', 'event-ttl', 'runtime-config', 'delegate-url', 'service-account-issuer']) {
      assert.ok(!help.includes(`--${name} `), name);
      assert.throws(() => parseFlags(apiServerFlags, [`--${name}=1`]), { message: `unknown flag: --${name}` });
    }
  });

  it('are accepted if they are those of a Go server, with a warning if they have no effect', () => {
    const { warnings } = parseFlags(apiServerFlags, [
      '--lease-reuse-duration-seconds=30',
      '--delete-collection-workers=2',
    ]);
    assert.deepEqual(warnings, ['--lease-reuse-duration-seconds is accepted but has no effect']);
    assert.ok(!help.includes('lease-reuse'));
  });
});
