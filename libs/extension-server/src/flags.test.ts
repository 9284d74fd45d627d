import assert from 'node:assert/strict';
import { checkFlagsWithoutEffectOfExtensionServer, helpText, parseFlags } from '@apichain/apiserver-options';
import { apiServerFlags } from './flags.ts';
import { createApiServer } from './server.ts';

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

  /** Flags of RecommendedOptions of k8s.io/apiserver 1.36, of component-base's versions and of its logs, which the server does not act on. */
  const withoutEffect = {
    'contention-profiling': 'true',
    'default-watch-cache-size': '100',
    'emulated-version': 'wardle=1.1',
    'enable-garbage-collector': 'true',
    'etcd-count-metric-poll-period': '1m',
    'etcd-db-metric-poll-interval': '30s',
    'log-flush-frequency': '5s',
    'log-json-info-buffer-size': '0',
    'logging-format': 'text',
    'min-compatibility-version': 'wardle=1.0',
    'permit-address-sharing': 'true',
    'permit-port-sharing': 'false',
    'storage-backend': 'etcd3',
    'storage-media-type': 'application/json',
    vmodule: 'a=1',
  };
  for (const [name, value] of Object.entries(withoutEffect))
    it(`include --${name}, with a warning`, () => {
      const flags = parseFlags(apiServerFlags, [`--${name}=${value}`]);
      assert.deepEqual(flags.warnings, [`--${name} is accepted but has no effect`]);
      checkFlagsWithoutEffectOfExtensionServer(flags);
    });

  const refused = {
    '--egress-selector-config-file=egress.yaml':
      '--egress-selector-config-file is not supported: this server connects to the core API, etcd and webhooks directly',
    '--storage-backend=etcd2':
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    '--logging-format=xml': 'format: Invalid value: "xml": Unsupported log format',
  };
  for (const [flag, message] of Object.entries(refused))
    it(`refuse ${flag} at the start`, async () => {
      const server = createApiServer({ name: 'water', resources: [] });
      await assert.rejects(server.start(['--memory', flag]), { message });
    });
});
