import { errorMessage } from '@apichain/meta';
import { Recording } from '../../comparison/recording.ts';
import type { Cluster } from './cluster.ts';
import { errorsIn, staleReads } from './logs.ts';
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
