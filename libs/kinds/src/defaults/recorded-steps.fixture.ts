import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isRecord, list, record, text, type Plain } from '../fields.ts';
import { sharedPath } from '@apichain/schema/shared-folder.fixture';

/** For tests: a recorded request to kube-apiserver and its response. */
export interface RecordedStep {
  readonly name: string;
  readonly method: string;
  readonly contentType: string;
  readonly body: unknown;
  readonly status: number;
  readonly response: Plain;
  readonly warnings: readonly string[];
}

/** Replaces placeholders of the recording by values that a decoder accepts. */
const withoutPlaceholders = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll('<time>', '2020-01-01T00:00:00Z')
      .replaceAll('<microtime>', '2020-01-01T00:00:00.000000Z')
      .replaceAll('<rv>', '10'),
  ) as unknown;

function stepOf(scenario: string, id: string, step: Plain, recordings: unknown): RecordedStep | undefined {
  const recorded = list(recordings).find((one) => isRecord(one) && one.id === id);
  if (!isRecord(recorded) || !isRecord(recorded.res)) return undefined;
  const header = Object.entries(record(step.headers)).find(([name]) => name.toLowerCase() === 'content-type');
  return {
    name: `${scenario} / ${id}`,
    method: text(step.method),
    contentType: text(header?.[1]) || 'application/json',
    body: step.body,
    status: Number(recorded.res.status),
    response: record(withoutPlaceholders(recorded.res.body)),
    warnings: list(recorded.res.warnings).map(String),
  };
}

/** The recorded steps of an area that have a body, in order, one list for each scenario. */
export async function recordedScenarios(context: Mocha.Context, area: string): Promise<RecordedStep[][]> {
  const golden = sharedPath(context, 'golden');
  const cases: unknown = await import(pathToFileURL(join(golden, 'cases', `${area}.mjs`)).href);
  const recorded = JSON.parse(readFileSync(join(golden, 'recorded', `${area}.json`), 'utf8')) as Plain;
  return list(record(Object.assign({}, cases)).default).map((entry) => {
    const scenario = record(entry);
    const name = text(scenario.name);
    return list(scenario.steps).flatMap((step, i) => {
      const found = stepOf(name, text(record(step).id) || String(i), record(step), recorded[name]);
      return found === undefined ? [] : [found];
    });
  });
}
