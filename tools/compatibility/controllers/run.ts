import { errorMessage } from '@apichain/meta';
import { countsOf } from '../../comparison/compare.ts';
import { Recording, generatedSuffixes, replaced, uids, type Replacement } from '../../comparison/recording.ts';
import type { Cluster } from './cluster.ts';
import type { Phase, Run } from './report.ts';
import { difference } from './requests.ts';
import type { Session } from './session.ts';

const superviseMs = 500;

/**
 * Starts the sessions one after another and uses each, then starts the API server again and goes on with all of them. A session that fails is
 * recorded as failed; the others go on. With `moveTo`, the server that this file describes is started in place of the first one.
 */
export async function runSessions(
  cluster: Cluster,
  sessions: readonly Session[],
  moveTo?: string,
): Promise<Omit<Run, 'controllers'>> {
  const record = new Recording();
  const phases: Phase[] = [];
  const started: Session[] = [];
  const measured = async (session: string, step: string, action: () => Promise<void>) => {
    const before = await cluster.usage();
    const begun = performance.now();
    const failure = await action().then(
      () => undefined,
      (error: unknown) => errorMessage(error),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const after = await cluster.usage();
    phases.push({
      session,
      step,
      seconds,
      processorSeconds: after.processorSeconds - before.processorSeconds,
      memoryMiB: after.memoryMiB,
      requests: difference(after.requests, before.requests),
    });
    record.text(`${session}: ${step}`, failure ?? 'done');
    console.error(`${cluster.name}: ${session}: ${step}: ${failure ?? 'done'} (${seconds.toFixed(1)} s)`);
  };
  // A controller that loses the lease of its leader ends by itself. A kubelet would start it again.
  const supervision = setInterval(() => {
    for (const { programs } of started) for (const program of programs) program.startAgain();
  }, superviseMs);
  try {
    for (const session of sessions) {
      started.push(session);
      await measured(session.name, 'start', () => session.start());
      for (const step of session.steps) await measured(session.name, step.name, () => step.run(record));
    }
    const programs = started.flatMap((session) => session.programs);
    const staleBefore = programs.map(({ log }) => staleReads(log));
    programs.forEach(({ name }, index) =>
      record.figure(`${name}: stale reads before the restart`, staleBefore[index] ?? 0),
    );
    const { stopMs, readyMs } = await cluster.restart(moveTo);
    record.figure('restart: ms until the server had ended', stopMs);
    record.figure('restart: ms until it was ready again', readyMs);
    for (const session of sessions) await measured(session.name, 'after the restart', () => session.goOn(record));
    programs.forEach(({ name, log, restarts }, index) => {
      record.figure(`${name}: stale reads after the restart`, staleReads(log) - (staleBefore[index] ?? 0));
      record.figure(`${name}: ended and was started again`, restarts);
    });
  } finally {
    clearInterval(supervision);
    for (const session of started.toReversed()) await session.stop();
  }
  const errors = new Map(
    started.flatMap((session) => session.programs).map((program) => [program.name, errorsIn(program.log)]),
  );
  return { name: cluster.name, record, phases, errors };
}

/** Lines of errors: klog (E and F), logfmt, JSON and zap's console form. */
const errorLine =
  /^[EF]\d{4} |\blevel=(?:error|fatal)\b|"level":"(?:error|fatal|panic)"|\t(?:ERROR|FATAL|PANIC)\t|^panic:/i;

/** Parts that differ from run to run. Later patterns see what earlier ones have left. */
const replacements: readonly Replacement[] = [
  [/^([EF])\d{4} [\d:.]+ +\d+ /, '$1 '],
  [/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?/g, 'TIME'],
  [/"ts":[\d.]+/g, '"ts":TIME'],
  uids,
  [/\b\d+\.\d+\.\d+\.\d+:\d+/g, 'HOST:PORT'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-HASH-RANDOM'],
  generatedSuffixes,
  [/\.[0-9a-f]{16}\b/g, '.EVENT'],
  [/\b(?:0x)?[0-9a-f]{8,}\b/g, 'HEX'],
  [/\d+(?:\.\d+)?/g, 'N'],
];

/** How often a log tells each error, without what differs from run to run. */
export function errorsIn(log: string): ReadonlyMap<string, number> {
  const errors = log.split('\n').filter((line) => errorLine.test(line));
  return countsOf(errors.map((line) => replaced(line, replacements)));
}

/**
 * How often a controller found that its copy of the objects is older than what it has written itself. It gives up this pass, and repeats it after a
 * delay that grows.
 */
export const staleReads = (log: string): number =>
  [...log.matchAll(/read version: \d+ is not as new as written version/g)].length;
