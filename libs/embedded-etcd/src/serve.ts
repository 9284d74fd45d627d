import { parseArgs } from 'node:util';
import { errorMessage } from '@apichain/meta';
import { startEmbeddedEtcd, type EmbeddedEtcd } from './embedded-etcd.ts';

/*
 * Runs an embedded etcd in a separate process: the store of `apichain up` with several processes, and the counterpart of a real etcd in tests and
 * benchmarks.
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
    'quota-backend-bytes': { type: 'string', default: '0' },
  },
});
const { 'data-dir': dataDir, memory, 'listen-client-urls': address, 'checkpoint-bytes': checkpointBytes } = values;
let etcd: EmbeddedEtcd | undefined;
const stop = () => {
  if (etcd === undefined) process.exit(0);
  void etcd.close().then(() => process.exit(0));
};
// Before `ready` is written: whoever reads it may stop the process at once.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, stop);
// As in etcd, 0 is the default.
const quotaBytes = Number(values['quota-backend-bytes']);
try {
  etcd = await startEmbeddedEtcd({
    memory,
    listen: listenOf(address),
    onProblem: (problem) => {
      process.stderr.write(`embedded etcd: ${problem ?? 'the store can be written again'}\n`);
    },
    dataDir,
    ...(quotaBytes === 0 ? {} : { quotaBytes }),
    ...(checkpointBytes === undefined ? {} : { checkpointBytes: Number(checkpointBytes) }),
  });
  process.stdout.write(`ready ${etcd.url}\n`);
  // When a parent that started this process with a channel (apichain up) dies, this process must end too.
  process.channel?.unref();
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
}
