import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@apichain/api/batch/v1';
import { RestClient, type ResourceReference, httpTransport, loadKubeconfig } from '@apichain/client';
import { certificateFiles, type CertificateFiles } from '@apichain/serving/certificate-files';
import { createCA } from '@apichain/serving/certificates';
import { startChain } from '@apichain/testing';
import { flagsAndArguments, runCommand } from '../command/command.ts';
import { compareTexts } from '../comparison/compare.ts';
import { Cluster, resources } from './batch-controllers/cluster.ts';
import { furtherSessions } from './batch-controllers/further-sessions.ts';
import { policySessions, withCertificateFacts } from './batch-controllers/policy-sessions.ts';
import { sessions as batchSessions } from './batch-controllers/sessions.ts';
import { storageSessions } from './batch-controllers/storage-sessions.ts';
import { settled } from './workload-controllers/settled.ts';
import { type Implementation, ours, theirs } from './workload-controllers/implementations.ts';
import { normalized } from './workload-controllers/normalized.ts';

const usage = `usage: node tools/compatibility/batch-controllers.ts KUBE_CONTROLLER_MANAGER [SESSION]...

Runs sessions with Jobs, CronJobs, Services, disruption budgets, autoscalers, nodes, volumes, quotas and certificates, at the same time on one chain,
with kube-controller-manager and then with our controllers, and compares all objects and events at the end. A third time, ours take over from
kube-controller-manager after 20 seconds. The exit code is 1 if anything differs.`;

const sessions = { ...batchSessions, ...furtherSessions, ...storageSessions, ...policySessions };

const controllers = [
  ...[
    'job',
    'cronjob',
    'endpoint',
    'endpointslice',
    'endpointslicemirroring',
    'disruption',
    'horizontalpodautoscaling',
  ],
  ...['podgc', 'taint-eviction-controller', 'nodelifecycle', 'replicaset', 'deployment', 'garbagecollector'],
  ...['persistentvolume-binder', 'persistentvolume-expander', 'attachdetach', 'pvc-protection', 'pv-protection'],
  ...['ephemeral-volume', 'volumeattributesclass-protection-controller', 'resourcequota'],
  ...['statefulset', 'csrapproving', 'csrsigning', 'csrcleaner'],
];
const compared: readonly ResourceReference[] = [
  ...Object.entries(resources)
    .filter(([name]) => name !== 'services')
    .map(([, resource]) => resource),
  { ...resources.resourcequotas, namespace: 'bounded' },
];
const takeoverMs = 20_000;

/** Events that come again as long as the session goes on. */
const repeated =
  /("(?:NoPods|UnmanagedPods|ExternalProvisioning|FailedBinding|ProvisioningFailed|VolumeMismatch)\\",.*\\",)\d+(,\{)/;

/** What the server or the time of the session chooses: names, uids of objects that are gone, ports, and how often something was tried. */
const withoutChance = (text: string): string =>
  text
    .replace(/\b(tick|swap|late|strict|wide)-\d{8}\b/g, '$1-MINUTE')
    .replace(/\b((?:tick|swap|late|strict|wide)-MINUTE|[a-z]+(?:-\d)?)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-NAME')
    .replace(/X509SHA256=[0-9a-f]{64}/g, 'CREDENTIAL')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'UID')
    .replace(/(resourceVersion: )"\d+"/, '$1VERSION')
    .replace(/( kubernetes .*port: )\d+/, '$1PORT')
    .replace(/(EndpointSlice .*generation: )\d+/, '$1GENERATION')
    .replace(/(HorizontalPodAutoscaler .*",)\d+(,\{)/, '$1COUNT$2')
    .replace(repeated, '$1COUNT$2');

const withoutEvents = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('Event '))
    .join('\n');

/** The state after all sessions, as text. */
async function stateAfter(
  start: Implementation,
  next: Implementation | undefined,
  only: readonly string[],
): Promise<string> {
  await using chain = await startChain();
  const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  const cluster = new Cluster(client);
  let running = start(chain);
  try {
    await waitUntilRunning(cluster);
    const chosen = Object.entries(sessions).filter(([name]) => only.length === 0 || only.includes(name));
    const takeover =
      next === undefined
        ? undefined
        : changeAfter(takeoverMs, async () => {
            await running.stop();
            running = next(chain);
          });
    await Promise.all([...chosen.map(([, session]) => session(cluster)), takeover]);
    const objects = await settled(client, compared);
    return normalized(objects.map(withCertificateFacts), withoutChance);
  } finally {
    await running.stop();
    await client.close();
  }
}

async function changeAfter(delayMs: number, change: () => Promise<void>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  await change();
}

/** Sessions begin when the controllers do something. */
async function waitUntilRunning(cluster: Cluster): Promise<void> {
  await cluster.create<Job>('jobs', {
    ...{ kind: 'Job', metadata: { name: 'first' } },
    spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
  });
  await cluster.until('the controllers run', async () => {
    const { status } = await cluster.get<Job>('jobs', 'first');
    return status?.conditions?.length === 1;
  });
  await cluster.delete('jobs', 'first');
}

/** An authority that both sign certificates with. */
async function writeSigner(): Promise<CertificateFiles> {
  const dir = mkdtempSync(join(tmpdir(), 'apichain-signer-'));
  const ca = await createCA('signer');
  const files = certificateFiles(dir, 'ca');
  writeFileSync(files.certFile, ca.certificate);
  writeFileSync(files.keyFile, ca.key, { mode: 0o600 });
  return files;
}

const parse = flagsAndArguments(1, {});

async function run({ arguments: [program = '', ...only] }: ReturnType<typeof parse>): Promise<number> {
  const signer = await writeSigner();
  const kubeControllerManager = theirs(program, controllers, signer);
  const expected = await stateAfter(kubeControllerManager, undefined, only);
  const rows: readonly [name: string, first: Implementation, next: Implementation | undefined][] = [
    ['apichain', ours(controllers, signer), undefined],
    ['apichain takes over', kubeControllerManager, ours(controllers, signer)],
  ];
  let differences = 0;
  for (const [name, first, next] of rows) {
    const actual = await stateAfter(first, next, only);
    // A kube-controller-manager that is stopped loses events, and its successor registers nodes again.
    const compared = next === undefined ? (text: string) => text : withoutEvents;
    const recorded = (of: string, text: string) => ({ name: of, texts: new Map([['objects', compared(text)]]) });
    differences += compareTexts(recorded('kube-controller-manager', expected), recorded(name, actual));
  }
  return differences === 0 ? 0 : 1;
}

await runCommand({ name: 'batch-controllers', usage, parse, run });
