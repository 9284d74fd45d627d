/**
 * Measures chains of tests whose workloads are simulated, with the store in this process: what their start costs beside that of a chain without
 * workloads, how long a Deployment of three takes until it is ready, and a time in which a CronJob runs every ten minutes.
 *
 *   node tools/bench/test-chain.ts [--starts 20] [--deployments 10] [--hours 24]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { startChain, type StartChainOptions, type TestChain } from '@apichain/testing';
import { flags } from '../command/command.ts';
import { median } from '../command/table.ts';

const values = flags({
  starts: { type: 'string', default: '20' },
  deployments: { type: 'string', default: '10' },
  hours: { type: 'string', default: '24' },
})(process.argv.slice(2));

/** What something has taken, in milliseconds: processor time of this process, and time. */
class Costs {
  readonly #processor: number[] = [];
  readonly #time: number[] = [];

  async measure<T>(action: () => Promise<T>): Promise<T> {
    const used = process.cpuUsage();
    const began = performance.now();
    const result = await action();
    const { user, system } = process.cpuUsage(used);
    this.#processor.push((user + system) / 1e3);
    this.#time.push(performance.now() - began);
    return result;
  }

  report(what: string): void {
    report(`${what}: processor time`, median(this.#processor), 'ms');
    report(`${what}: time`, median(this.#time), 'ms');
  }
}

const report = (what: string, figure: number, unit: string) =>
  console.log(`${what.padEnd(56)} ${figure.toFixed(1).padStart(10)} ${unit}`);

const namespace = 'default';
const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespace };
const cronJobs = { group: 'batch', version: 'v1', resource: 'cronjobs', namespace };
const containers = [{ name: 'main', image: 'nginx:1.27' }];

/** The two kinds of chains are started in turn: the first of each kind warms the process up. */
async function measureStarts(count: number): Promise<void> {
  const kinds: readonly (readonly [string, Costs, StartChainOptions])[] = [
    ['start without workloads', new Costs(), {}],
    ['start with workloads', new Costs(), { workloads: true }],
  ];
  for (let i = 0; i <= count; i++)
    for (const [, costs, options] of kinds) {
      const chain = await (i === 0 ? startChain(options) : costs.measure(() => startChain(options)));
      await chain.stop();
      // What stopping leaves to be done must not be counted with the next start.
      await sleep(50);
    }
  for (const [what, costs] of kinds) costs.report(what);
}

async function measureDeployments(chain: TestChain, client: RestClient, count: number): Promise<void> {
  const costs = new Costs();
  for (let i = 0; i < count; i++) {
    const name = `web-${i}`;
    const labels = { app: name };
    const spec = {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    };
    await costs.measure(async () => {
      await client.create(deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec });
      await chain.workloads.ready(`deployment/${name}`);
    });
    await client.delete(deployments, name, { propagationPolicy: 'Background' });
    await chain.clock.advance('1m');
  }
  costs.report('a Deployment of three until it is ready');
}

async function measureCronJob(chain: TestChain, client: RestClient, hours: string): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers } };
  await client.create(cronJobs, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'backup' },
    spec: { schedule: '*/10 * * * *', jobTemplate: { spec: { template } } },
  });
  await chain.settle();
  const revision = async () => Number((await client.list(cronJobs)).metadata.resourceVersion);
  const before = await revision();
  const costs = new Costs();
  await costs.measure(() => chain.clock.advance(`${hours}h`));
  costs.report(`${hours} h with a CronJob every ten minutes`);
  report('writes meanwhile', (await revision()) - before, '');
}

if (Number(values.starts) > 0) await measureStarts(Number(values.starts));
const chain = await startChain({ workloads: true });
const client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
if (Number(values.deployments) > 0) await measureDeployments(chain, client, Number(values.deployments));
if (Number(values.hours) > 0) await measureCronJob(chain, client, values.hours);
await client.close();
await chain.stop();
