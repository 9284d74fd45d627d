import { StartupError } from '@apichain/chain/setup';
import { humanDuration } from '@apichain/go-text';
import type { CommandArguments } from '../commands/command.ts';
import { directoryOf } from './chain-directory.ts';
import { type Meaning, shown } from '../terminal/color.ts';
import { type ChainState, chainState, isChainDirectory } from './chain-state.ts';
import { bytesText } from './units.ts';

/** `apichain status`. Throws StartupError when the directory holds no chain, or when its chain is not ready. */
export async function statusCommand(args: CommandArguments): Promise<void> {
  const directory = directoryOf(args);
  if (!isChainDirectory(directory)) throw new StartupError(`${directory} holds no chain: start one with apichain up`);
  const state = await chainState(directory);
  if (args.string('output') === 'json') console.log(JSON.stringify(state, undefined, 2));
  else for (const [name, text] of lines(state)) console.log(`${name.padEnd(12)}${text}`);
  if (state.status === 'not ready') throw new StartupError(`the chain is not ready: ${state.problem ?? ''}`);
  if (state.status === 'stopped') throw new StartupError(`no chain runs on ${directory}${howKilled(state)}`);
}

function howKilled({ killed }: ChainState): string {
  if (killed === undefined) return '';
  const ended = `: process ${killed.pid} ended without being stopped`;
  const { lastLog } = killed;
  return lastLog === undefined
    ? ended
    : `${ended}, ${humanDuration(Date.now() - lastLog.time)} ago or later (see ${lastLog.file})`;
}

/** The color of the state of a chain. */
export const statusMeaning = ({ status, killed }: ChainState): Meaning =>
  killed !== undefined ? 'failure' : status === 'ready' ? 'success' : status === 'stopped' ? 'aside' : 'warning';

function* lines(state: ChainState): Generator<[string, string]> {
  const status = state.killed === undefined ? state.status : `${state.status} (killed)`;
  yield ['status', shown(status, statusMeaning(state))];
  yield ['data', state.directory];
  if (state.status === 'stopped') return;
  if (state.server !== undefined) yield ['server', state.server];
  if (state.store !== undefined) yield ['store', state.store];
  yield ['kubeconfig', state.kubeconfig];
  if (state.startedAt !== undefined) yield ['started', `${humanDuration(Date.now() - state.startedAt)} ago`];
  for (const { name, pid, memory } of state.processes)
    yield ['process', `${name} (${pid}${memory === undefined ? '' : `, ${bytesText(memory)}`})`];
}
