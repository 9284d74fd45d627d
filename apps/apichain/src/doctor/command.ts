import type { CommandArguments } from '../commands/command.ts';
import { StartupError } from '@apichain/chain/setup';
import { directoryOf } from '../lifecycle/chain-directory.ts';
import { shown } from '../terminal/color.ts';
import { lockHolder } from '../up/data-directory.ts';
import { checkCertificates } from './certificates.ts';
import { checkDirectory } from './directory.ts';
import type { Check, Finding, ExaminedChain } from './finding.ts';
import { checkPrograms } from './programs.ts';
import { checkServer } from './server.ts';
import { checkStore } from './store.ts';

/**
 * A store that does not respond is the most frequent reason of everything else, so it is asked first. The checks run at the same time, each with
 * a time limit of its own for whatever it asks.
 */
const checks: readonly Check[] = [checkStore, checkDirectory, checkCertificates, checkPrograms, checkServer];

const meanings = { ok: 'success', warn: 'warning', FAIL: 'failure' } as const;

/** `apichain doctor`: prints each finding as soon as it is known. Throws StartupError if there is a failure, after all failures and warnings have been printed. */
export async function doctorCommand(args: CommandArguments): Promise<void> {
  const securePort = Number(args.string('secure-port'));
  if (!Number.isInteger(securePort) || securePort < 1 || securePort > 65_535)
    throw new StartupError(`--secure-port: "${args.string('secure-port') ?? ''}" is not a port (1-65535)`);
  const root = directoryOf(args);
  if (args.boolean('repair')) return (await import('./repair.ts')).repairStore(root, args.boolean('yes'));
  if (args.boolean('yes')) throw new StartupError('--yes is about --repair, which is not given');
  const chain: ExaminedChain = {
    root,
    holder: lockHolder(root),
    bindAddress: args.string('bind-address') ?? '',
    securePort,
    etcdServers: args.string('etcd-servers'),
  };
  const findings: Finding[] = [];
  const examine = async (check: Check): Promise<void> => {
    const found = await check(chain);
    for (const { level, about, text } of found)
      if (level !== 'ok' || args.boolean('all'))
        console.log(`${shown(level.padEnd(4), meanings[level])}  ${about.padEnd(12)}  ${text}`);
    findings.push(...found);
  };
  await Promise.all(checks.map(examine));
  const wrong = findings.filter(({ level }) => level === 'FAIL').length;
  const isSilent = findings.every(({ level }) => level === 'ok') && !args.boolean('all');
  if (isSilent) console.log(`${findings.length} checks, nothing is wrong (--all prints them)`);
  if (wrong > 0) throw new StartupError(`${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong`);
}
