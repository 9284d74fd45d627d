import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { isEmbeddedEtcdDirectory } from '@apichain/embedded-etcd/data-directory';
import { isEtcdDirectory } from '../up/etcd.ts';
import { versionText } from '../version.ts';
import { type Check, type Finding, fail, ok, warn } from './finding.ts';

/** As tools/package/files/node-version.js. */
const oldestNode = [22, 20] as const;
const timeoutMs = 3_000;
/** The minor version of the served API. kubectl supports a difference of one minor version. */
const servedMinor = 36;

/** Checks Node and the other programs that the chain uses. */
export const checkPrograms: Check = async ({ root, etcdServers }) => {
  const needsEtcd =
    etcdServers === undefined &&
    isEtcdDirectory(join(root, 'etcd')) &&
    !isEmbeddedEtcdDirectory(join(root, 'embedded-etcd'));
  const asked = await Promise.all([kubectl(), etcd(needsEtcd)]);
  return [ok('apichain', versionText()), node(), ...asked];
};

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
    ? ok('node', process.version)
    : fail('node', `${process.version} is too old: install ${oldestNode.join('.')} or newer`);
}

async function kubectl(): Promise<Finding> {
  const output = await run('kubectl', ['version', '--client', '-o', 'json']);
  if (output === undefined) return warn('kubectl', 'not on the PATH: needed only to talk to the chain by hand');
  const [, version = 'unknown', minor] = /"gitVersion": *"(v\d+\.(\d+)[^"]*)"/.exec(output) ?? [];
  return Math.abs(Number(minor) - servedMinor) <= 1
    ? ok('kubectl', version)
    : warn('kubectl', `${version}: one of 1.${servedMinor - 1} to 1.${servedMinor + 1} fits the API that is served`);
}

async function etcd(isNeeded: boolean): Promise<Finding> {
  const output = await run('etcd', ['--version']);
  const version = /etcd Version: *(\S+)/.exec(output ?? '')?.[1];
  if (version !== undefined) return ok('etcd', `${version} on the PATH${isNeeded ? '' : ', not needed'}`);
  return isNeeded
    ? fail(
        'etcd',
        'not on the PATH, and the data directory holds the data of one: install it, or apichain migrate where there is one',
      )
    : ok('etcd', 'not on the PATH, and not needed');
}

/** The output of a program. Undefined when the program is not found, fails or takes too long. */
function run(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { encoding: 'utf8', timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
    execFile(command, args, options, (error, stdout) => resolve(error === null ? stdout : undefined));
  });
}
