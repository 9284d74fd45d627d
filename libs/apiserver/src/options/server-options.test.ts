import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCA } from '@apichain/serving';
import { serviceFlags } from '@apichain/apiserver-options';
import { featureGatesOf } from '@apichain/apiserver-options';
import { FlagError } from '@apichain/apiserver-options';
import { helpText } from '@apichain/apiserver-options';
import { parseFlags } from '@apichain/apiserver-options';
import { etcdOptions, serverConfig } from './server-options.ts';

const parse = (...argv: string[]) => parseFlags(serviceFlags(), argv);
const refuses = (message: string, ...argv: string[]) =>
  assert.throws(
    () => parse(...argv),
    (error) => error instanceof FlagError && error.message === message,
  );

describe('flags', () => {
  it('are written as for kube-apiserver', () => {
    const flags = parse(
      '--etcd-servers=http://a:2379,http://b:2379',
      '--etcd_prefix',
      '/x',
      '--secure-port',
      '0',
      '--anonymous-auth=false',
      '-v=4',
      '--request-timeout=1m30s',
      '--feature-gates',
      'A=true,B=false',
      '--feature-gates=C=true',
      '--logging-format=json',
    );
    assert.deepEqual(etcdOptions(flags).servers, ['http://a:2379', 'http://b:2379']);
    assert.equal(flags.string('etcd-prefix'), '/x');
    assert.equal(flags.number('secure-port'), 0);
    assert.equal(flags.bool('anonymous-auth'), false);
    assert.equal(flags.number('v'), 4);
    assert.equal(flags.duration('request-timeout'), 90_000);
    assert.deepEqual(
      [...flags.map('feature-gates')],
      [
        ['A', 'true'],
        ['B', 'false'],
        ['C', 'true'],
      ],
    );
    assert.deepEqual(flags.warnings, ['--logging-format is accepted but has no effect']);
    assert.equal(flags.isSet('secure-port'), true);
    assert.equal(flags.isSet('bind-address'), false);
    assert.equal(parse('--version').string('version'), 'true');
  });

  it('make an absolute, clean path of the prefix of keys', () => {
    const prefix = (...argv: string[]) => etcdOptions(parse('--etcd-servers=http://a:2379', ...argv)).prefix;
    assert.equal(prefix(), '/registry');
    for (const [given, expected] of [
      ['kubernetes.io', '/kubernetes.io'],
      ['a/registry/', '/a/registry'],
      ['//a//b/../c', '/a/c'],
      ['/', ''],
    ] as const)
      assert.equal(prefix(`--etcd-prefix=${given}`), expected);
  });

  it('select resources without a watch cache', () => {
    const servers = '--etcd-servers=http://a:2379';
    const uncached = (...argv: string[]) => etcdOptions(parse(servers, ...argv)).uncached;
    assert.deepEqual([...uncached()], ['events', 'events.events.k8s.io']);
    assert.deepEqual(
      [...uncached('--watch-cache-sizes=events#100,deployments.apps#0,events.events.k8s.io#1')],
      ['deployments.apps'],
    );
    assert.equal(uncached('--watch-cache=false'), 'all');
    for (const [sizes, complaint] of [
      ['pods', 'invalid value of watch cache size: pods'],
      ['pods#x', 'invalid size of watch cache size: pods#x'],
      ['pods#-1', 'watch cache size cannot be negative: pods#-1'],
    ] as const) {
      assert.throws(() => uncached(`--watch-cache-sizes=${sizes}`), { message: complaint });
    }
  });

  it('select resources in another etcd', () => {
    const overrides = (value: string) =>
      etcdOptions(parse('--etcd-servers=http://a:1', `--etcd-servers-overrides=${value}`)).overrides;
    assert.deepEqual(overrides('/events#http://b:1;http://c:1,apps/*#d:1'), [
      { group: '', resource: 'events', servers: ['http://b:1', 'http://c:1'] },
      { group: 'apps', resource: '*', servers: ['d:1'] },
    ]);
    for (const value of ['events', 'events#http://b:1', '/events#', '/events#http://b:1;', 'a/b/c#d', '/events#a#b'])
      assert.throws(
        () => overrides(value),
        new FlagError(
          '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated',
        ),
        value,
      );
  });

  it('are refused in one line', () => {
    refuses('unknown flag: --nope', '--nope=1');
    refuses('unknown flag: --autorization-mode; did you mean --authorization-mode?', '--autorization-mode=RBAC');
    refuses('flag needs an argument: --etcd-servers', '--etcd-servers');
    refuses(
      'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
      '--secure-port=x',
    );
    refuses(
      'invalid argument "5" for "--request-timeout" flag: time: missing unit in duration "5"',
      '--request-timeout=5',
    );
    refuses('invalid argument "here" for "--bind-address" flag: failed to parse IP: "here"', '--bind-address=here');
    refuses(
      'invalid argument "99999999999999999999" for "--secure-port" flag: strconv.ParseInt: parsing "99999999999999999999": value out of range',
      '--secure-port=99999999999999999999',
    );
    refuses('unexpected argument "serve": only flags are accepted', 'serve');
  });

  it('configure the limits of requests', async () => {
    const parts = { name: 'test', stores: () => undefined, reachesAccounts: false, installer: () => assert.fail() };
    const configOf = (...argv: string[]) => serverConfig(parse(...argv), parts);
    const config = await configOf('--goaway-chance=0.01', '--livez-grace-period=30s', '--shutdown-send-retry-after');
    assert.equal(config.priorityAndFairness, true);
    assert.deepEqual(
      [config.limits.goawayChance, config.limits.livezGraceMs, config.limits.shutdownSendRetryAfter],
      [0.01, 30_000, true],
    );
    assert.equal((await configOf('--enable-priority-and-fairness=false')).priorityAndFairness, false);
    const none = ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0'];
    await configOf('--enable-priority-and-fairness=false', ...none);
    await assert.rejects(configOf(...none), /they must add up to something positive$/);
    await assert.rejects(
      configOf('--goaway-chance=0.1'),
      /--goaway-chance can not be less than 0 or greater than 0.02/,
    );
  });

  it('accept the other flags of kube-apiserver, and document their own', () => {
    assert.equal(parse('--vmodule=a=1', '--service-cluster-ip-range=10.0.0.0/16').warnings.length, 2);
    const text = helpText('kube-core', 'Serves.', serviceFlags());
    assert.match(text, /--etcd-servers strings/);
    assert.doesNotMatch(text, /logging-format/);
    const groups = [...text.matchAll(/^(.*) flags:$/gm)].map(([, name]) => name);
    const own = ['Delegation'];
    const access = ['Authentication', 'Authorization', 'API enablement'];
    assert.deepEqual(groups, [
      ...['Generic', 'Etcd', 'Secure serving', 'Auditing', 'Features', ...access, ...own],
      ...['Logs', 'Traces', 'Misc', 'Global'],
    ]);
  });

  it('become a server config, or a message that names the flag', async () => {
    const parts = {
      name: 'test',
      stores: () => undefined,
      reachesAccounts: false,
      installer: () => ({ handle: () => Promise.resolve() }),
    };
    const config = await serverConfig(parse('--secure-port=0', '--authorization-mode=AlwaysDeny'), parts);
    assert.match(config.serving.certificate, /BEGIN CERTIFICATE/);
    assert.equal(config.limits.maxRequestsInFlight, 400);
    await assert.rejects(serverConfig(parse('--client-ca-file=/nope'), parts), /--client-ca-file: cannot read \/nope/);
    await assert.rejects(serverConfig(parse('--secure-port=70000'), parts), /--secure-port 70000 must be between/);
    await assert.rejects(
      serverConfig(parse('--authorization-mode=Odd'), parts),
      /^FlagError: authorization-mode "Odd" is not a valid mode$/,
    );
    await assert.rejects(
      serverConfig(parse('--authorization-mode=RBAC,RBAC', '--authorization-policy-file=x'), parts),
      /^FlagError: \[cannot specify --authorization-policy-file without mode ABAC, authorization-mode \["RBAC" "RBAC"\] has mode specified more than once\]$/,
    );
    await assert.rejects(
      serverConfig(parse('--authorization-mode=RBAC', '--authorization-config=x'), parts),
      /^FlagError: --authorization-config can not be specified when --authorization-mode or --authorization-webhook-\* flags are defined$/,
    );
    const curves = await serverConfig(parse('--tls-curve-preferences=29,23'), parts);
    assert.equal(curves.serving.handshake?.ecdhCurve, 'X25519:prime256v1');
    for (const [flag, why] of [
      ['--tls-curve-preferences=5', /^FlagError: curve preference 5 is not supported/],
      ['--storage-backend=etcd2', /^FlagError: --storage-backend invalid, allowed values: etcd3/],
      [
        '--storage-initialization-timeout=-1s',
        /^FlagError: --storage-initialization-timeout can not be negative value$/,
      ],
      ['--coordinated-leadership-lease-duration=1s', /-lease-duration must be greater than .*-renew-deadline$/],
      ['--apiserver-count=0', /^FlagError: --apiserver-count should be a positive number, but value '0' provided$/],
      ['--requestheader-group-headers=X-Remote-Group,', /^FlagError: empty value in "requestheader-group-headers"$/],
      ['--requestheader-uid-headers=X-Uid', /is set without specifying the standard X-Remote-Uid header/],
      ['--livez-grace-period=-1s', /^FlagError: --livez-grace-period can not be a negative value$/],
      ['--logging-format=xml', /^FlagError: format: Invalid value: "xml": Unsupported log format$/],
      ['--egress-selector-config-file=/nope', /from "\/nope" \[open \/nope: no such file or directory\]$/],
    ] as const)
      await assert.rejects(serverConfig(parse(flag), parts), why);
    await assert.rejects(
      serverConfig(parse('--authentication-config=/nope'), parts),
      /^FlagError: failed to load authentication configuration from file "\/nope": open \/nope: no such file or directory$/,
    );
    await assert.rejects(
      serverConfig(parse('--oidc-issuer-url=http://x', '--oidc-client-id=x'), parts),
      /^FlagError: invalid authentication configuration: jwt\[0\].issuer.url: Invalid value: "http:\/\/x": URL scheme must be https$/,
    );
  });

  it('refuse a client CA as the CA of front proxies', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-options-'));
    try {
      const file = (name: string, text: string) => {
        writeFileSync(join(directory, name), text);
        return join(directory, name);
      };
      const [one, other] = [await createCA('one'), await createCA('other')];
      const clients = `--client-ca-file=${file('clients.crt', one.certificate)}`;
      const both = `--requestheader-client-ca-file=${file('both.crt', `${other.certificate}${one.certificate}`)}`;
      const config = (...argv: string[]) =>
        serverConfig(parse(...argv), {
          name: 'test',
          stores: () => undefined,
          reachesAccounts: false,
          installer: () => assert.fail(),
        });
      await assert.rejects(
        config(clients, both),
        /contain overlapping certificates; --requestheader-allowed-names must/,
      );
      await config(clients, both, '--requestheader-allowed-names=proxy');
      await config(clients, `--requestheader-client-ca-file=${file('other.crt', other.certificate)}`);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('accept only safe regular expressions and header directives', async () => {
    const config = (...argv: string[]) =>
      serverConfig(parse('--bind-address=127.0.0.1', ...argv), {
        name: 'test',
        stores: () => undefined,
        reachesAccounts: false,
        installer: () => {
          throw new Error('no groups in this test');
        },
      });
    const good = await config(
      '--cors-allowed-origins=//example.com(:|$),^https://a.b$',
      '--strict-transport-security-directives=max-age=31536000,includeSubDomains,preload',
    );
    assert.deepEqual(good.corsAllowedOrigins, ['//example.com(:|$)', '^https://a.b$']);
    assert.deepEqual(good.strictTransportSecurityDirectives, ['max-age=31536000', 'includeSubDomains', 'preload']);
    for (const [flag, message] of [
      ['--cors-allowed-origins=example.com', /does not pin to start\/end of host in the origin header/],
      ['--cors-allowed-origins=//(:', /^--cors-allowed-origins has an invalid regular expression: /],
      ['--strict-transport-security-directives=max-age', /invalid, allowed values: max-age=expireTime/],
      ['--strict-transport-security-directives=a,,b', /-security-directives/],
    ] as const) {
      await assert.rejects(config(flag), (error) => error instanceof FlagError && message.test(error.message), flag);
    }
  });

  it('accept the registered feature gates', () => {
    const known = {
      known: () => ({
        Beta: { default: true, stage: 'Beta' },
        WatchList: { default: true, stage: 'Beta' },
        Fixed: { default: true, stage: 'GA', locked: true },
      }),
      open: (given: ReadonlyMap<string, string>) => (gate: string) => given.get(gate) !== 'false',
    };
    const flags = parse('--feature-gates=Beta=false,WatchList=false,Fixed=true');
    const gates = featureGatesOf(flags, known);
    assert.deepEqual(['Beta', 'WatchList', 'Fixed'].map(gates.isOpen), [false, false, true]);
    // Another server of the chain reads the same flags.
    featureGatesOf(flags.withStrings({}), known);
    assert.deepEqual(flags.warnings, ['--feature-gates: Beta=false is accepted but without effect']);
    assert.deepEqual(
      [...featureGatesOf(parse('--feature-gates=Beta=false,AllAlpha=true'), known).given],
      [
        ['Beta', 'false'],
        ['AllAlpha', 'true'],
      ],
    );
    for (const [given, why] of [
      ['Gone=true', 'unrecognized feature gate: Gone'],
      ['Fixed=false', 'cannot set feature gate Fixed to false, feature is locked to true'],
      ['Beta=x', 'invalid value of Beta=x, err: strconv.ParseBool: parsing "x": invalid syntax'],
    ] as const) {
      assert.throws(
        () => featureGatesOf(parse(`--feature-gates=${given}`), known),
        new FlagError(`invalid argument "${given}" for "--feature-gates" flag: ${why}`),
      );
    }
  });
});
