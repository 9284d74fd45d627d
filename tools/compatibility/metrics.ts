import { readFileSync } from 'node:fs';
import type { Platform } from './platform.ts';
import type { Recording } from '../comparison/recording.ts';
import { createApiService, createLocalService, metricsServer, waitForAvailable } from './extension-servers.ts';
import { waitFor } from '../servers/process.ts';
import { kubelet } from '../servers/stand-ins.ts';

const apiService = 'v1beta1.metrics.k8s.io';

/** metrics-server with a kubelet of the test: `kubectl top`. */
export async function useMetricsServer(platform: Platform, record: Recording): Promise<void> {
  const files = await platform.servingFiles('kubelet');
  const node = await kubelet({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) });
  const server = await metricsServer(platform);
  try {
    await createNode(platform, node.port);
    await createPod(platform);
    await server.start();
    await createLocalService(platform, 'kube-system', 'metrics-server');
    const service = { namespace: 'kube-system', name: 'metrics-server', port: server.port };
    await createApiService(platform, apiService, service);
    record.figure('metrics-server: ms until Available', await waitForAvailable(platform, apiService, 'True'));
    let text = '';
    const hasMetrics = async () => {
      text = await platform.kubectl(['top', 'nodes', '--no-headers']);
      return !text.startsWith('exit');
    };
    record.figure('metrics-server: ms until top', await waitFor(hasMetrics, 60_000, () => text));
    const top = async (step: string, args: readonly string[]) =>
      record.text(`metrics-server: ${step}`, rounded(await platform.kubectl(['top', ...args])));
    await top('top nodes', ['nodes']);
    await top('top node', ['node', 'worker']);
    await top('top pods', ['pods']);
    await top('top pods of containers', ['pods', '--containers', '-A']);
    await top('top pods by label', ['pods', '-l', 'app=other']);
    await top('top pod not found', ['pod', 'nothing']);
    await top('top denied', ['pods', '--as=jane']);
    record.text(
      'metrics-server: api-resources',
      await platform.kubectl(['api-resources', '--api-group=metrics.k8s.io']),
    );
    record.text(
      'metrics-server: explain',
      await platform.kubectl(['explain', 'nodes.usage', '--api-version=metrics.k8s.io/v1beta1']),
    );
    record.text('metrics-server: get', await platform.kubectl(['get', 'podmetrics', '-A', '-o', 'name']));
  } finally {
    await server.stop();
    await node.close();
  }
}

/** Usage is measured over the time between two scrapes, which varies by some per mille. */
const rounded = (text: string): string =>
  text.replace(/\b(\d+)m\b/g, (_all, cores: string) => `${Math.round(Number(cores) / 50) * 50}m`);

async function createNode(platform: Platform, port: number): Promise<void> {
  await platform.create('/api/v1/nodes', { metadata: { name: 'worker', labels: { 'kubernetes.io/os': 'linux' } } });
  await platform.patch('/api/v1/nodes/worker/status', {
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      capacity: { cpu: '4', memory: '4Gi', pods: '110' },
      allocatable: { cpu: '4', memory: '4Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
}

async function createPod(platform: Platform): Promise<void> {
  await platform.create('/api/v1/namespaces/default/pods', {
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: { nodeName: 'worker', containers: [{ name: 'web', image: 'web' }] },
  });
  await platform.patch('/api/v1/namespaces/default/pods/web/status', { status: { phase: 'Running' } });
}
