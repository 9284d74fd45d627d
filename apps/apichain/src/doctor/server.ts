import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, parseYaml } from '@apichain/meta';
import { assertPortFree } from '../up/ports.ts';
import { isRunning, notedProcesses } from '../up/data-directory.ts';
import type { Kubeconfig } from '@apichain/chain/setup';
import { requestLocal } from '../local-request.ts';
import { type Check, type Finding, fail, ok, type ExaminedChain, warn } from './finding.ts';

const timeoutMs = 8_000;
const timeoutText = '8 s';
/** The tolerance is coarse, because `Date` headers have a resolution of one second. */
const skewWarnSeconds = 2;
const skewFailSeconds = 60;

/** Checks the API server. If it runs: it is ready with all its parts, and its clock agrees. Otherwise: its port can be opened. */
export const checkServer: Check = async (chain) =>
  chain.holder === undefined ? port(chain) : [...parts(chain), ...(await api(chain))];

async function port({ bindAddress, securePort }: ExaminedChain): Promise<Finding[]> {
  try {
    await assertPortFree(bindAddress, securePort);
    return [ok('port', `${securePort} on ${bindAddress} is free`)];
  } catch (error) {
    return [fail('port', errorMessage(error))];
  }
}

function parts({ root }: ExaminedChain): Finding[] {
  const processes = [...notedProcesses(root)];
  const gone = processes.filter(([, pid]) => !isRunning(pid)).map(([name]) => name);
  if (gone.length > 0) return [fail('processes', `${gone.join(', ')} do not run`)];
  return [ok('processes', processes.map(([name, pid]) => `${name} ${pid}`).join(', '))];
}

async function api({ root }: ExaminedChain): Promise<Finding[]> {
  const file = join(root, 'admin.kubeconfig');
  if (!existsSync(file)) return [fail('server', 'the chain has written no kubeconfig yet: is it still starting?')];
  const cluster = (parseYaml(readFileSync(file)) as Kubeconfig).clusters[0]?.cluster;
  if (cluster === undefined) return [fail('server', `${file} names no cluster`)];
  const { server, 'certificate-authority-data': authorities } = cluster;
  try {
    const ca = Buffer.from(authorities, 'base64').toString();
    const { status, body, headers } = await requestLocal(`${server}/readyz`, { ca, timeoutMs, timeoutText });
    const respondedAt = Date.now();
    const line = body.replaceAll('\n', ' ').trim();
    const ready =
      status === 200 ? ok('server', `${server} is ready`) : fail('server', `${server}/readyz: ${status} ${line}`);
    const { date } = headers;
    return [ready, ...(date === undefined ? [] : [clock(Date.parse(date), respondedAt)])];
  } catch (error) {
    return [fail('server', `${server}: ${errorMessage(error)}`)];
  }
}

function clock(serverMs: number, hereMs: number): Finding {
  const seconds = Math.abs(hereMs - serverMs) / 1_000;
  if (seconds <= skewWarnSeconds) return ok('clock', 'as the server’s');
  const text = `${seconds.toFixed(0)} s away from the server's`;
  return seconds > skewFailSeconds
    ? fail('clock', `${text}: certificates and tokens may be refused`)
    : warn('clock', text);
}
