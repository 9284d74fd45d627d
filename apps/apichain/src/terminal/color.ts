/** The part of a terminal's stream that colors depend on. */
export interface Output {
  readonly isTTY?: boolean;
}

/** Whether to color what is printed: to a terminal, unless NO_COLOR is set (https://no-color.org) or the terminal has no colors. */
export const isColored = ({ isTTY = false }: Output, environment: NodeJS.ProcessEnv = process.env): boolean =>
  isTTY && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';

/** The text in a color of ANSI terminals, given as its number: 31 red, 32 green, 33 yellow, 90 gray. */
export const colored = (text: string, color: string): string => `\u001b[${color}m${text}\u001b[0m`;
