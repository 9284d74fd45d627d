import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@apichain/meta';
import { repository, startChain, type Chain } from './chain.ts';
import { succeeds } from './command-line.ts';

interface PodSpec {
  readonly containers: readonly { readonly args?: readonly string[] }[];
  readonly volumes?: readonly {
    readonly projected?: { readonly sources: readonly { readonly secret: { readonly name: string } }[] };
  }[];
}
interface Secret {
  readonly data: Readonly<Record<string, string>>;
}
interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: PodSpec };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}
interface List<Item> {
  readonly items: readonly Item[];
}

const restrictsNodes = '--enable-admission-plugins=NodeRestriction';

describe('the manifests of a deployment', function () {
  this.timeout(480_000);
  let chain: Chain;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'apichain-deploy-'));
    cpSync(join(repository, 'deploy/kustomize'), folder, { recursive: true });
    chain = await startChain({ args: ['--in-process', '--memory'] });
  });
  after(async () => {
    await chain.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const kubectl = (input: string | undefined, ...words: string[]) =>
    execFileSync('kubectl', ['--kubeconfig', chain.kubeconfig, ...words], {
      encoding: 'utf8',
      ...(input === undefined ? {} : { input }),
    });
  const workloadsOf = (namespace: string) =>
    (JSON.parse(kubectl(undefined, '-n', namespace, 'get', 'deployments,statefulsets', '-o', 'json')) as List<Workload>)
      .items;

  const argsOf = (workloads: readonly Workload[], name: string): readonly string[] =>
    workloads.find(({ metadata }) => metadata.name === name)?.spec.template.spec.containers[0]?.args ?? [];

  /** The flags of a manifest are flags of the service, and the files that they name are mounted. */
  const knowsItsFlags = ({ metadata, spec }: Workload) => {
    const program = join(repository, `apps/${metadata.name}/src/main.ts`);
    const help = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
    const sources = (spec.template.spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
    const files = sources.flatMap(({ secret: { name } }) => {
      const secret = kubectl(undefined, '-n', metadata.namespace, 'get', 'secret', name, '-o', 'json');
      return Object.keys((JSON.parse(secret) as Secret).data).map((file) => `/pki/${file}`);
    });
    for (const arg of spec.template.spec.containers[0]?.args ?? []) {
      const [flag = '', value = ''] = arg.split('=');
      assert.ok(help.includes(flag), arg);
      assert.ok(!value.startsWith('/pki/') || files.includes(value), arg);
    }
  };

  /** The pods of a workload are accepted in its namespace, which enforces the Pod Security Standard `restricted`. */
  const admitsPods = ({ metadata: { name, namespace }, spec }: Workload) => {
    const { template, volumeClaimTemplates: claims = [] } = spec;
    // The controller of StatefulSets adds the volumes of their claims.
    const claimed = claims.map(({ metadata }) => ({
      name: metadata.name,
      persistentVolumeClaim: { claimName: metadata.name },
    }));
    const podSpec = { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...claimed] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec: podSpec };
    kubectl(JSON.stringify(pod), 'create', '--dry-run=server', '-f', '-');
  };

  it('are accepted for a hosted control plane, and its pods are restricted', async () => {
    const pki = join(folder, 'hosted/pki');
    const kubeconfig = join(folder, 'hosted.kubeconfig');
    const hosts = 'aggregator,aggregator.apichain-system,kube-core,apiextensions';
    const servers = ['--services-server', 'https://aggregator:6443', '--server', 'https://127.0.0.1:6443'];
    await succeeds('certificates', '--pki-dir', pki, '--hosts', hosts, ...servers, '--kubeconfig', kubeconfig);
    assert.match(readFileSync(join(pki, 'services.kubeconfig'), 'utf8'), /server: https:\/\/aggregator:6443/);
    assert.equal(statSync(kubeconfig).uid, statSync(folder).uid);
    assert.equal(statSync(kubeconfig).mode & 0o077, 0);
    kubectl(undefined, 'apply', '--server-side', '--validate=strict', '-k', join(folder, 'hosted'));
    const workloads = workloadsOf('apichain-system');
    const replicas = Object.fromEntries(workloads.map(({ metadata, spec }) => [metadata.name, spec.replicas]));
    assert.deepEqual(replicas, { aggregator: 2, apiextensions: 2, controllers: 2, etcd: 3, 'kube-core': 2 });
    for (const workload of workloads) admitsPods(workload);
    assert.ok(argsOf(workloads, 'kube-core').includes(restrictsNodes));
    for (const workload of workloads) if (workload.metadata.name !== 'etcd') knowsItsFlags(workload);
  });

  it('add simulated nodes to a hosted control plane', () => {
    kubectl(undefined, 'apply', '--server-side', '--validate=strict', '-k', join(folder, 'hosted-simulation'));
    const workloads = workloadsOf('apichain-system');
    const simulation = workloads.find(({ metadata }) => metadata.name === 'simulation') ?? assert.fail();
    assert.equal(simulation.spec.replicas, 1);
    for (const workload of workloads) admitsPods(workload);
    assert.ok(argsOf(workloads, 'controllers').includes('--workload-controllers=true'));
    const core = argsOf(workloads, 'kube-core');
    assert.ok(core.includes(restrictsNodes) && core.includes('--enable-admission-plugins=ServiceAccount'));
    for (const workload of workloads) if (workload.metadata.name !== 'etcd') knowsItsFlags(workload);
  });

  it('are accepted for an extension API server', () => {
    kubectl(undefined, 'apply', '--server-side', '--validate=strict', '-k', join(folder, 'extension'));
    const workloads = workloadsOf('wardle');
    assert.deepEqual(
      workloads.map(({ metadata: { name } }) => name),
      ['wardle'],
    );
    for (const workload of workloads) admitsPods(workload);
  });

  interface ComposeFile {
    readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  }
  const composeFiles = ['docker-compose.yml', 'docker-compose.ha.yml'] as const;
  const compose = (file: string) => parseYaml(readFileSync(join(repository, file))) as ComposeFile;

  it('restrict nodes in the compose files, where nodes are authorized', () => {
    for (const file of composeFiles) {
      const command = compose(file).services['kube-core']?.['command'] as readonly string[];
      assert.ok(command.includes('--authorization-mode=Node,RBAC'), file);
      assert.ok(command.includes(restrictsNodes), file);
    }
  });

  it('simulate nodes on request, in both compose files with the same flags', () => {
    const [single, redundant] = composeFiles.map((file) => compose(file).services);
    assert.deepEqual(single?.['simulation']?.['profiles'], ['simulate']);
    const same = ['profiles', 'hostname', 'command', 'healthcheck'];
    for (const field of same) assert.deepEqual(redundant?.['simulation']?.[field], single?.['simulation']?.[field]);
    // The API server reaches the kubelets with a certificate of its own.
    const forKubelets = (services: ComposeFile['services'] | undefined) =>
      (services?.['kube-core']?.['command'] as readonly string[]).filter((flag) =>
        /kubelet|ADMISSION_PLUGINS/.test(flag),
      );
    assert.equal(forKubelets(single).length, 3);
    assert.deepEqual(forKubelets(redundant), forKubelets(single));
  });

  it('confine every container of the compose files', () => {
    for (const file of composeFiles) {
      const { services } = compose(file);
      for (const [name, service] of Object.entries(services)) {
        assert.equal(service['read_only'], true, name);
        assert.deepEqual(service['cap_drop'], ['ALL'], name);
        assert.ok(service['mem_limit'] !== undefined && service['pids_limit'] !== undefined, name);
        // The program that makes the certificates ends.
        assert.equal(service['healthcheck'] !== undefined, name !== 'certificates', name);
        if (['aggregator', 'kube-core', 'apiextensions', 'controllers', 'simulation'].includes(name))
          assert.equal(service['user'], '1000:1000', name);
      }
      const { ports } = services[file === 'docker-compose.yml' ? 'aggregator' : 'load-balancer'] ?? {};
      assert.deepEqual(ports, ['127.0.0.1:${APICHAIN_PORT:-6443}:6443']);
    }
  });
});
