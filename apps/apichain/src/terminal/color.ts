import { styleText } from 'node:util';

/** The part of a terminal's stream that colors depend on. */
export interface Output {
  readonly isTTY?: boolean;
}

/**
 * Whether to color what is printed: to a terminal, unless NO_COLOR is set (https://no-color.org) or the terminal has no colors. FORCE_COLOR decides alone,
 * as in Node: 0 and false mean none.
 */
export function isColored({ isTTY = false }: Output, environment: NodeJS.ProcessEnv = process.env): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none = '', TERM: terminal } = environment;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTTY && none === '' && terminal !== 'dumb';
}

/** Colors, by what they say. */
const styles = { success: 'green', warning: 'yellow', failure: 'red', aside: 'gray', name: 'bold' } as const;
export type Meaning = keyof typeof styles;

/** The text in the color of its meaning, wherever it is printed. */
export const colored = (text: string, meaning: Meaning): string =>
  styleText(styles[meaning], text, { validateStream: false });

/** The text in the color of its meaning, if the output has colors. */
export const shown = (
  text: string,
  meaning: Meaning,
  output: Output = process.stdout,
  environment: NodeJS.ProcessEnv = process.env,
): string => (isColored(output, environment) ? colored(text, meaning) : text);
