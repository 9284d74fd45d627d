import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Kubeconfig } from '@apichain/chain/setup';
import { hasErrorCode, parseYaml } from '@apichain/meta';
import { probe } from '../probe.ts';
import { isRunning, lockHolder, notedProcesses } from '../up/data-directory.ts';

/** A process of a chain. */
interface ProcessState {
  readonly name: string;
  readonly pid: number;
  /** The resident memory in bytes. Undefined where the system does not provide it. */
  readonly memory: number | undefined;
}

/** What is known of a chain that ended without being stopped: it, or the machine, was killed or crashed. */
interface KilledChain {
  /** The process that ran it. */
  readonly pid: number;
  /** When it last wrote to a log, in milliseconds, and the path of that log. Undefined when it wrote none. */
  readonly lastLog: { readonly file: string; readonly time: number } | undefined;
}

/** What a data directory tells about its chain. */
export interface ChainState {
  /** The data directory, absolute. */
  readonly directory: string;
  /** `ready` when /readyz of the chain returns 200. */
  readonly status: 'ready' | 'not ready' | 'stopped';
  /** The process that runs the chain. Undefined when it is stopped. */
  readonly pid: number | undefined;
  /** When the chain was started, in milliseconds. Undefined when it is stopped. */
  readonly startedAt: number | undefined;
  /** The URL at which clients reach the API. Undefined before the first start was complete. */
  readonly server: string | undefined;
  /** Where the chain keeps its objects, as a URL. Undefined when it is stopped. */
  readonly store: string | undefined;
  readonly kubeconfig: string;
  readonly processes: readonly ProcessState[];
  /** Set until the next start, or `apichain down`, if the chain is stopped because it was killed. */
  readonly killed: KilledChain | undefined;
  /** Why the chain is not ready. */
  readonly problem: string | undefined;
}

/** Whether a directory is the data directory of a chain. */
export const isChainDirectory = (root: string): boolean => existsSync(join(root, 'pki'));

/** The state of the chain of a data directory. A running chain is asked whether it is ready. */
export async function chainState(root: string): Promise<ChainState> {
  const kubeconfig = join(root, 'admin.kubeconfig');
  const pid = lockHolder(root);
  const cluster = clusterOf(kubeconfig);
  const server = cluster?.server;
  const stopped = { directory: root, status: 'stopped', pid, server, kubeconfig } as const;
  if (pid === undefined)
    return {
      ...stopped,
      startedAt: undefined,
      store: undefined,
      processes: [],
      killed: killedChain(root),
      problem: undefined,
    };
  const problem = await readiness(root, cluster);
  return {
    ...stopped,
    status: problem === undefined ? 'ready' : 'not ready',
    startedAt: statSync(join(root, 'lock'), { throwIfNoEntry: false })?.mtimeMs,
    store: textOf(join(root, 'store-url'))?.trim(),
    processes: processesOf(root, pid),
    killed: undefined,
    problem,
  };
}

/** A chain that stops removes its lock. One that was killed leaves it. */
function killedChain(root: string): KilledChain | undefined {
  const lock = textOf(join(root, 'lock'));
  if (lock === undefined) return undefined;
  const folder = join(root, 'logs');
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const logs = files.map((file) => ({ file, time: statSync(file).mtimeMs }));
  return { pid: Number(lock), lastLog: logs.sort((a, b) => b.time - a.time)[0] };
}

function processesOf(root: string, holder: number): ProcessState[] {
  const noted = [...notedProcesses(root)].filter(([, pid]) => pid !== holder);
  const all: [string, number][] = [['apichain', holder], ...noted];
  return all.filter(([, pid]) => isRunning(pid)).map(([name, pid]) => ({ name, pid, memory: residentMemory(pid) }));
}

function residentMemory(pid: number): number | undefined {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`) ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

type Cluster = Kubeconfig['clusters'][number]['cluster'];

function clusterOf(kubeconfig: string): Cluster | undefined {
  const text = textOf(kubeconfig);
  return text === undefined ? undefined : (parseYaml(Buffer.from(text)) as Kubeconfig).clusters[0]?.cluster;
}

/** Why the chain is not ready; undefined when it is. */
async function readiness(root: string, cluster: Cluster | undefined): Promise<string | undefined> {
  const pem = (file: string) => textOf(join(root, 'pki', file));
  const [cert, key] = [pem('admin.crt'), pem('admin.key')];
  if (cluster === undefined || cert === undefined || key === undefined) return 'it is still starting';
  const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString();
  return probe({ url: `${cluster.server}/readyz`, ca, cert, key });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // A process may end, and a chain may stop, while it is looked at.
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}
