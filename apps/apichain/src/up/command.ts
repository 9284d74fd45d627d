import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { StartupError } from '@apichain/chain/setup';
import { joinHostPort } from '@apichain/go-text';
import { errorMessage, didYouMean } from '@apichain/meta';
import { ensureCertificates } from './access.ts';
import { withProgress } from '../terminal/progress.ts';
import type { ManifestLoop } from '../manifests/manifest-loop.ts';
import type { Change } from '../manifests/manifests.ts';
import { type Meaning, shown } from '../terminal/color.ts';
import type { NextStep } from './attended.ts';
import type { UpChain } from './chain.ts';
import { type ControlRequest, ControlSocket } from './control-socket.ts';
import { type DataDirectory, openDataDirectory, stopLeftovers } from './data-directory.ts';
import type { ReadyMessage } from './detached.ts';
import { defaultClusterIpRange, parseUpOptions, type UpOptions, ownFlags } from './options.ts';
import { isPortToReplace, withFreePort } from './ports.ts';
import { emptyStore } from './store.ts';
import { isInBackground, progressOutput, say, warn } from './say.ts';
import { unsupportedFlag } from '@apichain/controllers/settings';

/** How often a start is repeated because another program has taken a port that was free. */
const maxMoves = 5;

/** `apichain up`. Resolves when the chain has stopped, or with --detach when it is ready. */
export async function upCommand(args: readonly string[]): Promise<void> {
  const started = performance.now();
  const parsed = parseUpOptions(args);
  if (parsed.detach || parsed.dryRun) {
    await refuseFlags(args, parsed);
    return parsed.dryRun ? undefined : (await import('./detached.ts')).startDetached(args, parsed);
  }
  await refuseFlags(args, parsed);
  const interrupted = interruption();
  let directory: DataDirectory | undefined;
  let control: ControlSocket | undefined;
  let reset: ControlRequest | undefined;
  try {
    directory = openDataDirectory(parsed.dataDir);
    control = new ControlSocket(directory.controlSocket);
    await listen(control);
    let options = await withFreePort(parsed);
    let moves = 0;
    let isFirst = true;
    for (let began = started; ; began = performance.now()) {
      try {
        const next = await run({ directory, options, began, isFirst, interrupted, control, reset });
        if (next === 'quit') return;
        isFirst = false;
        reset = next === 'restart' ? undefined : next;
        if (reset !== undefined) emptyStore(directory, options);
        say(reset === undefined ? 'restarting' : 'restarting with an empty store');
      } catch (error) {
        if (!isPortToReplace(error, parsed) || ++moves > maxMoves) throw withMeantFlag(error);
        warn(`${errorMessage(error)}; trying another port`);
        options = await withFreePort(parsed);
      }
    }
  } finally {
    reset?.fail('the chain did not start with an empty store');
    control?.close();
    directory?.release();
    // The channel to the command that waits for this process keeps it running as long as it is open.
    if (process.connected) process.disconnect();
    // Everything is closed. What lingers nevertheless must not keep the process.
    setTimeout(() => process.exit(), lingerMs).unref();
  }
}

/**
 * Throws StartupError for flags that the services would refuse, before anything is made or another chain is looked at. A process in the
 * background is started with flags that have been checked. The supervisor of several processes does not load a service for that: it would
 * keep the memory.
 */
async function refuseFlags(args: readonly string[], options: UpOptions): Promise<void> {
  const { serviceFlags, serviceClusterIpRange, inProcess, detach, dryRun } = options;
  const isChecked = serviceFlags.length === 0 && serviceClusterIpRange === defaultClusterIpRange;
  if (isChecked || isInBackground()) return;
  try {
    if (inProcess || detach || dryRun) (await import('./check-flags.ts')).checkServiceFlags(options);
    else await (await import('./dry-run.ts')).dryRun(args);
  } catch (error) {
    throw withMeantFlag(error);
  }
}

const lingerMs = 5_000;
/** How long the parts of a chain that is not ready may take to stop. Most of it is for a store that reads its files. */
const startStopMs = 30_000;

/** What stops the chain from outside. */
interface Interruption {
  /** Resolves at the first signal to stop. A second one of the same kind ends the process at once. */
  readonly quit: Promise<'quit'>;
  /**
   * To be called when the command that started this process in the background knows that the chain is ready. If that command ends before, the chain
   * stops.
   */
  release(): void;
}

function interruption(): Interruption {
  const { promise: quit, resolve } = Promise.withResolvers<'quit'>();
  const stop = () => resolve('quit');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  process.once('disconnect', stop);
  return { quit, release: () => process.off('disconnect', stop) };
}

/** One start of a chain, until it stops. */
interface Run {
  readonly directory: DataDirectory;
  readonly options: UpOptions;
  /** When the start began, by `performance.now()`. */
  readonly began: number;
  /** Whether the chain did not run before in this process. */
  readonly isFirst: boolean;
  readonly interrupted: Interruption;
  readonly control: ControlSocket;
  /** The command because of which the chain starts with an empty store. */
  readonly reset: ControlRequest | undefined;
}

/** Runs the chain until something ends it. Returns whether to start it again; a ControlRequest: with an empty store. */
async function run(start: Run): Promise<NextStep | ControlRequest> {
  const { directory, options, began, interrupted } = start;
  // Certificates are made in another process, while this one loads the servers.
  const certificates = ensureCertificates(directory, options);
  // The chain reports a failure when it comes to the certificates.
  certificates.catch(() => undefined);
  const isThisProcess = options.inProcess && options.workers === 1;
  const chain = await (isThisProcess ? oneProcess(directory) : separateProcesses(directory));
  const ending = new AbortController();
  let manifests: ManifestLoop | undefined;
  try {
    await withProgress(
      () => chain.stage,
      Promise.race([chain.start(options, certificates), chain.failed, interrupted.quit]),
      progressOutput(),
    );
    if (!chain.ready) return 'quit';
    manifests = await manifestLoop(directory, options);
    const applied = manifests === undefined ? [] : await withManifests(manifests, chain, start);
    if (applied === 'quit') return 'quit';
    chain.keepSeed();
    await mergeContext(directory, options);
    const lines = await report(directory, options, [...applied], performance.now() - began);
    start.reset?.done(lines);
    interrupted.release();
    for (const warning of chain.warnings()) warn(`warning: ${warning}`);
    const ended = Promise.race([chain.failed, interrupted.quit, attended(directory, chain, options, ending.signal)]);
    for (;;) {
      const next = await Promise.race([ended, start.control.nextReset()]);
      if (typeof next === 'string' || !(await resetInPlace(next, chain, options, manifests))) return next;
    }
  } finally {
    ending.abort();
    start.control.stopWaiting();
    await manifests?.close();
    const stopped = chain.ready ? chain.stop() : stopOfStart(directory, chain);
    await withProgress(() => 'stopping the chain', stopped, progressOutput());
    await (await import('../lifecycle/noted-merge.ts')).removeNoted(directory.path);
  }
}

/** A directory in which no socket can be made has a chain without `apichain reset`. */
async function listen(control: ControlSocket): Promise<void> {
  try {
    await control.listen();
  } catch (error) {
    warn(`apichain reset cannot reach this chain: ${errorMessage(error)}`);
  }
}

/** Applies the manifests for the first time. Returns a line about it, or `quit` when the user does not wait for that. */
function withManifests(
  manifests: ManifestLoop,
  chain: UpChain,
  { isFirst, interrupted }: Run,
): Promise<string[] | 'quit'> {
  const applied = manifests.start({ mustApply: isFirst }).then((line) => [line]);
  const ended = Promise.race([applied, chain.failed, interrupted.quit]);
  return withProgress(() => 'applying the manifests', ended, progressOutput());
}

/** Responds to `apichain reset`. False, without a response, when the chain must be started with an empty store. */
async function resetInPlace(
  request: ControlRequest,
  chain: UpChain,
  { etcdServers }: UpOptions,
  manifests: ManifestLoop | undefined,
): Promise<boolean> {
  try {
    if (etcdServers !== undefined)
      throw new StartupError(`the objects are in the etcd of --etcd-servers (${etcdServers}), which is not emptied`);
    const began = performance.now();
    if (!(await chain.restoreSeed())) return false;
    const applied = manifests === undefined ? [] : [await manifests.again()];
    const lines = [`reset to the seed (${((performance.now() - began) / 1_000).toFixed(1)} s)`, ...applied];
    for (const line of lines) say(line, line === lines[0] ? 'success' : undefined);
    request.done(lines);
  } catch (error) {
    request.fail(errorMessage(error));
  }
  return true;
}

/** Stops a chain that is not ready, in bounded time: its processes are killed if need be, and StartupError is thrown. */
async function stopOfStart(directory: DataDirectory, chain: UpChain): Promise<void> {
  const late = new AbortController();
  const limit = sleep(startStopMs, undefined, { signal: late.signal, ref: false }).then(() => {
    stopLeftovers(directory.path);
    throw new StartupError(`${chain.stage} did not end within ${startStopMs / 1_000} s after the signal to stop`);
  });
  // It is aborted when the chain has stopped.
  limit.catch(() => undefined);
  try {
    await Promise.race([chain.stop(), limit]);
  } finally {
    late.abort();
  }
}

/** Resolves when the user of a terminal wants to quit or to restart. The code for that is loaded where there is a terminal. */
async function attended(
  directory: DataDirectory,
  chain: UpChain,
  options: UpOptions,
  signal: AbortSignal,
): Promise<NextStep> {
  const [input, output] = [0, 1];
  if (!isatty(input) || !isatty(output)) return new Promise(() => undefined);
  const newUrl = options.consolePort === undefined ? undefined : () => newConsoleUrl(directory);
  return (await import('./attended.ts')).attend({ directory, chain, options, newConsoleUrl: newUrl }, signal);
}

/**
 * Tells that the chain is ready: on the terminal, and to the command that started this process in the background. `more` are further lines. Returns the
 * lines.
 */
async function report(
  directory: DataDirectory,
  options: UpOptions,
  more: readonly string[],
  milliseconds: number,
): Promise<readonly string[]> {
  const url = `https://${joinHostPort(options.bindAddress, options.securePort)}`;
  const ready = [
    `apichain is ready at ${url} (${(milliseconds / 1000).toFixed(1)} s${workersText(options)})`,
    `kubeconfig: ${directory.kubeconfig}`,
    `try: kubectl --kubeconfig ${directory.kubeconfig} get namespaces`,
    ...more,
  ];
  const login = options.consolePort === undefined ? [] : [`console: ${await newConsoleUrl(directory)}`];
  // In the background the output is a file, and a URL that logs in does not belong there.
  for (const [index, line] of (isInBackground() ? ready : [...ready, ...login]).entries())
    say(line, index === 0 ? 'success' : undefined);
  if (process.connected) process.send?.({ ready: [...ready, ...login] } satisfies ReadyMessage);
  return [...ready, ...login];
}

function workersText({ workers, isWorkersAutomatic, inProcess }: UpOptions): string {
  if (workers === 1 && !isWorkersAutomatic) return '';
  return `, ${workers} ${workers === 1 ? 'worker' : 'workers'}${inProcess ? '' : ' for each service'}`;
}

async function newConsoleUrl({ kubeconfig, path }: DataDirectory): Promise<string> {
  const { consoleUrl } = await import('../console-command.ts');
  return consoleUrl(kubeconfig, path);
}

/** Adds a context for the chain to kubeconfig files if the user asked for it. */
async function mergeContext(directory: DataDirectory, { mergedKubeconfig, name }: UpOptions): Promise<void> {
  if (mergedKubeconfig === undefined) return;
  const { defaultContext, kubeconfigFiles } = await import('../lifecycle/merged-kubeconfig.ts');
  const { mergeAndNote } = await import('../lifecycle/noted-merge.ts');
  const { kubeconfigOfChain } = await import('../lifecycle/chain-kubeconfig.ts');
  const config = await kubeconfigOfChain(directory.path, { cluster: name ?? defaultContext });
  await mergeAndNote(directory.path, kubeconfigFiles(mergedKubeconfig), config);
}

async function manifestLoop(
  { kubeconfig }: DataDirectory,
  { manifests }: UpOptions,
): Promise<ManifestLoop | undefined> {
  if (manifests === undefined) return undefined;
  const { ManifestLoop } = await import('../manifests/manifest-loop.ts');
  const changed = (name: string, change: Change) =>
    say(isInBackground() ? `${name} ${change}` : `${shown(name, 'name')} ${shown(change, meaningOf(change))}`);
  const report = { changed, problem: warn };
  return new ManifestLoop(kubeconfig, manifests, report, say);
}

const meaningOf = (change: Change): Meaning => (change === 'pruned' ? 'warning' : 'success');

// Dynamic imports, so that each form loads only what it needs: with several processes, this process does not need the three servers.

async function separateProcesses(directory: DataDirectory): Promise<UpChain> {
  const { SeparateProcesses } = await import('./separate-processes.ts');
  return new SeparateProcesses(directory);
}

async function oneProcess(directory: DataDirectory): Promise<UpChain> {
  const { InProcessUp } = await import('./in-process.ts');
  return new InProcessUp(directory);
}

const refusal = /^(?:[\w-]+: )?unknown flag: --(?<name>[^;\s]+)(?<meant>; did you mean [^?]+\?)?(?: \(see [^)]*\))?$/;

/**
 * The error of a start that failed. A service refuses a flag that it does not know with a flag of its own that may be meant; where there is none, one of
 * `apichain up` may be meant. One of kube-controller-manager that has no place here is refused with the reason.
 */
export function withMeantFlag(error: unknown): unknown {
  const { name, meant } = (error instanceof StartupError ? refusal.exec(error.message)?.groups : undefined) ?? {};
  if (name === undefined) return error;
  const ofControllers = unsupportedFlag(name);
  if (ofControllers !== undefined) return new StartupError(ofControllers);
  return new StartupError(
    `unknown flag: --${name}${meant ?? didYouMean(name, ownFlags, '--')} (see apichain up --help)`,
  );
}
