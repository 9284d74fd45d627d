import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { parseArgs } from 'node:util';
import { StartupError } from './startup-error.ts';

export interface ProbeOptions {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
  readonly timeoutMs?: number;
}

/** GETs a health path; resolves to undefined when it answers 200, otherwise to what it said. */
export function probe(options: ProbeOptions): Promise<string | undefined> {
  const { url, timeoutMs = 2_000, ...tls } = options;
  return new Promise((resolve) => {
    const request = get(url, { ...tls, agent: false, timeout: timeoutMs }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', (error) => resolve(error.message));
      answer.on('end', () =>
        resolve(
          answer.statusCode === 200
            ? undefined
            : `${answer.statusCode}: ${Buffer.concat(chunks).toString('utf8').trim()}`,
        ),
      );
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on('error', (error) => resolve(error.message));
  });
}

/** `apichain probe --url URL --ca-file FILE`: exit code 0 when the URL answers 200; the health check of containers. */
export async function probeCommand(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { url: { type: 'string' }, 'ca-file': { type: 'string' } },
  });
  if (values.url === undefined || values['ca-file'] === undefined)
    throw new StartupError('probe needs --url and --ca-file');
  const problem = await probe({ url: values.url, ca: readFileSync(values['ca-file'], 'utf8') });
  if (problem !== undefined) throw new StartupError(`${values.url}: ${problem}`);
}
