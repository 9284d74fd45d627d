import type { Container } from '@apichain/api/core/v1';

/** How long a container runs, in milliseconds, and the code with which it exits. */
export interface Lifetime {
  readonly runMs: number;
  readonly exitCode: number;
}

const units: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The image whose program waits for signals, under any registry and tag. */
const pauseImage = /(?:^|\/)pause(?:[:@].*)?$/;
const shell = /^(?:\/bin\/)?(?:ba|a)?sh$/;

/**
 * The lifetime of a container whose command says it: `sleep 30`, `true`, `false`, and `sh -c` with a sequence of these, `echo` and `exit 3`. The pause image
 * runs for ever. Undefined for any other command, and for another container without one.
 */
export function commandLifetime({ command = [], args = [], image = '' }: Container): Lifetime | undefined {
  const [first = '', ...rest] = [...(command ?? []), ...(args ?? [])];
  if (first === '') return pauseImage.test(image) ? { runMs: Infinity, exitCode: 0 } : undefined;
  if (!shell.test(first)) return lifetimeOf([[first, ...rest]]);
  const [flag, script] = rest;
  if (flag !== '-c' || script === undefined || /[$`|&<>(){}*]/.test(script.replaceAll('&&', ''))) return undefined;
  return lifetimeOf(script.split(/;|&&|\n/).map((statement) => statement.trim().split(/\s+/)));
}

/** The time that all statements take, up to the first that ends the script. */
function lifetimeOf(statements: readonly (readonly string[])[]): Lifetime | undefined {
  let runMs = 0;
  let exitCode = 0;
  for (const [name = '', ...words] of statements) {
    if (name === 'exit') return { runMs, exitCode: Number(words[0] ?? exitCode) & 255 };
    if (name === 'sleep') {
      const time = sleepMs(words);
      if (time === undefined) return undefined;
      runMs += time;
    } else if (!['', 'echo', 'true', ':', 'false'].includes(name)) return undefined;
    exitCode = name === 'false' ? 1 : 0;
  }
  return { runMs, exitCode };
}

/** `infinity` is a time that never comes. */
function sleepMs(words: readonly string[]): number | undefined {
  const times = words.map((word) => {
    if (word === 'infinity' || word === 'inf') return Infinity;
    const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(word) ?? [];
    return amount === undefined ? NaN : Number(amount) * (units[unit] ?? NaN);
  });
  const total = times.reduce((sum, time) => sum + time, 0);
  return times.length === 0 || Number.isNaN(total) ? undefined : total;
}
