import { chosenByServers, replaced } from './replacements.ts';

/** What one run of the scenarios showed: texts that are compared between servers, and figures that are only reported. */
export class Recording {
  readonly texts = new Map<string, string>();
  readonly figures = new Map<string, number>();

  /** Texts of several runs are compared without what servers choose. */
  text(step: string, text: string): void {
    if (this.texts.has(step)) throw new Error(`the step ${step} occurs twice`);
    this.texts.set(step, replaced(text, chosenByServers).trimEnd());
  }

  /** Rounded to whole units. */
  figure(name: string, value: number): void {
    this.figures.set(name, Math.round(value));
  }
}
