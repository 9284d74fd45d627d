import type { PodResult, Stage } from './stage.ts';

/** What became of pods, by their names. */
export type ScenarioResult = Readonly<Record<string, PodResult>>;

/** Something that a scheduler does. It returns what became of pods by their names. */
export interface Scenario {
  readonly name: string;
  run(stage: Stage): Promise<ScenarioResult>;
}
