import assert from 'node:assert/strict';
import { parseFlags } from '@apichain/apiserver-options';
import { kubeCoreFlags, kubeCoreOptions } from './options.ts';

describe('the flags of kube-core', () => {
  const options = (...argv: string[]) =>
    kubeCoreOptions(parseFlags(kubeCoreFlags, ['--etcd-servers=http://127.0.0.1:1', ...argv]));

  it('are refused with one line when a value makes no sense', async () => {
    for (const [flag, why] of [
      ['--service-cluster-ip-range=nonsense', 'service-cluster-ip-range[0] is not a valid cidr'],
      ['--service-cluster-ip-range=10.0.0.0/24,nonsense', 'service-cluster-ip-range[1] is not an ip net'],
      [
        '--service-cluster-ip-range=10.0.0.0/30',
        'error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses',
      ],
      [
        '--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24',
        '--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family',
      ],
      [
        '--service-node-port-range=9-1',
        'invalid argument "9-1" for "--service-node-port-range" flag: end port cannot be less than start port: 9-1',
      ],
      [
        '--service-node-port-range=60000+6000',
        'invalid argument "60000+6000" for "--service-node-port-range" flag: the port range cannot be greater than 65535: 60000+6000',
      ],
      ['--kubernetes-service-node-port=80', "kubernetes service node port range 30000-32767 doesn't contain 80"],
      [
        '--advertise-address=here',
        'invalid argument "here" for "--advertise-address" flag: failed to parse IP: "here"',
      ],
      ['--service-account-issuer=', 'service-account-issuer should not be an empty string'],
      ['--service-account-issuer=https://a,https://a', 'service-account-issuer "https://a" is already specified'],
      ['--service-account-jwks-uri=http://a', 'service-account-jwks-uri requires https scheme, parsed as: http://a'],
    ] as const)
      await assert.rejects(async () => options(flag), { name: 'FlagError', message: why });
    const { kubernetesServiceNodePort } = await options(
      '--service-node-port-range=100+5',
      '--kubernetes-service-node-port=105',
    );
    assert.equal(kubernetesServiceNodePort, 105);
    await assert.rejects(options('--enable-admission-plugins=Nope'), /plugin "Nope" is unknown/);
    await assert.rejects(options('--endpoint-reconciler-type=x'), /must be lease or none/);
  });
});
