import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';

/** Where a process of a cluster runs. */
export interface Host {
  readonly name: string;
  /** The address on which the process listens, and at which others reach it. */
  readonly address: string;
  /** What precedes the command line of a process, so that it runs on this host. */
  readonly prefix: readonly string[];
}

/** The hosts of a cluster. */
export interface Network {
  /** Whether hosts have addresses and names of their own, and can be cut off. */
  readonly hasHosts: boolean;
  /** Adds a host. Others reach it by its name, and by the name of its service, which the hosts of a service share. */
  host(name: string, service: string): Host;
  /** A port of a host: the preferred one where the host has an address of its own, else a free one. */
  port(preferred: number): Promise<number>;
  /** Drops all packets from and to a host, except those that it sends to itself. Connections stay open and are silent. */
  cutOff(host: Host): void;
  join(host: Host): void;
}

/** Processes of this machine on loopback. Needs no privileges. */
export const loopback: Network = {
  hasHosts: false,
  host: (name) => ({ name, address: '127.0.0.1', prefix: [] }),
  port: () => freePort(),
  cutOff: ({ name }) => {
    throw new Error(`${name} cannot be cut off: it shares the network of this machine`);
  },
  join: () => undefined,
};

const run = (program: string, ...args: string[]): void => {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** Set in a process that has namespaces of its own. */
const insideVariable = 'APICHAIN_CHAOS_NAMESPACES';
const bridge = 'chaos0';

/** Whether this process may change its network and its mounts, because nobody else has them. */
export const isInNamespaces = (): boolean => process.env[insideVariable] === '1';

const unshare = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Why this process cannot have namespaces of its own. Undefined when it can. */
export function namespacesProblem(): string | undefined {
  const { status, stderr, error } = spawnSync('unshare', [...unshare, 'nft', 'list', 'ruleset'], { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : stderr.trim().split('\n')[0];
}

/**
 * Runs this program again in namespaces of its own for the network, mounts and processes: whatever it changes there, and all processes that it
 * starts, end with it. Returns the exit code.
 */
export async function runInNamespaces(): Promise<number> {
  const command = [...unshare, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn('unshare', command, { stdio: 'inherit', env: { ...process.env, [insideVariable]: '1' } });
  // The program ignores the signals that end this process, and ends everything inside when it is killed.
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('exit', end);
  return code ?? 1;
}

/**
 * A network namespace for each host, all joined by a bridge that this process reaches, too. Needs `isInNamespaces`, the programs `ip` and
 * `nft`, and the rights of root. `directory` is for the file with the names of the hosts.
 */
export function namespaces(directory: string): Network {
  const names = join(directory, 'hosts');
  copyFileSync('/etc/hosts', names);
  run('mount', '--bind', names, '/etc/hosts');
  // `ip netns` keeps its namespaces here. Those of the machine are not touched.
  run('mount', '-t', 'tmpfs', 'none', '/run');
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'link', 'add', bridge, 'type', 'bridge');
  run('ip', 'address', 'add', '10.77.0.1/24', 'dev', bridge);
  run('ip', 'link', 'set', bridge, 'up');
  let count = 1;
  const inside = ({ prefix }: Pick<Host, 'prefix'>, ...command: string[]) => {
    const [program = '', ...args] = [...prefix, ...command];
    run(program, ...args);
  };
  return {
    hasHosts: true,
    host(name, service) {
      const number = ++count;
      const address = `10.77.0.${String(number)}`;
      // Servers know themselves by the name of their host, so each has one of its own.
      const named = ['unshare', '--uts', 'sh', '-c', `hostname ${name} && exec "$@"`, 'sh'];
      const prefix = ['nsenter', `--net=/run/netns/${name}`, '--', ...named];
      run('ip', 'netns', 'add', name);
      const [outer, inner] = [`chaos-o${String(number)}`, `chaos-i${String(number)}`];
      run('ip', 'link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', name);
      run('ip', 'link', 'set', outer, 'master', bridge, 'up');
      inside({ prefix }, 'ip', 'link', 'set', 'lo', 'up');
      inside({ prefix }, 'ip', 'address', 'add', `${address}/24`, 'dev', inner);
      inside({ prefix }, 'ip', 'link', 'set', inner, 'up');
      appendFileSync(names, `${address} ${name} ${service}\n`);
      return { name, address, prefix };
    },
    port: (preferred) => Promise.resolve(preferred),
    cutOff(host) {
      inside(host, 'nft', 'add', 'table', 'inet', 'chaos');
      for (const [chain, device] of [
        ['input', 'iif'],
        ['output', 'oif'],
      ] as const) {
        const base = `{ type filter hook ${chain} priority 0; policy accept; }`;
        inside(host, 'nft', 'add', 'chain', 'inet', 'chaos', chain, base);
        inside(host, 'nft', 'add', 'rule', 'inet', 'chaos', chain, device, '!=', 'lo', 'drop');
      }
    },
    join(host) {
      inside(host, 'nft', 'delete', 'table', 'inet', 'chaos');
    },
  };
}

/** A file system of so many bytes in memory at a folder, which is made. Needs `isInNamespaces`. */
export function mountSmallDisk(folder: string, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  run('mount', '-t', 'tmpfs', '-o', `size=${String(bytes)},mode=0700`, 'none', folder);
}

export const unmountDisk = (folder: string): void => run('umount', '--lazy', folder);

/** The name of a file that takes all the space that a small disk has left. */
const filler = (folder: string) => join(folder, 'filler');

export function fillDisk(folder: string): void {
  // dd ends with an error when the disk is full.
  spawnSync('dd', ['if=/dev/zero', `of=${filler(folder)}`, 'bs=64k'], { stdio: 'ignore' });
  if (!existsSync(filler(folder))) throw new Error(`${folder} was not filled`);
}

export const freeDisk = (folder: string): void => run('rm', '-f', filler(folder));
