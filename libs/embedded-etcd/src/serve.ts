import { parseArgs } from 'node:util';
import { startEmbeddedEtcd } from './embedded-etcd.ts';

/*
 * An embedded etcd as a process of its own, for tests and benchmarks beside a real one:
 * node libs/embedded-etcd/src/serve.ts --data-dir DIR|--memory --listen-client-urls http://HOST:PORT|unix:///PATH
 */

function listenOf(address: string): { host: string; port: number } | { socketPath: string } {
  if (address.startsWith('unix://')) return { socketPath: address.slice('unix://'.length) };
  const { hostname, port } = new URL(address);
  return { host: hostname, port: Number(port) };
}

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    memory: { type: 'boolean', default: false },
    'listen-client-urls': { type: 'string', default: 'http://127.0.0.1:2379' },
    'checkpoint-bytes': { type: 'string' },
  },
});
const { 'data-dir': dataDir, memory, 'listen-client-urls': address, 'checkpoint-bytes': checkpointBytes } = values;
try {
  const etcd = await startEmbeddedEtcd({
    memory,
    listen: listenOf(address),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(checkpointBytes === undefined ? {} : { checkpointBytes: Number(checkpointBytes) }),
  });
  process.stdout.write(`ready ${etcd.url}\n`);
  const stop = () => {
    void etcd.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
