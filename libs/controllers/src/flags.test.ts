import assert from 'node:assert/strict';
import { parseControllersFlags } from './flags.ts';
import { parseSettings } from './settings.ts';

describe('parseControllersFlags', () => {
  const parse = (...args: string[]) => parseControllersFlags(['--kubeconfig=k', ...args]);

  it("has kube-controller-manager's defaults", () => {
    const { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs, settings, controllers } = parse();
    assert.deepEqual(
      { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs, controllers },
      {
        leaderElect: true,
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
        controllers: ['*'],
      },
    );
    assert.deepEqual(settings, parseSettings());
  });
  it('joins lists and reads booleans as Go does', () => {
    assert.deepEqual(parse('--controllers=*,-namespace', '--controllers=namespace').controllers, [
      '*',
      '-namespace',
      'namespace',
    ]);
    assert.equal(parse('--leader-elect').leaderElect, true);
    assert.equal(parse('--leader-elect=false').leaderElect, false);
  });
  it('takes the authority that signs certificates as two files', () => {
    assert.equal(parse().clusterSigning, undefined);
    const { clusterSigning } = parse('--cluster-signing-cert-file=ca.crt', '--cluster-signing-key-file=ca.key');
    assert.deepEqual(clusterSigning, { certFile: 'ca.crt', keyFile: 'ca.key' });
    assert.throws(() => parse('--cluster-signing-cert-file=ca.crt'), /must be given together/);
  });
  it('reads how the controllers work, as words or after an equals sign', () => {
    const { settings, controllers } = parse('--concurrent_rc_syncs', '9', '--node-monitor-grace-period=20s');
    assert.equal(settings['concurrent-rc-syncs'], 9);
    assert.equal(settings['node-monitor-grace-period'], 20_000);
    assert.deepEqual(controllers, ['*']);
    assert.throws(() => parse('--concurrent-rc-syncs'), /--concurrent-rc-syncs: "" is not a whole number/);
  });
  it('names the flags of kube-controller-manager that are not supported', () => {
    assert.throws(() => parse('--namespace-sync-period=5m'), /^Error: --namespace-sync-period is not supported: /);
  });
  it('reports invalid values', () => {
    assert.throws(() => parseControllersFlags([]), /--kubeconfig is required/);
    assert.throws(() => parse('--leader-elect-retry-period=soon'), /"soon" is not a duration/);
    assert.throws(() => parse('--leader-elect-renew-deadline=20s'), /must be longer than --leader-elect-renew/);
    assert.throws(
      () => parse('--concurrent-gc-syncs=0'),
      /--concurrent-gc-syncs: "0" is not a whole number \(1-10000\)/,
    );
    assert.throws(() => parse('--master=elsewhere'), /"elsewhere" is not a URL/);
    assert.throws(() => parse('--controllers=x'), /not in the list/);
  });
});
