import assert from 'node:assert/strict';
import { parseControllersFlags } from './flags.ts';

describe('parseControllersFlags', () => {
  const parse = (...args: string[]) => parseControllersFlags(['--kubeconfig=k', ...args]);

  it("has kube-controller-manager's defaults", () => {
    const { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs, concurrentGcSyncs, controllers } = parse();
    assert.deepEqual(
      { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs, concurrentGcSyncs, controllers },
      {
        leaderElect: true,
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
        concurrentGcSyncs: 20,
        controllers: ['*'],
      },
    );
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
    assert.equal(parse().clusterSigningDurationMs, 8_760 * 3_600_000);
    const { clusterSigning } = parse('--cluster-signing-cert-file=ca.crt', '--cluster-signing-key-file=ca.key');
    assert.deepEqual(clusterSigning, { certFile: 'ca.crt', keyFile: 'ca.key' });
    assert.throws(() => parse('--cluster-signing-cert-file=ca.crt'), /must be given together/);
  });
  it('reports invalid values', () => {
    assert.throws(() => parseControllersFlags([]), /--kubeconfig is required/);
    assert.throws(() => parse('--leader-elect-retry-period=soon'), /"soon" is not a duration/);
    assert.throws(() => parse('--leader-elect-renew-deadline=20s'), /must be longer than --leader-elect-renew/);
    assert.throws(() => parse('--concurrent-gc-syncs=0'), /"0" is not a positive number/);
    assert.throws(() => parse('--master=elsewhere'), /"elsewhere" is not a URL/);
    assert.throws(() => parse('--controllers=x'), /not in the list/);
  });
});
