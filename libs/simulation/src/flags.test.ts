import assert from 'node:assert/strict';
import { parseSimulationFlags } from './flags.ts';

describe('parseSimulationFlags', () => {
  const kubeconfig = '--kubeconfig=a';

  it('has three nodes and an elected scheduler by default', () => {
    const { nodes, scheduler, leaderElect, kubelet, stages } = parseSimulationFlags([kubeconfig]);
    assert.deepEqual(
      { nodes, scheduler, leaderElect, kubelet, stages },
      {
        ...{ nodes: 3, scheduler: true, leaderElect: true, kubelet: undefined, stages: [] },
      },
    );
    assert.equal(parseSimulationFlags(['--help']).help, true);
  });

  it('leaves nodes to another simulation', () => {
    assert.equal(parseSimulationFlags([kubeconfig, '--nodes=none']).nodes, 'none');
    assert.equal(parseSimulationFlags([kubeconfig, '--nodes=0']).nodes, 0);
    const idle = [kubeconfig, '--nodes=none', '--scheduler=false'];
    assert.throws(() => parseSimulationFlags(idle), /leave nothing to do/);
  });

  it('reads what kubelets are served with', () => {
    const serving = ['--tls-cert-file=c', '--tls-private-key-file=k', '--client-ca-file=a'];
    const flags = parseSimulationFlags([kubeconfig, ...serving, '--scheduler=false', '--stages=s', '--stages=t']);
    assert.deepEqual(flags.kubelet, { address: '127.0.0.1', certFile: 'c', keyFile: 'k', clientCaFile: 'a' });
    assert.equal(flags.scheduler, false);
    assert.deepEqual(flags.stages, ['s', 't']);
  });

  it('says in one line what is wrong', () => {
    assert.throws(() => parseSimulationFlags([]), /--kubeconfig is required/);
    for (const [wrong, message] of [
      ['--nodes=many', /--nodes: "many" is not a number of nodes/],
      ['--scheduler=maybe', /--scheduler: "maybe" is not true or false/],
      ['--tls-cert-file=c', /belong together/],
      ['--requestheader-client-ca-file=r', /needs --tls-cert-file/],
      ['--health-probe-bind-address=x', /--health-probe-bind-address: "x"/],
      ['--nods=3', /Unknown option '--nods'/],
    ] as const)
      assert.throws(() => parseSimulationFlags([kubeconfig, wrong]), message);
  });
});
